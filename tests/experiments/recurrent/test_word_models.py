import math

import pytest
import torch

from course_experiments.recurrent import word_models as words
from course_lib.data.shakespeare import CharacterText
from course_lib.recurrent.language_model import nats
from course_lib.text.vocabulary import WordVocabulary
from course_lib.training.loop import Schedule


@pytest.fixture
def small(monkeypatch):
    data = CharacterText(
        "the cat ran to a dog, and the dog ran to a cat. " * 20, "the dog ran to a cat. " * 8
    )
    for name, value in {"BATCH_SIZE": 4, "STEPS": 8, "SCHEDULE": Schedule(4, 1e-2, warmup=2)}.items():
        monkeypatch.setattr(words, name, value)
    monkeypatch.setattr(words, "load_tiny_shakespeare", lambda: data)
    return data


def test_a_tied_softmax_saves_one_table():
    tied, untied = (sum(w.numel() for w in words.build(500, t).parameters()) for t in (True, False))
    assert untied - tied == 500 * words.SIZE


def test_a_fresh_model_of_words_knows_almost_nothing():
    """Tied scores must not start huge: then the first losses would be far above ln V."""
    tokens = torch.randint(500, (400,), generator=torch.Generator().manual_seed(0))
    for tied in (True, False):
        assert nats(words.build(500, tied).eval(), tokens) == pytest.approx(math.log(500), rel=0.05)


def test_unknown_words_are_counted():
    assert words.unknown_share(WordVocabulary(["a", "cat"]), "A cat, a dog") == 2 / 5


def test_words_are_learned_and_results_say_what_was_measured(small, tmp_path, monkeypatch):
    monkeypatch.setattr(words, "softmax_seconds", lambda size: size / 1000)
    found = {r.id: r.value for r in words.word_results(tmp_path)}
    model, vocabulary, progress = words.train_words(True, tmp_path / "tied")  # done: nothing is trained anew
    held_out = vocabulary.encode(small.validation)
    assert found["word-lm-tied-perplexity"] == pytest.approx(math.exp(nats(model, held_out)), abs=1e-4)
    assert found["word-lm-tied-perplexity"] < len(vocabulary)
    assert (
        found["word-lm-untied-parameters"] - found["word-lm-tied-parameters"] == len(vocabulary) * words.SIZE
    )
    assert found["word-lm-tied-cpu-minutes"] == pytest.approx(progress.cpu_seconds / 60, abs=1e-4)
    assert found["word-lm-unknown"] == 0
    assert found["word-lm-softmax-1000"] == 1000
