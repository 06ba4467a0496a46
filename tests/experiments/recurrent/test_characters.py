import math
from functools import partial

import pytest
import torch
from torch import nn
from torch.nn import functional

from course_experiments.recurrent import characters
from course_experiments.recurrent.characters import (
    RECIPES,
    Recipe,
    character_results,
    load_text,
    samples,
    shuffled,
    train_characters,
    train_on_text,
    train_on_windows,
)
from course_experiments.results import result
from course_lib.applications.language import load_character_lm
from course_lib.data import load_tiny_shakespeare
from course_lib.data.shakespeare import CharacterText
from course_lib.recurrent.language_model import LanguageModel, nats
from course_lib.recurrent.truncated import streams
from course_lib.training.loop import Schedule

TEXT = CharacterText('the "cat" (a cat) sat.\n\n' * 40, 'a cat (the "cat") sat.\n\n' * 20)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(characters, "load_text", lambda name: TEXT)
    recipe = Recipe("small", {"hidden_size": 8}, Schedule(epochs=3, learning_rate=2e-2, warmup=2), 1)
    for name in ("quick", "code"):
        monkeypatch.setitem(RECIPES, name, recipe)
    monkeypatch.setattr(characters, "BATCH_SIZE", 4)
    monkeypatch.setattr(characters, "train_on_text", partial(train_on_text, batch=4, steps=16))


def test_a_text_shorter_than_a_chunk_is_refused(tmp_path):
    text = torch.zeros(4 * 17 - 1, dtype=torch.long)
    schedule = Schedule(epochs=1, learning_rate=1e-3)
    with pytest.raises(ValueError, match="text has 67 tokens; allowed is 68 or more"):
        train_on_text(LanguageModel(2, 3), text, text, schedule, tmp_path, batch=4, steps=16)


def test_training_carries_the_state_from_chunk_to_chunk(tmp_path, monkeypatch):
    """With a rate of 0 the mean loss of an epoch is that of the streams read whole."""
    monkeypatch.setattr(characters, "VALIDATION_STREAMS", 1)
    torch.manual_seed(0)
    model, text = LanguageModel(5, 6), torch.randint(5, (4 * 33,))
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(4)  # so that the state matters
    pieces = streams(text, 4)
    with torch.no_grad():
        whole = model.loss(pieces[:, :-1], pieces[:, 1:])[0].item()
        fresh = [
            model.loss(pieces[:, i : i + 8], pieces[:, i + 1 : i + 9])[0].item() for i in range(0, 32, 8)
        ]
    schedule = Schedule(epochs=1, learning_rate=0.0, warmup=1)
    progress = train_on_text(model, text, text, schedule, tmp_path, batch=4, steps=8)
    assert progress.history[0]["training_loss"] == pytest.approx(whole, rel=1e-5)
    assert abs(sum(fresh) / 4 - whole) > 1e-3


def test_training_learns_and_a_pause_changes_nothing(small, tmp_path):
    once, vocabulary, progress = train_characters("quick", tmp_path / "once")
    train_characters("quick", tmp_path / "twice", minutes=0)
    twice, _, _ = train_characters("quick", tmp_path / "twice")
    for left, right in zip(once.parameters(), twice.parameters(), strict=True):
        torch.testing.assert_close(left, right, rtol=0, atol=0)
    assert progress.best_loss < math.log(len(vocabulary)) - 0.3


def test_results_say_what_was_measured(small, tmp_path, monkeypatch):
    monkeypatch.setattr(characters, "TEMPERATURES", (1.0,))
    monkeypatch.setattr(characters, "samples", partial(samples, length=400))
    train_characters("code", tmp_path)
    path = tmp_path / "character_code.safetensors"
    found = {r.id: r for r in character_results("code", path, 1.5)}
    model, vocabulary = load_character_lm(path)
    held_out = vocabulary.encode(TEXT.validation)
    assert found["character-code-nats"].value == pytest.approx(nats(model, held_out), abs=1e-4)
    windows = [held_out[i : i + 65] for i in range(0, len(held_out) - 64, 65)]
    each = [nats(model, window) for window in windows]
    assert found["character-code-windows"].value == pytest.approx(sum(each) / len(each), abs=2e-4)
    assert found["character-code-cpu-minutes"].value == 1.5
    assert found["character-code-brackets-text"].value == 1


