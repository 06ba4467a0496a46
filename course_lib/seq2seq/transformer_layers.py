"""The layers of the Transformer (Vaswani et al. 2017, section 3.1).

Each sub-layer adds to what comes in. Normalisation stands after the sum (post, as in the paper) or before the
sub-layer (pre, Xiong et al. 2020), which trains without a long warm-up:

    post   x ← norm(x + sublayer(x))            pre   x ← x + sublayer(norm(x))
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.attention.multihead import KeysAndValues, MultiHeadAttention


class Residual(nn.Module):
    """Sum and normalisation around a sub-layer.

    Args:
        model_size: features of a position.
        dropout: share of the sub-layer's output that training drops.
        norm: "pre" or "post".

    Raises:
        ValueError: no such norm.
    """

    def __init__(self, model_size: int, dropout: float, norm: str) -> None:
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(f"norm is {norm!r}; allowed are 'pre' and 'post'")
        self.pre = norm == "pre"
        self.norm = nn.LayerNorm(model_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Return x + sublayer(x), normalised before or after."""
        if self.pre:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))


def feed_forward(model_size: int, inner_size: int, dropout: float) -> nn.Sequential:
    """Return max(0, x W₁ + b₁) W₂ + b₂, the same at every position."""
    return nn.Sequential(
        nn.Linear(model_size, inner_size), nn.ReLU(), nn.Dropout(dropout), nn.Linear(inner_size, model_size)
    )


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward network."""

    def __init__(
        self, model_size: int, heads: int, inner_size: int, dropout: float = 0.0, norm: str = "pre"
    ) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(model_size, heads, dropout)
        self.feed_forward = feed_forward(model_size, inner_size, dropout)
        self.around_attention = Residual(model_size, dropout, norm)
        self.around_feed_forward = Residual(model_size, dropout, norm)

    def forward(
        self,
        x: Float[Tensor, "batch source model"],
        keep: Bool[Tensor, "*#mask #source source"] | None = None,
    ) -> tuple[Float[Tensor, "batch source model"], Float[Tensor, "batch heads source source"]]:
        """Return the new positions, and the weights of each head."""
        weights = x.new_empty(0)

        def look(y: Tensor) -> Tensor:
            nonlocal weights
            seen, weights = self.self_attention(y, y, y, keep)
            return seen

        x = self.around_attention(x, look)
        return self.around_feed_forward(x, self.feed_forward), weights


class DecoderStep(NamedTuple):
    """What a decoder layer gives."""

    x: Float[Tensor, "batch target model"]
    past: KeysAndValues  # of all target positions so far
    self_weights: Float[Tensor, "batch heads target past"]
    cross_weights: Float[Tensor, "batch heads target source"]


class DecoderLayer(nn.Module):
    """Self-attention over what is written, attention over the source, then a feed-forward network."""

    def __init__(
        self, model_size: int, heads: int, inner_size: int, dropout: float = 0.0, norm: str = "pre"
    ) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(model_size, heads, dropout)
        self.cross_attention = MultiHeadAttention(model_size, heads, dropout)
        self.feed_forward = feed_forward(model_size, inner_size, dropout)
        self.around_self = Residual(model_size, dropout, norm)
        self.around_cross = Residual(model_size, dropout, norm)
        self.around_feed_forward = Residual(model_size, dropout, norm)

    def project(self, encoded: Float[Tensor, "batch source model"]) -> KeysAndValues:
        """Return what this layer looks up in the source; computed once a sentence."""
        return self.cross_attention.project(encoded, encoded)

    def forward(
        self,
        x: Float[Tensor, "batch target model"],
        source: KeysAndValues,
        source_keep: Bool[Tensor, "*#mask #target source"] | None = None,
        keep: Bool[Tensor, "*#mask #target past"] | None = None,
        past: KeysAndValues | None = None,
    ) -> DecoderStep:
        """Take target positions further.

        Args:
            x: new target positions.
            source: `project` of the encoder's last states.
            source_keep: False at padding of the source.
            keep: which target positions each new one may look at, those of `past` first.
            past: keys and values of the target positions before these; None at the start.
        """
        now = past
        self_weights = cross_weights = x.new_empty(0)

        def look_back(y: Tensor) -> Tensor:
            nonlocal now, self_weights
            new = self.self_attention.project(y, y)
            now = (
                new
                if past is None
                else KeysAndValues(
                    torch.cat([past.keys, new.keys], dim=2), torch.cat([past.values, new.values], dim=2)
                )
            )
            seen, self_weights = self.self_attention.attend(y, now, keep)
            return seen

        def look_across(y: Tensor) -> Tensor:
            nonlocal cross_weights
            seen, cross_weights = self.cross_attention.attend(y, source, source_keep)
            return seen

        x = self.around_self(x, look_back)
        x = self.around_cross(x, look_across)
        x = self.around_feed_forward(x, self.feed_forward)
        assert now is not None
        return DecoderStep(x, now, self_weights, cross_weights)
