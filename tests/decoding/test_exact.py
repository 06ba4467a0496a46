"""The exact search against enumeration."""

import itertools
import math

import pytest
import torch

from course_lib.decoding import Hypothesis, exact_search, greedy_search

START, EOS, SIZE, LONGEST = torch.tensor([1]), 0, 3, 6


def chain(seed: int):
    """A next-token function that carries the sum of all tokens, and its table."""
    scores = torch.randn(SIZE, SIZE, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    table = scores.log_softmax(dim=-1)

    def step(tokens, state):
        return table[(state + tokens) % SIZE], state + tokens

    return step, table


def likeliest(table: torch.Tensor) -> tuple[float, tuple[int, ...]]:
    """The best of all strings that end, by plain loops."""
    found = []
    for length in range(LONGEST):
        for body in itertools.product(range(1, SIZE), repeat=length):
            total, carried = 0.0, 1
            for token in (*body, EOS):
                total += float(table[carried % SIZE, token])
                carried += token
            found.append((total, (*body, EOS)))
    return max(found)


def test_the_exact_search_finds_what_enumeration_finds_whatever_it_knew() -> None:
    better = 0
    for seed in range(60):
        step, table = chain(seed)
        total, string = likeliest(table)
        (greedy,) = greedy_search(step, 0 * START, START, EOS, LONGEST)
        poor = Hypothesis((EOS,), -99.0, -99.0, True)
        for known in (greedy, poor) if greedy.finished else (poor,):
            found = exact_search(step, 0 * START, START, EOS, LONGEST, known)
            assert found is not None and found.tokens == string and found.finished
            assert found.log_prob == pytest.approx(total)
        better += greedy.tokens != string
    assert better > 10  # the exact search had something to find


def test_no_more_prefixes_stay_than_the_theorem_allows() -> None:
    for seed in range(30):
        step, table = chain(seed)
        total, string = likeliest(table)
        known = Hypothesis(string, total, total, True)
        bound = math.floor(math.exp(-total))
        assert exact_search(step, 0 * START, START, EOS, LONGEST, known, widest=max(1, bound)) == known


def test_the_exact_search_gives_up_rather_than_say_what_it_has_not_proved() -> None:
    # Eight tokens share 0.98, and the end has 0.02: eight prefixes beat it at the first step, none later.
    row = torch.tensor([0.02, *[0.98 / 8] * 8], dtype=torch.float64).log()

    def level(tokens, state):
        return row.expand(len(tokens), 9).clone(), state

    poor = Hypothesis((1, 1, 1, 1, EOS), -99.0, -99.0, True)
    assert exact_search(level, START, START, EOS, 5, poor, widest=7) is None
    found = exact_search(level, START, START, EOS, 5, poor, widest=8)
    assert found is not None and found.tokens == (EOS,)
