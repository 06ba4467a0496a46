"""The orderer: it gets the words of a sentence shuffled and puts them in order."""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.data.special import END, PAD, SPECIAL
from course_lib.decoding.state import NextToken
from course_lib.seq2seq.model import EncoderDecoder


class Orderer(EncoderDecoder):
    """A small encoder–decoder with Luong's attention; it scores the next word, normalised or not."""

    def __init__(self, vocabulary_size: int, size: int = 128, dropout: float = 0.0) -> None:
        super().__init__("luong_general", vocabulary_size, size // 2, size, PAD, dropout)

    def score(
        self, tokens: Int[Tensor, "batch"], state: Any
    ) -> tuple[Float[Tensor, "batch vocabulary"], Any]:
        """Return f of every next word, and the state after the given one."""
        taken = self.step(tokens, state)
        return self.logits(taken.evidence), taken.state

    def log_prob(
        self, tokens: Int[Tensor, "batch"], state: Any
    ) -> tuple[Float[Tensor, "batch vocabulary"], Any]:
        """Return the log-probability of every next word, and the state after the given one."""
        scores, state = self.score(tokens, state)
        return scores.log_softmax(dim=-1), state


def remaining_words(
    source: Int[Tensor, "batch source"], vocabulary_size: int
) -> Int[Tensor, "batch vocabulary"]:
    """Count how often each word may still be written; special tokens may never."""
    counts = torch.zeros(len(source), vocabulary_size, dtype=torch.int8, device=source.device)
    counts.scatter_add_(1, source, torch.ones_like(source, dtype=torch.int8))
    counts[:, : len(SPECIAL)] = 0
    return counts


def only_remaining(step: NextToken) -> NextToken:
    """Constrain a step to source words that are not written yet, and to </s> once all are.

    The state becomes (state, remaining words).
    """

    def constrained(tokens: Tensor, state: tuple[Any, Tensor]) -> tuple[Tensor, tuple[Any, Tensor]]:
        inner, remaining = state
        written = (tokens >= len(SPECIAL)).to(remaining.dtype).unsqueeze(1)
        remaining = remaining.scatter_add(1, tokens.unsqueeze(1), -written)
        scores, inner = step(tokens, inner)
        allowed: Bool[Tensor, "batch vocabulary"] = remaining > 0
        allowed[:, END] = ~allowed.any(dim=1)
        return scores.masked_fill(~allowed, -torch.inf), (inner, remaining)

    return constrained


def begin(model: Orderer, source: Int[Tensor, "batch source"], constrained: bool) -> Any:
    """Read the shuffled words; return the state before the first word."""
    state = model.start(source)
    return (state, remaining_words(source, len(model.bias))) if constrained else state
