from itertools import product

import numpy as np
import pytest

from course_lib.seq2seq.ibm_model1 import NULL, IBMModel1

TOY = [  # Koehn 2010, "Statistical machine translation", section 4.2: from German to English
    (["das", "Haus"], ["the", "house"]),
    (["das", "Buch"], ["the", "book"]),
    (["ein", "Buch"], ["a", "book"]),
]


def test_two_steps_of_the_textbook_worked_by_hand():
    model = IBMModel1(TOY, null=False)
    assert model.table == pytest.approx(0.25)
    model.step()
    # "das" met the (twice), house, book; each time half of a target word was its.
    assert model.probability("the", "das") == pytest.approx(1 / 2)
    assert model.probability("house", "das") == pytest.approx(1 / 4)
    assert model.probability("the", "Haus") == pytest.approx(1 / 2)
    model.step()
    # the: 1/2 of it in sentence 1, 2/3 in sentence 2; house: 1/3; book: 1/3. Together 11/6.
    assert model.probability("the", "das") == pytest.approx(7 / 11)
    assert model.probability("house", "das") == pytest.approx(2 / 11)
    # "Haus": 1/2 of the, 2/3 of house.
    assert model.probability("house", "Haus") == pytest.approx(4 / 7)
    assert model.probability("a", "ein") == pytest.approx(4 / 7)


def brute_force_step(pairs, t, null):
    """Enumerate every alignment, weigh it by its posterior, count its links."""
    counts, log_likelihood = {}, 0.0
    for source, target in pairs:
        read = [NULL, *source] if null else source
        alignments = list(product(read, repeat=len(target)))
        joint = np.array([np.prod([t[e, f] for e, f in zip(a, target, strict=True)]) for a in alignments])
        log_likelihood += np.log(joint.sum() / len(alignments))
        for alignment, posterior in zip(alignments, joint / joint.sum(), strict=True):
            for e, f in zip(alignment, target, strict=True):
                counts[e, f] = counts.get((e, f), 0) + posterior
    totals = {}
    for (e, _), count in counts.items():
        totals[e] = totals.get(e, 0) + count
    return {(e, f): count / totals[e] for (e, f), count in counts.items()}, log_likelihood


@pytest.mark.parametrize("null", [True, False])
def test_each_step_is_that_of_brute_force_over_all_alignments(null):
    words = np.random.default_rng(0)
    pairs = [
        ([str(w) for w in words.integers(4, size=n)], ["abcd"[w] for w in words.integers(4, size=m)])
        for n, m in ((1, 2), (3, 4), (2, 3), (4, 1), (3, 3))
    ]
    model = IBMModel1(pairs, null)
    t = dict.fromkeys(model.entries, model.table[0])
    for _ in range(3):
        likelihood = model.step()
        t, expected = brute_force_step(pairs, t, null)
        assert likelihood == pytest.approx(expected)
        assert {pair: model.table[place] for pair, place in model.entries.items()} == pytest.approx(t)


def test_no_step_lowers_the_likelihood_and_the_toy_is_understood():
    model = IBMModel1(TOY, null=False)
    likelihoods = [model.step() for _ in range(30)]
    assert np.all(np.diff(likelihoods) >= -1e-12)
    assert model.probability("house", "Haus") > 0.95 > 0.05 > model.probability("house", "das")
    assert model.align(["ein", "Haus"], ["a", "house"]) == {(0, 0), (1, 1)}


def test_null_takes_what_stands_for_nothing():
    pairs = [(["a"], ["A", "x"]), (["b"], ["B", "x"]), (["c"], ["x", "C"])]
    model = IBMModel1(pairs)
    for _ in range(30):
        model.step()
    assert model.align(["a"], ["A", "x"]) == {(0, 0)}
    assert model.align(["a"], ["unseen"]) == set()


def test_wrong_input_is_named():
    for pairs in ([], [(["a"], [])], [([], ["a"])]):
        with pytest.raises(ValueError, match="pairs must hold"):
            IBMModel1(pairs)
