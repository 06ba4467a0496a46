import math
from collections import Counter
from itertools import product

import pytest
import torch
from scipy import stats

from course_lib.decoding import greedy_search
from course_lib.decoding.sampling import next_probabilities, sample

EOS = 2
TABLE = torch.tensor(
    [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [1 / 3, 1 / 3, 1 / 3]], dtype=torch.float64
)  # a Markov chain: row to column


def chain(tokens, state):
    return TABLE[tokens].log(), state


def strings(length):
    """Every string of the chain that starts after token 0, with its probability, by plain enumeration."""
    found = {}
    for n in range(1, length + 1):
        for ids in product(range(3), repeat=n):
            ends = EOS in ids
            if (ends and ids.index(EOS) != n - 1) or (not ends and n < length):
                continue
            found[ids] = math.prod(TABLE[a, b].item() for a, b in zip((0, *ids), ids, strict=False))
    return found


def test_strings_are_drawn_as_often_as_the_tree_of_all_strings_says():
    expected = strings(3)
    assert sum(expected.values()) == pytest.approx(1)
    first = torch.zeros(4000, dtype=torch.long)
    generator = torch.Generator().manual_seed(0)
    drawn = Counter(h.tokens for h in sample(chain, None, first, EOS, 3, generator=generator))
    assert set(drawn) <= set(expected)
    counts = [drawn[ids] for ids in expected]
    assert stats.chisquare(counts, [4000 * p for p in expected.values()]).pvalue > 1e-3


def test_what_is_told_of_a_string_is_the_models_own_probability():
    first = torch.zeros(50, dtype=torch.long)
    expected = strings(4)
    for h in sample(
        chain, None, first, EOS, 4, temperature=0.5, top_k=2, generator=torch.Generator().manual_seed(1)
    ):
        assert math.exp(h.log_prob) == pytest.approx(expected[h.tokens], rel=1e-5)
        assert h.finished == (h.tokens[-1] == EOS)


def test_temperatures_by_hand():
    p = torch.tensor([0.5, 0.3, 0.2])
    assert next_probabilities(p.log(), 0.5).tolist() == pytest.approx([25 / 38, 9 / 38, 4 / 38])
    assert next_probabilities(p.log()).tolist() == pytest.approx(p.tolist())
    assert next_probabilities(p.log(), 1e-6).tolist() == pytest.approx([1, 0, 0])
    assert next_probabilities(p.log(), 1e6).tolist() == pytest.approx([1 / 3] * 3, abs=1e-5)
    assert next_probabilities(torch.tensor([1e30, 0.0]), 1e-9).tolist() == [1, 0]  # no overflow
    logits = p.double().log()
    assert next_probabilities(logits, 1e-300).tolist() == [1, 0, 0]
    assert next_probabilities(logits, 1e300).tolist() == pytest.approx([1 / 3] * 3)


def test_top_k_and_nucleus_by_hand():
    p = torch.tensor([0.1, 0.4, 0.2, 0.3])
    assert next_probabilities(p.log(), top_k=2).tolist() == pytest.approx([0, 4 / 7, 0, 3 / 7])
    assert next_probabilities(p.log(), nucleus=0.7).tolist() == pytest.approx([0, 4 / 7, 0, 3 / 7], abs=1e-6)
    assert next_probabilities(p.log(), nucleus=0.71).tolist() == pytest.approx([0, 4 / 9, 2 / 9, 3 / 9])
    assert next_probabilities(p.log(), nucleus=0.01).tolist() == [0, 1, 0, 0]
    assert next_probabilities(p.log(), nucleus=1.0).tolist() == pytest.approx(p.tolist())
    # of the two that top-k left, the likelier has 4/7 and is enough
    assert next_probabilities(p.log(), top_k=2, nucleus=0.5).tolist() == [0, 1, 0, 0]


def test_of_equally_likely_tokens_the_smaller_numbers_stay():
    assert next_probabilities(torch.zeros(2, 5), top_k=2).tolist() == [[0.5, 0.5, 0, 0, 0]] * 2


def test_each_row_is_cut_as_if_it_were_alone():
    rows = torch.randn(6, 9, generator=torch.Generator().manual_seed(0))
    together = next_probabilities(rows, 0.7, top_k=5, nucleus=0.8)
    alone = torch.stack([next_probabilities(row, 0.7, top_k=5, nucleus=0.8) for row in rows])
    torch.testing.assert_close(together, alone)
    for row, p in zip(rows.tolist(), together.tolist(), strict=True):  # a plain loop over the ranking
        weights = [math.exp(x / 0.7) for x in row]
        ranked = sorted(range(9), key=lambda i: -weights[i])[:5]
        total, kept, share = sum(weights[i] for i in ranked), [], 0.0
        for i in ranked:
            kept.append(i)
            share += weights[i] / total
            if share >= 0.8:
                break
        assert {i for i, value in enumerate(p) if value > 0} == set(kept)


def test_drawing_among_the_one_likeliest_is_greedy():
    first = torch.tensor([0, 1])
    greedy = greedy_search(chain, None, first, EOS, 5)
    assert [h.tokens for h in sample(chain, None, first, EOS, 5, top_k=1)] == [h.tokens for h in greedy]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"temperature": 0.0}, "temperature is 0.0; allowed is above 0"),
        ({"temperature": float("nan")}, "temperature is nan"),
        ({"top_k": 0}, "top_k is 0; allowed is 1 or more"),
        ({"nucleus": 0.0}, "nucleus is 0.0; allowed is above 0, at most 1"),
        ({"nucleus": 1.5}, "nucleus is 1.5"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        next_probabilities(torch.zeros(3), **arguments)
