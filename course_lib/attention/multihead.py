"""Scaled dot-product attention, and several of it side by side.

    Attention(Q, K, V) = softmax(Q Kᵀ / √d) V
    head_i             = Attention(Q W_Qᵢ, K W_Kᵢ, V W_Vᵢ)
    MultiHead          = [head_1 ; … ; head_{N_h}] W_O

Vaswani et al. 2017, sections 3.2.1 and 3.2.2.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.attention.masks import masked_softmax, weighted_sum


def scaled_dot_product_attention(
    query: Float[Tensor, "*batch target size"],
    key: Float[Tensor, "*batch source size"],
    value: Float[Tensor, "*batch source features"],
    keep: Bool[Tensor, "*#batch #target #source"] | None = None,
    dropout: Callable[[Tensor], Tensor] | None = None,
) -> tuple[Float[Tensor, "*batch target features"], Float[Tensor, "*batch target source"]]:
    """Return softmax(Q Kᵀ / √size) V, and the softmax.

    Args:
        query: what each target position asks.
        key: what each source position offers to be found by.
        value: what each source position gives.
        keep: True where a target may look; broadcasts to (*batch, target, source). None keeps everything.
        dropout: applied to the weights that make the context.

    Returns:
        context, and weights in [0, 1] before dropout; each row sums to 1, to 0 where it keeps nothing.

    Raises:
        TypeError: `keep` is not boolean.
    """
    # Divided before the product, which could be more than float16 holds.
    scores = query / math.sqrt(query.shape[-1]) @ key.transpose(-2, -1)
    weights = masked_softmax(scores, keep)
    return weighted_sum(weights if dropout is None else dropout(weights), value, keep), weights


class KeysAndValues(NamedTuple):
    """What the heads need of the positions that they may look at."""

    keys: Float[Tensor, "batch heads source size"]
    values: Float[Tensor, "batch heads source size"]


class MultiHeadAttention(nn.Module):
    """Several scaled dot-product attentions, each in a subspace of its own.

    Args:
        model_size: features of a position.
        heads: number of attentions; divides `model_size`.
        dropout: share of the weights that training drops; the returned weights are those before it.

    Raises:
        ValueError: `heads` does not divide `model_size`.
    """

    def __init__(self, model_size: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if heads < 1 or model_size % heads:
            raise ValueError(f"heads is {heads}; allowed are divisors of model_size, which is {model_size}")
        self.heads = heads
        self.W_Q = nn.Linear(model_size, model_size)
        self.W_K = nn.Linear(model_size, model_size)
        self.W_V = nn.Linear(model_size, model_size)
        self.W_O = nn.Linear(model_size, model_size)
        self.dropout = nn.Dropout(dropout)

    def split(self, x: Float[Tensor, "batch length model"]) -> Float[Tensor, "batch heads length size"]:
        """Give each head its share of the features."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def project(self, key: Tensor, value: Tensor) -> KeysAndValues:
        """Return what the heads look up; computed once, it serves every later query."""
        return KeysAndValues(self.split(self.W_K(key)), self.split(self.W_V(value)))

    def attend(
        self,
        query: Float[Tensor, "batch target model"],
        source: KeysAndValues,
        keep: Bool[Tensor, "*#mask #target source"] | None = None,
    ) -> tuple[Float[Tensor, "batch target model"], Float[Tensor, "batch heads target source"]]:
        """Look with each head at projected positions."""
        heads, weights = scaled_dot_product_attention(
            self.split(self.W_Q(query)), source.keys, source.values, keep, self.dropout
        )
        return self.W_O(heads.transpose(1, 2).flatten(2)), weights

    def forward(
        self,
        query: Float[Tensor, "batch target model"],
        key: Float[Tensor, "batch source model"],
        value: Float[Tensor, "batch source model"],
        keep: Bool[Tensor, "*#mask #target source"] | None = None,
    ) -> tuple[Float[Tensor, "batch target model"], Float[Tensor, "batch heads target source"]]:
        """Return what the heads saw, joined, and where each looked.

        Args:
            query, key, value: positions that ask, are found, and give.
            keep: True where a query may look; broadcasts to (batch, heads, target, source).

        Returns:
            context, and the weights of each head before dropout.
        """
        return self.attend(query, self.project(key, value), keep)


def causal_mask(length: int, device: torch.device | None = None) -> Bool[Tensor, "{length} {length}"]:
    """Return the mask that lets position i look at positions 0 … i only.

    Args:
        length: number of positions.
        device: where the mask is made; None is torch's default.
    """
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()
