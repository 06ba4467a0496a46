"""Greedy search: take the most probable token, again and again."""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.decoding.state import NextToken


@dataclass(frozen=True)
class Hypothesis:
    """A sequence that a search proposes."""

    tokens: tuple[
        int, ...
    ]  # without the begin-of-sentence token; ends in the end-of-sentence token if finished
    log_prob: float  # sum over the tokens
    score: float  # after the length penalty: what hypotheses are ranked by
    finished: bool  # False: the limit came before the end-of-sentence token


def check_limit(max_length: int) -> None:
    """Raise ValueError unless at least one token may be generated."""
    if max_length < 1:
        raise ValueError(f"max_length is {max_length}; allowed is 1 or more")


@torch.no_grad()
def greedy_search(
    step: NextToken, state: Any, first: Int[Tensor, "batch"], eos: int | None, max_length: int
) -> list[Hypothesis]:
    """Search a batch of sentences.

    Args:
        step: the next-token distribution.
        state: the state before the first token, one row a sentence.
        first: the token that each sentence begins with.
        eos: the token that ends a sentence; None where nothing does.
        max_length: most tokens to generate, the end-of-sentence token counted; at least 1.

    Returns:
        one hypothesis a sentence; its score is its log-probability.

    Raises:
        ValueError: `max_length` is below 1.
    """
    check_limit(max_length)
    tokens, chosen, gains = first, [], []
    ended = torch.zeros_like(first, dtype=torch.bool)
    for _ in range(max_length):
        log_probs, state = step(tokens, state)
        gain, tokens = log_probs.max(dim=-1)
        chosen.append(tokens)
        gains.append(gain)
        if eos is not None:
            ended |= tokens == eos
            if ended.all():
                break
    hypotheses = []
    for ids, values in zip(torch.stack(chosen, 1).tolist(), torch.stack(gains, 1).tolist(), strict=True):
        finished = eos in ids
        length = ids.index(eos) + 1 if finished else len(ids)
        log_prob = sum(values[:length])
        hypotheses.append(Hypothesis(tuple(ids[:length]), log_prob, log_prob, finished))
    return hypotheses
