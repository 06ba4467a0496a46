"""Neighbourhoods are compared as scipy compares ranks; bands and anchors do not mix."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from course_experiments.words import two_questions
from course_experiments.words.two_questions import BANDS, Judged, agreement, choose_anchors, judge, results
from course_lib.data import load_glove, load_wiki_geo
from course_lib.data.wiki_geo import WordVectors
from course_lib.words.training import count_words

WORDS = tuple("abcdefghijkl")


def test_agreement_is_spearmans_of_the_cosines():
    generator = np.random.default_rng(0)
    first, second = (WordVectors(WORDS, generator.normal(size=(12, 5)).astype(np.float32)) for _ in range(2))
    second = WordVectors(WORDS[::-1], second.vectors)  # another order of the words

    def cosines(vectors, word):
        rows = dict(zip(vectors.words, vectors.vectors, strict=True))
        v = rows[word]
        return [v @ rows[a] / np.linalg.norm(v) / np.linalg.norm(rows[a]) for a in "cdefghijkl"]

    expected = [spearmanr(cosines(first, word), cosines(second, word)).statistic for word in "ab"]
    assert agreement(first, second, "ab", "cdefghijkl") == pytest.approx(expected)
    assert agreement(first, first, "ab", "cdefghijkl") == pytest.approx(1)


def test_anchors_are_frequent_and_in_every_share_of_the_text():
    anchors = choose_anchors()
    assert len(set(anchors)) == two_questions.ANCHORS and set(anchors) <= set(load_glove().words)
    for part in two_questions.PARTS:
        assert set(anchors) <= count_words(load_wiki_geo().sentences[::part]).keys()


def test_a_training_is_judged_band_by_band():
    found = judge("skip-gram", 16, seed=0)
    counts = count_words(load_wiki_geo().sentences[::16])
    judged = set(load_glove().words) - set(choose_anchors())
    for low, high in BANDS:
        name = f"{low}-{high}" if high else f"{low}-up"
        inside = [
            word for word, count in counts.items() if word in judged and low <= count <= (high or 10**9)
        ]
        assert found.words[name] == len(inside) > 0
    assert 0 < found.rho["5-9"] < found.rho["100-up"] < 1


def test_means_and_spreads_are_over_seeds():
    runs = [Judged(2.0, {"5-9": 0.25}, {"5-9": 7}), Judged(4.0, {"5-9": 0.75}, {"5-9": 7})]
    rho, seconds = results("cbow", 4, runs)
    assert (rho.id, rho.value, rho.spread) == ("two-questions-cbow-4-rho-5-9", 0.5, pytest.approx(0.125**0.5))
    assert (seconds.value, seconds.id) == (3, "two-questions-cbow-4-seconds")
