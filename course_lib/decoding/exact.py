"""Exact search: the likeliest string of all, with a proof."""

from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.decoding.greedy import Hypothesis, check_limit
from course_lib.decoding.state import NextToken, reorder

WIDEST = 5000  # prefixes at one step, beyond which the search gives up


@torch.no_grad()
def exact_search(
    step: NextToken,
    state: Any,
    first: Int[Tensor, "1"],
    eos: int,
    max_length: int,
    known: Hypothesis,
    widest: int = WIDEST,
) -> Hypothesis | None:
    """Find the likeliest finished string of all, and prove it.

    A total log-probability can only fall. So a prefix that is no likelier than a finished string is dropped,
    and all others stay. With p* the probability of the finished string, at most 1 / p* stay at a step: the
    prefixes of one length share a probability of 1. (Stahlberg and Byrne 2019, section 2, go depth first.)

    Args:
        step: the next-token distribution.
        state: the state before the first token, of one sentence.
        first: the token that the sentence begins with.
        eos: the token that ends a sentence.
        max_length: most tokens of a string, the end-of-sentence token counted; at least 1.
        known: a finished string to beat, such as a beam's.
        widest: most prefixes at one step, 1 or more.

    Returns:
        the likeliest string, scored by its log-probability; None if more than `widest` prefixes could win.

    Raises:
        ValueError: `max_length` or `widest` is below 1.
    """
    check_limit(max_length)
    if widest < 1:
        raise ValueError(f"widest is {widest}; allowed is 1 or more")
    best = known
    tokens, totals = first, torch.zeros(1, dtype=torch.float64, device=first.device)
    written = first.new_empty(1, 0)
    for _ in range(max_length):
        log_probs, state = step(tokens, state)
        following = totals.unsqueeze(1) + log_probs.double()
        ending = int(following[:, eos].argmax())
        if following[ending, eos] > best.log_prob:
            total = float(following[ending, eos])
            best = Hypothesis((*written[ending].tolist(), eos), total, total, True)
        following[:, eos] = -torch.inf
        row, tokens = (following > best.log_prob).nonzero(as_tuple=True)
        if len(row) > widest:
            return None
        if not len(row):
            break
        totals, state = following[row, tokens], reorder(state, row)
        written = torch.cat([written[row], tokens.unsqueeze(1)], dim=1)
    return best
