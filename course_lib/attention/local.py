"""Local attention: look only near one place in the source (Luong, Pham and Manning 2015, section 3.2).

    local-m   p_i  = i                                          source and target in about the same order
    local-p   p_i  = S · σ(v_pᵀ tanh(W_p s_i))                  equation 9: predicted, σ is the sigmoid
              α_ij = softmax_j(e_ij) · exp(−2 (j − p_i)² / D²)  equation 10: a Gaussian as wide as D / 2

Both take the softmax over the window |j − p_i| ≤ D alone. Positions j count from 0, S is the number of kept
positions. The Gaussian of local-p comes after the softmax, so its weights sum to less than 1.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.attention.masks import masked_softmax, weighted_sum
from course_lib.attention.scores import Attention


def window(
    center: Float[Tensor, "batch"], keep: Bool[Tensor, "batch source"], half_width: float
) -> Bool[Tensor, "batch source"]:
    """Return the kept positions j with |j − center| ≤ half_width.

    Raises:
        ValueError: `half_width` is not above 0.
    """
    if not half_width > 0:
        raise ValueError(f"half_width is {half_width}; allowed are numbers above 0")
    return keep & ((distance(center, keep.shape[1])).abs() <= half_width)


def distance(center: Float[Tensor, "batch"], size: int) -> Float[Tensor, "batch {size}"]:
    """Return j − center for the positions j = 0 … size − 1."""
    return torch.arange(size, device=center.device) - center.unsqueeze(1)


class LocalMonotonicAttention(nn.Module):
    """Local-m: target position i looks at the source around position i.

    Args:
        attention: how a position is scored.
        half_width: D, in positions.
    """

    def __init__(self, attention: Attention, half_width: float) -> None:
        super().__init__()
        self.attention, self.half_width = attention, half_width

    def forward(
        self,
        query: Float[Tensor, "batch query"],
        keys: Float[Tensor, "batch source key"],
        keep: Bool[Tensor, "batch source"],
        step: int,
    ) -> tuple[Float[Tensor, "batch key"], Float[Tensor, "batch source"]]:
        """Return the context and the weights that made it.

        Args:
            query: the decoder state.
            keys: the encoder states.
            keep: False at padding.
            step: i, from 0.

        Returns:
            context, and weights in [0, 1]; each row sums to 1, to 0 where the window keeps nothing.

        Raises:
            ValueError: `step` is below 0.
        """
        if step < 0:
            raise ValueError(f"step is {step}; allowed is 0 or more")
        center = query.new_full((len(query),), step)
        return self.attention(query, keys, window(center, keep, self.half_width))


class LocalPredictiveAttention(nn.Module):
    """Local-p: the decoder state predicts the place p_i; a Gaussian favours what is near it.

    The place is trained through the Gaussian alone: the window's edges pass no gradient.

    Args:
        attention: how a position is scored.
        query_size: features of a decoder state.
        half_width: D, in positions.
    """

    def __init__(self, attention: Attention, query_size: int, half_width: float) -> None:
        super().__init__()
        self.attention, self.half_width = attention, half_width
        self.W_p = nn.Linear(query_size, query_size, bias=False)
        self.v_p = nn.Linear(query_size, 1, bias=False)

    def place(
        self, query: Float[Tensor, "batch query"], keep: Bool[Tensor, "batch source"]
    ) -> Float[Tensor, "batch"]:
        """Return p_i, from 0 to the number of kept positions (equation 9)."""
        return keep.sum(1) * torch.sigmoid(self.v_p(torch.tanh(self.W_p(query)))).squeeze(-1)

    def forward(
        self,
        query: Float[Tensor, "batch query"],
        keys: Float[Tensor, "batch source key"],
        keep: Bool[Tensor, "batch source"],
    ) -> tuple[Float[Tensor, "batch key"], Float[Tensor, "batch source"]]:
        """Return the context and the weights that made it.

        Args:
            query: the decoder state.
            keys: the encoder states.
            keep: False at padding.

        Returns:
            context, and weights in [0, 1]; each row sums to at most 1.
        """
        center = self.place(query, keep)
        scores = self.attention.score(query, self.attention.project(keys))
        near = window(center, keep, self.half_width)
        inside = masked_softmax(scores, near)
        gaussian = torch.exp(-2 * (distance(center, keep.shape[1]) / self.half_width) ** 2)
        weights = inside * gaussian
        return weighted_sum(weights.unsqueeze(1), keys, near.unsqueeze(1)).squeeze(1), weights
