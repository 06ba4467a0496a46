"""The same decoder with another look: swap the score, or draw one place, and leave the rest as it is.

A look gets a decoder state and the encoder states, and returns a context and the weights that made it:

    soft       lambda s, h, keep, step: attention(s, h, keep)
    local-m    lambda s, h, keep, step: local(s, h, keep, step)
    hard       lambda s, h, keep, step: hard(s, h, keep, generator)
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from course_lib.seq2seq.decoders import LuongDecoder
from course_lib.seq2seq.model import EncoderDecoder

Look = Callable[[Tensor, Tensor, Bool[Tensor, "batch source"], int], Any]  # (context, weights, …)


class Looked(NamedTuple):
    """What a decoder wrote, and where it looked."""

    losses: Float[Tensor, "batch target"]  # -log p of each next token, in nats; 0 at padding
    weights: Float[Tensor, "batch target source"]
    log_probabilities: Float[Tensor, "batch target"] | None  # of the places drawn; None for a soft look

    def mean(self) -> float:
        """Return nats a token: all losses divided by the number of tokens."""
        return (self.losses.sum() / (self.losses != 0).sum()).item()


def look_with(
    model: EncoderDecoder,
    look: Look,
    source: Int[Tensor, "batch source"],
    target: Int[Tensor, "batch target"],
) -> Looked:
    """Read, then write the true target with a look of your own (teacher forcing).

    Args:
        model: with one of Luong's decoders; only its look is replaced.
        look: gives context and weights, and where it draws (see `Glimpse`) location and log-probability too.
        source: source tokens, padding after the last one.
        target: target tokens, from the begin-of-sentence token to the last.

    Raises:
        ValueError: the model's decoder is none of Luong's.
    """
    decoder = model.decoder
    if not isinstance(decoder, LuongDecoder):
        raise ValueError(f"model has a {type(decoder).__name__}; allowed is a LuongDecoder")
    state = model.start(source)
    hidden, feed, encoded = state.hidden, state.feed, state.source
    assert encoded.keep is not None  # as wherever tokens are read
    steps = []
    for step, embedded in enumerate(model.embed(target[:, :-1]).unbind(dim=1)):
        hidden = decoder.cell(torch.cat([embedded, feed], dim=-1), hidden)
        seen = look(hidden, encoded.states, encoded.keep, step)
        feed = torch.tanh(decoder.W_c(torch.cat([seen[0], hidden], dim=-1)))
        steps.append((feed, seen[1], *seen[3:]))
    attentional, weights, *drawn = (torch.stack(parts, dim=1) for parts in zip(*steps, strict=True))
    logits = model.logits(attentional).transpose(1, 2)
    losses = functional.cross_entropy(logits, target[:, 1:], ignore_index=model.pad_id, reduction="none")
    return Looked(losses, weights, drawn[0] * (losses != 0) if drawn else None)
