"""No n-gram twice: against a plain loop over random texts, and in searches."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.decoding import LengthPenalty, beam_search, greedy_search
from course_lib.decoding.blocking import BlockRepeats

VOCABULARY, BOS, EOS = 5, 0, 1


def stubborn(tokens, state):
    """Wants 2 after everything, then 3, then 4."""
    scores = torch.tensor([-9.0, -6.0, 2.0, 1.0, 0.0]).log_softmax(0)
    return scores.expand(len(tokens), VOCABULARY).clone(), state + 1


def repeats(tokens: list[int], n: int) -> bool:
    grams = [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
    return len(grams) != len(set(grams))


@given(st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=9), st.integers(1, 4))
def test_forbids_exactly_what_would_repeat(written: list[int], n: int) -> None:
    blocked = BlockRepeats(stubborn, n)
    state = blocked.start(torch.zeros(1))
    for token in written:
        log_probs, state = blocked(torch.tensor([token]), state)
    free, _ = stubborn(torch.tensor([0]), torch.zeros(1))
    for token in range(VOCABULARY):
        grams = {tuple(written[i : i + n]) for i in range(len(written) - n + 1)}
        forbidden = tuple([*written, token][-n:]) in grams if len(written) >= n else False
        assert log_probs[0, token] == (-torch.inf if forbidden else free[0, token])


@pytest.mark.parametrize("n", [1, 2, 3])
def test_searches_repeat_nothing_and_would_have_repeated(n: int) -> None:
    start, first = torch.zeros(2), torch.tensor([BOS, BOS])
    free = greedy_search(stubborn, start, first, EOS, 9)
    assert all(repeats(list(hypothesis.tokens), n) for hypothesis in free)
    blocked = BlockRepeats(stubborn, n)
    for hypothesis in greedy_search(blocked, blocked.start(start), first, EOS, 9):
        assert not repeats([BOS, *hypothesis.tokens], n)
    for found in beam_search(blocked, blocked.start(start), first, EOS, 9, 3, LengthPenalty("average")):
        for hypothesis in found.hypotheses:
            assert not repeats([BOS, *hypothesis.tokens], n)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="n is 0; allowed is 1 or more"):
        BlockRepeats(stubborn, 0)
    with pytest.raises(ValueError, match="holds no tensor"):
        BlockRepeats(stubborn, 2).start({"nothing": None})
