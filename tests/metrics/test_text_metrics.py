"""Metrics against hand-worked examples; BLEU with several references is tested in test_training.py."""

import math
from collections import Counter

import numpy as np
import pytest
import sacrebleu

from course_lib.metrics.text import (
    bleu_spread,
    corpus_bleu,
    corpus_chrf,
    corpus_cider,
    invented_words,
    letter_runs,
    perplexity,
)

HYPOTHESIS, REFERENCE = "the cat the cat sat down", "the cat sat down on the mat"


def test_bleu_by_hand():
    """5 of 6 words match, 3 of 5 pairs, 2 of 4 triples, 1 of 3 quadruples; one word is missing."""
    found = corpus_bleu([HYPOTHESIS], [[REFERENCE]])
    assert found.matches == (5, 3, 2, 1)  # the second "cat" is clipped
    assert found.totals == (6, 5, 4, 3)
    assert found.brevity_penalty == pytest.approx(math.exp(1 - 7 / 6))
    by_hand = 100 * math.exp(-1 / 6) * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25
    assert found.score == pytest.approx(by_hand)


def test_chrf_by_hand():
    """The hypothesis "abc" of "abcd": all its runs match, and 3/4, 2/3, 1/2 and none of the reference's."""
    precision, recall = 1.0, (3 / 4 + 2 / 3 + 1 / 2) / 3  # runs of 4 are in one of the two only: left out
    expected = 100 * 5 * precision * recall / (4 * precision + recall)
    assert corpus_chrf(["abc"], [["abcd"]]).score == pytest.approx(expected)
    assert corpus_chrf(["a b c"], [["ab cd"]]).score == pytest.approx(expected)  # spaces do not count


def test_chrf_takes_the_best_reference_and_says_what_it_did():
    ours = corpus_chrf(["le chat dort"], [["un chien", "le chat dort"]])
    assert ours.score == pytest.approx(100)
    assert "nrefs:2" in corpus_chrf(["a", "b"], [["a", "b"], ["b", "c"]]).signature
    plus = corpus_chrf(["le chat dort"], [["le chien dort"]], word_order=2)
    theirs = sacrebleu.corpus_chrf(["le chat dort"], [["le chien dort"]], word_order=2)
    assert plus.score == pytest.approx(theirs.score) and "nw:2" in plus.signature


def test_tokenisation_changes_bleu_and_stands_in_the_signature():
    hypotheses, references = ["Il pleut, dit-il."], [["Il pleut , dit-il ."]]
    assert corpus_bleu(hypotheses, references).score == pytest.approx(100)
    plain = corpus_bleu(hypotheses, references, "none")
    assert plain.score < 20 and "tok:none" in plain.signature
    assert corpus_bleu(["日本語です"], [["日本語だ"]], "char").matches == (3, 2, 1, 0)


@pytest.mark.parametrize("metric", [corpus_bleu, corpus_chrf, corpus_cider])
def test_plain_strings_are_refused_never_scored_character_by_character(metric):
    with pytest.raises(TypeError, match="references\\[0\\] is the string 'a b'"):
        metric(["a b"], ["a b"])
    with pytest.raises(TypeError, match="hypotheses is the string"):
        metric("a b", [["a b"]] * 3)
    with pytest.raises(ValueError, match="references\\[0\\] is empty"):
        metric(["a b"], [[]])
    with pytest.raises(ValueError, match="there are no hypotheses"):
        metric([], [])
    with pytest.raises(ValueError, match="2 hypotheses came with 1 lists"):
        metric(["a", "b"], [["a"]])


def test_cider_by_hand():
    """Two pictures. "a" stands in both, so it weighs log(2/2) = 0; every other n-gram weighs log 2."""
    references = [["a dog"], ["a cat"]]
    # words: (a, dog) against (a, dog): cosine 1; pairs: cosine 1; no triples: 0 and 0
    assert corpus_cider(["a dog", "a cat"], references) == pytest.approx((1 + 1) / 4)
    # "dog cat" has words dog, cat with equal weight: cosine 1/√2 with "a dog"; the pair does not match
    assert corpus_cider(["dog cat", "a cat"], references) == pytest.approx((1 / 2**0.5 / 4 + 1 / 2) / 2)
    # what stands under every picture says nothing
    assert corpus_cider(["a", "a"], references) == 0


def test_cider_is_the_mean_over_references_of_plain_cosines():
    references = [["a red car", "one red car on a road"], ["a dog runs", "the dog"], ["one cat"]]
    hypotheses = ["one red dog on a road", "a dog runs", "two cat cat"]
    total = 0.0
    for n in (1, 2, 3, 4):

        def grams(text, n=n):
            words = text.split()
            return [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]

        everything = sorted({g for texts in (*references, hypotheses) for text in texts for g in grams(text)})
        idf = [
            math.log(3 / max(1, sum(any(g in grams(r) for r in given) for given in references)))
            for g in everything
        ]

        def vector(text, n=n, grams=grams, everything=everything, idf=idf):
            counts = Counter(grams(text))
            size = sum(counts.values()) or 1
            return [counts[g] / size * weight for g, weight in zip(everything, idf, strict=True)]

        for hypothesis, given in zip(hypotheses, references, strict=True):
            for reference in given:
                a, b = vector(hypothesis), vector(reference)
                dot = sum(x * y for x, y in zip(a, b, strict=True))
                norm = (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5
                total += dot / norm / len(given) if norm else 0.0
    assert corpus_cider(hypotheses, references) == pytest.approx(total / 12)
    assert 0 < total < 12


def test_perplexity_by_hand():
    """1/2, 1/4, 1/8: the mean is 1/4, as if of four words."""
    nats = -sum(map(math.log, (1 / 2, 1 / 4, 1 / 8)))
    assert perplexity(nats, 3) == pytest.approx(4)


def test_invented_words_are_those_that_neither_language_nor_source_has():
    known = {"le", "chat", "l", "été", "aujourd", "hui"}
    assert invented_words("Le chat mosquien, l'été !", known) == ["mosquien"]
    assert invented_words("Aujourd'hui, Hokkaido 2019.", known, "In Hokkaido today.") == []
    assert invented_words("L'e\u0301te\u0301 été été cirpit cirpit", known) == ["cirpit", "cirpit"]
    assert invented_words("", known) == invented_words("… 42 !", known) == []


def test_words_are_runs_of_letters_of_every_script():
    assert letter_runs("L'ÉTÉ, 40 ans_2") == ["l", "été", "ans"]
    assert letter_runs("Straße übers Δοκιμή") == ["straße", "übers", "δοκιμή"]


def test_the_spread_of_bleu_is_what_drawing_other_sentences_would_show():
    """Against draws of our own, scored one by one."""
    rng = np.random.default_rng(0)
    words = REFERENCE.split()
    references = [[" ".join(rng.choice(words, rng.integers(5, 12)))] for _ in range(60)]
    hypotheses = [
        " ".join(word if rng.random() < 0.8 else "x" for word in reference.split())
        for (reference,) in references
    ]
    scores = [
        corpus_bleu([hypotheses[i] for i in drawn], [references[i] for i in drawn]).score
        for drawn in rng.integers(0, 60, (300, 60))
    ]
    assert bleu_spread(hypotheses, references) == pytest.approx(np.std(scores), rel=0.25)
    with pytest.raises(ValueError, match="resamples is 1; allowed is 2 or more"):
        bleu_spread(hypotheses, references, 1)
