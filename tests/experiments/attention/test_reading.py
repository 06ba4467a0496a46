import math

import pytest
import torch
from torch import nn

from course_experiments.attention.reading import (
    english,
    measure_links,
    next_word_loss,
    perplexity,
    reading_results,
    train_reader,
)
from course_experiments.results import Measurement
from course_lib.applications.word_reader import (
    KNOWN_FIRST,
    Reader,
    load_reader,
    look_back,
    read,
    unknown_words,
    words_of,
)
from course_lib.training.loop import Schedule

WORDS = [*KNOWN_FIRST, "the", "cat", "dog", "ran", "."]
TEXTS = ["the cat ran.", "the dog ran the cat.", "ran the cat the dog the cat."]


def make(kind="lstmn"):
    torch.manual_seed(0)
    return Reader(WORDS, kind, size=8).eval()


class Fixed(nn.Module):
    """Looks back in a way that is known: row t of the weights is `rows[t]`."""

    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def forward(self, inputs):
        batch, time, _ = inputs.shape
        weights = torch.zeros(batch, time, time)
        for t in range(1, time):
            weights[:, t, :t] = torch.tensor(self.rows[t])
        return inputs, weights


def test_words_and_marks_are_separate_and_none_is_empty():
    assert words_of("Don't, Tom!") == ["Don", "'", "t", ",", "Tom", "!"]
    assert words_of("  ") == []


def test_held_out_sentences_are_not_trained_on():
    assert not set(english("train")) & set(english("validation"))
    assert len(english("validation")) == len(set(english("validation"))) == 1000


def test_perplexity_of_a_model_that_knows_nothing_is_the_number_of_words():
    model = make()
    nn.init.zeros_(model.embedding.weight)
    assert perplexity(model, TEXTS) == pytest.approx(len(WORDS), rel=1e-6)


def test_perplexity_is_that_of_the_sentences_one_by_one():
    for kind in ("lstmn", "lstm"):
        model = make(kind)
        with torch.no_grad():
            total = sum(next_word_loss(model, torch.tensor([model.encode(t)]))[0] for t in TEXTS)
        words = sum(len(words_of(t)) + 1 for t in TEXTS)  # the end mark is guessed too
        assert perplexity(model, TEXTS) == pytest.approx(math.exp(total / words), rel=1e-5)


def test_links_are_counted_by_hand():
    model = make()
    rows = [[], [1.0], [0.5, 0.5], [0.2, 0.4, 0.4], [0.1, 0.1, 0.1, 0.7], [0, 0, 0, 1, 0], [0, 0, 0, 1, 0, 0]]
    model.recurrent = Fixed(rows)
    # <s> the dog ran the cat . : the rows 4, 5 and 6 have more than three words before them.
    links = measure_links(model, ["the dog ran the cat."])
    assert links.steps == 3
    assert links.back == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    entropy = -(3 * 0.1 * math.log(0.1) + 0.7 * math.log(0.7)) / math.log(4)
    assert links.entropy == pytest.approx(entropy / 3)


def test_padding_has_no_links():
    model = make()
    together, alone = measure_links(model, TEXTS), [measure_links(model, [t]) for t in TEXTS]
    assert together.steps == sum(a.steps for a in alone)
    entropy = sum(a.entropy * a.steps for a in alone) / together.steps
    assert together.entropy == pytest.approx(entropy, rel=1e-5)


def test_without_scores_the_links_are_spread_evenly():
    model = make()
    nn.init.zeros_(model.recurrent.v.weight)
    assert measure_links(model, TEXTS).entropy == pytest.approx(1)


def test_an_lstm_leaves_no_weights():
    tokens = torch.tensor([make().encode(TEXTS[0])])
    for ask in (
        look_back,
        lambda model, _: read(model, TEXTS[0]),
        lambda model, _: measure_links(model, TEXTS),
    ):
        with pytest.raises(ValueError, match=r"model\.kind is 'lstm'"):
            ask(make("lstm"), tokens)
    with pytest.raises(ValueError, match="text has no word"):
        read(make(), " ")


def test_unknown_words_are_named_and_read_alike():
    model = make()
    assert unknown_words(model, "the FBI ran.") == ["FBI"]
    assert model.encode("the FBI ran.") == model.encode("the zebra ran.") != model.encode("the cat ran.")


def test_training_learns_and_a_pause_changes_nothing(tmp_path, monkeypatch):
    few = {"train": english("train")[:128], "validation": english("validation")[:20]}
    monkeypatch.setattr("course_experiments.attention.reading.english", few.__getitem__)
    schedule = Schedule(epochs=2, learning_rate=1e-2, warmup=2)
    once, progress = train_reader(tmp_path / "once", schedule=schedule, kind="lstm")
    train_reader(tmp_path / "twice", minutes=0, schedule=schedule, kind="lstm")
    twice, _ = train_reader(tmp_path / "twice", schedule=schedule, kind="lstm")
    tokens = torch.tensor([once.encode("I am here.")])
    torch.testing.assert_close(once(tokens)[0], twice(tokens)[0], rtol=0, atol=0)
    assert progress.best_loss < math.log(len(once.vocabulary))


def test_results_say_what_was_measured(monkeypatch):
    monkeypatch.setattr("course_experiments.attention.reading.english", lambda split: TEXTS)
    found = {r.id: r for r in reading_results({"lstmn": (make(), 1.5), "lstm": (make("lstm"), 0.5)})}
    assert all(isinstance(r, Measurement) for r in found.values())
    assert found["reading-lstm-perplexity"].value == pytest.approx(perplexity(make("lstm"), TEXTS), abs=1e-4)
    assert found["reading-lstmn-entropy"].value == pytest.approx(
        measure_links(make(), TEXTS).entropy, abs=1e-4
    )
    assert found["reading-lstmn-cpu-minutes"].value == 1.5
    assert "reading-lstm-entropy" not in found
    size = 8
    extra = 3 * size * size + 2 * size  # W_h, W_x with its bias, W_h̃, and v
    assert found["reading-lstmn-parameters"].value == found["reading-lstm-parameters"].value + extra


def test_the_shipped_reader_knows_most_words():
    model = load_reader()
    held_out = english("validation")
    unknown = sum(len(unknown_words(model, text)) for text in held_out)
    assert unknown / sum(len(words_of(text)) for text in held_out) < 0.05
