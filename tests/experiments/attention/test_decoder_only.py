import math

import pytest
import torch

from course_experiments.attention import decoder_only
from course_experiments.attention.decoder_only import (
    SHORT_WINDOW,
    decoder_only_results,
    text_loss,
    train_decoder_only,
    window_loss,
    windows,
)
from course_experiments.results import result
from course_lib.applications.language import load_decoder_only, save_character_lm, write
from course_lib.data import load_tiny_shakespeare
from course_lib.data.shakespeare import CharacterText
from course_lib.seq2seq.one_stack import OneStack
from course_lib.training.loop import Schedule

TEXT = CharacterText("the cat sat on the mat.\n" * 40, "the mat sat on the cat.\n" * 20, "", "")
SIZES = {"model_size": 8, "heads": 2, "layers": 1, "feed_forward_size": 16, "window": 8}


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(decoder_only, "load_tiny_shakespeare", lambda: TEXT)
    monkeypatch.setattr(decoder_only, "SIZES", SIZES)
    monkeypatch.setattr(decoder_only, "SHORT_WINDOW", 4)
    monkeypatch.setattr(decoder_only, "SCHEDULE", Schedule(epochs=2, learning_rate=2e-2, warmup=2))


def test_windows_lie_side_by_side():
    assert windows(torch.arange(11), 3, start=1).tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


def test_the_loss_of_a_text_is_that_of_its_tokens_one_by_one():
    torch.manual_seed(0)
    model = OneStack(5, **SIZES, causal=True).double().eval()
    text = torch.randint(5, (21,))  # four windows of 8 inputs: from 0, 4, 8 and 12
    losses = []
    for i in range(1, 21):
        begin = 0 if i <= 8 else 4 * math.ceil((i - 8) / 4)
        losses.append(-model(text[None, begin:i])[0][0, -1].log_softmax(-1)[text[i]].item())
    assert text_loss(model, text) == pytest.approx(sum(losses) / 20)


def test_training_learns_and_a_pause_changes_nothing(small, tmp_path):
    once, vocabulary, progress = train_decoder_only(tmp_path / "once")
    train_decoder_only(tmp_path / "twice", minutes=0)
    twice, _, _ = train_decoder_only(tmp_path / "twice")
    for left, right in zip(once.parameters(), twice.parameters(), strict=True):
        torch.testing.assert_close(left, right, rtol=0, atol=0)
    assert progress.best_loss < math.log(len(vocabulary)) - 0.3
    path = tmp_path / "model.safetensors"
    save_character_lm(path, once, vocabulary, SIZES)
    measured = {m.id: m for m in decoder_only_results(path, 0.5)}
    assert measured["decoder-only-nats"].value < math.log(len(vocabulary)) - 0.3
    assert measured["decoder-only-parameters"].value == sum(p.numel() for p in once.parameters())


def test_the_register_holds_what_the_shipped_model_gives():
    model, vocabulary = load_decoder_only()
    held_out = vocabulary.encode(load_tiny_shakespeare().validation)
    loss = window_loss(model, windows(held_out, SHORT_WINDOW + 1))
    assert loss == pytest.approx(result("decoder-only-windows").value, abs=1e-3)
    assert set(write(model, vocabulary, "ROMEO:\n", 20)) <= set(vocabulary.characters)
