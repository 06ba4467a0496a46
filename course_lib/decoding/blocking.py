"""Forbid a search to say the same n tokens twice (Paulus, Xiong and Socher 2018, section 2.5)."""

from typing import Any, NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.decoding.state import AttentiveNextToken, NextToken, first_tensor


class Written(NamedTuple):
    """A model's state, and the tokens written so far; batch first, so that a search can re-order it."""

    model: Any
    tokens: Int[Tensor, "batch length"]


class BlockRepeats:
    """A next-token function that gives no probability to a token which would repeat an n-gram.

    It wraps any other one, so every search can use it, one with a coverage penalty too:

        blocked = BlockRepeats(translator.step, n=3)        or translator.look, for coverage
        beam_search(blocked, blocked.start(translator.start(texts)), …)

    What is forbidden gets log-probability −inf; the others keep theirs: scores stay those of the model.

    Args:
        step: the next-token function.
        n: length of what may not come twice, 1 or more; 1 forbids to use any token twice.

    Raises:
        ValueError: `n` is below 1.
    """

    def __init__(self, step: NextToken | AttentiveNextToken, n: int) -> None:
        if n < 1:
            raise ValueError(f"n is {n}; allowed is 1 or more")
        self.step, self.n = step, n

    def start(self, state: Any) -> Written:
        """Return the state before the first token; `state` is the model's.

        Raises:
            ValueError: the model's state holds no tensor that tells the number of hypotheses.
        """
        first = first_tensor(state)
        if first is None:
            raise ValueError("state holds no tensor; it must tell how many hypotheses there are")
        return Written(state, torch.empty(len(first), 0, dtype=torch.long, device=first.device))

    def __call__(self, tokens: Int[Tensor, "batch"], state: Written) -> Any:
        """Return the log-probabilities of the next token, the state after the given one, and the attention
        weights where the wrapped function gives them."""
        log_probs, model, *looked = self.step(tokens, state.model)
        written = torch.cat([state.tokens, tokens.unsqueeze(1)], dim=1)
        log_probs = log_probs.masked_fill(self._repeats(written, log_probs.shape[1]), -torch.inf)
        return log_probs, Written(model, written), *looked

    def _repeats(self, written: Tensor, vocabulary: int) -> Tensor:
        """Say which next tokens would complete an n-gram that is there already."""
        forbidden = torch.zeros(len(written), vocabulary, dtype=torch.bool, device=written.device)
        if written.shape[1] < self.n:
            return forbidden
        grams = written.unfold(1, self.n, 1)  # (batch, places, n)
        last = written[:, written.shape[1] - self.n + 1 :].unsqueeze(1)  # the n − 1 tokens just written
        seen = (grams[..., :-1] == last).all(dim=-1)
        row, place = seen.nonzero(as_tuple=True)
        forbidden[row, grams[row, place, -1]] = True
        return forbidden
