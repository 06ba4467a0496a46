"""Sense accuracy and losses against sums by hand, and the shipped model against its record."""

import math
from collections import Counter

import numpy as np
import pytest
import torch

from course_experiments.results import result
from course_experiments.words.contextual import nats_a_token, padded, split, unigram_nats
from course_experiments.words.senses import bag_of_context, nearest_has_same_sense, share
from course_lib.applications.contextual_reader import load_reader
from course_lib.data.batches import pad
from course_lib.data.wiki_geo import WordVectors
from course_lib.data.word_senses import Occurrence, load_word_senses
from course_lib.recurrent.bidirectional_lm import BidirectionalLanguageModel

SENTENCES = [[1, 5, 6, 7, 2], [1, 4, 2], [1, 9, 9, 8, 5, 4, 2]]


def test_each_asks_the_nearest_other_one_by_angle():
    vectors = np.array([[1.0, 0.0], [9.0, 1.0], [0.0, 2.0], [0.1, 1.0], [1.0, 0.3]])
    # nearest: 0 -> 1, 1 -> 0, 2 -> 3, 3 -> 2, 4 -> 1
    right = nearest_has_same_sense(vectors, ["a", "a", "b", "a", "b"])
    assert right.tolist() == [True, True, False, False, False]
    assert nearest_has_same_sense(100 * vectors, ["a", "a", "b", "b", "a"]).all()
    with pytest.raises(ValueError, match="vectors are 5 for 2 senses"):
        nearest_has_same_sense(vectors, ["a", "b"])


def test_shares_and_their_errors():
    value, error = share({"x": np.array([True, True, False]), "y": np.array([False])})
    assert (value, error) == (0.5, 0.25)


def test_a_bag_holds_the_words_around_and_not_the_word():
    table = WordVectors(("left", "he", "home", "early"), np.array([[8.0, 8], [1, 0], [0, 4], [3, 3]]))
    said = Occurrence("left", "went away", 0, ("early", "he", "has", "left", "home"))
    assert bag_of_context(table, [said]).tolist() == [[4 / 3, 7 / 3]]
    assert bag_of_context(table, [said], window=2).tolist() == [[0.5, 2.0]]
    with pytest.raises(ValueError, match="none of its words"):
        bag_of_context(table, [Occurrence("left", "went away", 0, ("they", "left"))])


def test_the_model_trains_on_no_sentence_that_is_asked_about():
    training, held_out = map(Counter, split())
    asked = {" ".join(o.sentence) for group in load_word_senses().values() for o in group}
    assert not asked & set(training)
    assert not asked & set(held_out)
    assert training.total() + held_out.total() + 96 == 46_527


def test_every_sentence_is_in_one_batch_with_its_length():
    seen = []
    for tokens, lengths in padded(SENTENCES, pad_id=0, seed=3):
        seen += [row[:length].tolist() for row, length in zip(tokens, lengths, strict=True)]
        assert all(not row[length:].any() for row, length in zip(tokens, lengths, strict=True))
    assert sorted(seen) == sorted(SENTENCES)


def test_losses_over_batches_are_means_over_tokens():
    torch.manual_seed(0)
    model = BidirectionalLanguageModel(10, 4).double()
    alone = [(len(s) - 1, model.losses(torch.tensor([s]))) for s in SENTENCES]
    wanted = [sum(n * losses[side].item() for n, losses in alone) / 12 for side in range(2)]
    assert nats_a_token(model, SENTENCES, pad_id=0) == pytest.approx(wanted, rel=1e-9)


def test_a_unigram_knows_frequencies_only():
    loss = unigram_nats([[1, 3, 3, 2]], [[1, 3, 2]], pieces=5)
    assert loss == pytest.approx(-(math.log(3 / 8) + math.log(2 / 8)) / 2)


def test_the_shipped_model_is_the_one_that_was_measured():
    """A checkpoint of another run would miss its record; here 24 sentences are read at once, with padding."""
    reader = load_reader()
    told = {}
    for word, group in load_word_senses().items():
        rows = [reader.sentence(o.sentence) for o in group]
        places = torch.tensor([len(reader.sentence(o.sentence[: o.place + 1])) - 2 for o in group])
        tokens, lengths = pad(rows, reader.encoding.pad_id), torch.tensor(list(map(len, rows)))
        with torch.no_grad():
            states = reader.model.states(tokens, lengths)
        top = torch.cat(states, dim=-1)[-1, torch.arange(len(group)), places]
        told[word] = nearest_has_same_sense(top.numpy(), [o.sense for o in group])
    assert share(told).value == pytest.approx(result("contextual-senses-both-2").value, abs=0.011)
    rows = [reader.sentence(text.split()) for text in split()[1][:64]]
    for nats, side in zip(
        nats_a_token(reader.model, rows, reader.encoding.pad_id), ("forward", "backward"), strict=True
    ):
        assert math.exp(nats) == pytest.approx(result(f"contextual-perplexity-{side}").value, rel=0.2)