def test_what_is_published_stands_beside_our_models_of_the_same_text():
    assert result("character-quick-nats").published == result("character-lm-windows").published == 1.88
    assert result("character-rnn-nats").published is None


def test_code_is_a_text_with_brackets():
    code = load_text("Python")
    assert len(code.validation) == pytest.approx(len(code.train) / 9, rel=1e-3)
    assert {*'()[]{}"'} <= set(code.train)
    assert not {*'()[]{}"'} & set(load_text("Shakespeare").characters)


def test_shuffled_keeps_the_characters_only():
    assert shuffled("abcabc d") != "abcabc d" and sorted(shuffled("abcabc d")) == sorted("abcabc d")


def test_names_of_recipes(tmp_path):
    with pytest.raises(ValueError, match="name is 'gpt'; allowed are 'lm', 'six'"):
        train_characters("gpt", tmp_path)


@pytest.mark.parametrize(("kind", "other"), [("rnn", "multiplicative")])
def test_rivals_have_equally_many_parameters(kind, other):
    sizes = [
        sum(weight.numel() for weight in LanguageModel(65, **RECIPES[name].sizes).parameters())
        for name in (kind, other)
    ]
    assert sizes[0] == pytest.approx(sizes[1], rel=2e-3)
    assert [RECIPES[name].sizes["kind"] for name in (kind, other)] == [kind, other]


def test_the_shipped_model_has_the_loss_on_record():
    """Read by torch's own LSTM with the copied weights, in 50 pieces; in one it would be a little better."""
    model, vocabulary = load_character_lm()
    (layer,) = model.layers.rnns
    lstm = nn.LSTM(layer.input_size, layer.hidden_size, batch_first=True)

    def reorder(weight):  # ours: i, f, o, g
        i, f, o, g = weight.chunk(4)
        return torch.cat([i, f, g, o])

    with torch.no_grad():
        lstm.weight_ih_l0.copy_(reorder(layer.W_x.weight))
        lstm.weight_hh_l0.copy_(reorder(layer.W_h.weight))
        lstm.bias_ih_l0.copy_(reorder(layer.W_x.bias))
        lstm.bias_hh_l0.zero_()

    @torch.no_grad()
    def theirs(tokens):
        outputs, _ = lstm(functional.embedding(tokens[:, :-1], model.embedding.weight))
        return functional.cross_entropy(model.head(outputs).flatten(0, 1), tokens[:, 1:].flatten()).item()

    tokens = vocabulary.encode(load_tiny_shakespeare().validation)
    assert theirs(streams(tokens, 50)) == pytest.approx(result("character-lm-nats").value, abs=0.01)
    assert theirs(tokens[None, :1000]) == pytest.approx(nats(model, tokens[:1000]), rel=1e-5)
    assert result("character-lm-parameters").value == sum(weight.numel() for weight in model.parameters())


def test_windows_teach_what_follows_and_are_drawn_from_all_of_the_text():
    """In "abcabc…" the last character decides: a loss near 0, far below ln 3."""
    text = torch.arange(120) % 3
    torch.manual_seed(0)
    model = LanguageModel(3, 8)
    seconds = train_on_windows(model, text, updates=60, seed=0, batch=8, window=5)
    assert seconds > 0 and nats(model.eval(), text) < 0.1
    with pytest.raises(RuntimeError):
        train_on_windows(model, text[:5], updates=1, seed=0, batch=2, window=5)
    shortest = torch.cat([text[:6], torch.tensor([0])])  # two windows: both must be drawn
    seen = set()
    model.loss = lambda inputs, targets: (
        seen.update(inputs[:, 0].tolist()) or sum(weight.sum() for weight in model.parameters()),
        None,
    )
    train_on_windows(model, shortest, updates=3, seed=0, batch=8, window=5)
    assert seen == {0, 1}
