"""Self-attention without a single parameter: every position asks all the others.

    x'_i = Σ_j softmax_j(x_jᵀ x_i) x_j

A vector is its own query, key and value. So the score of i with itself is ‖x_i‖², which tends to win. Where a
word may look at the others only, its own vector is added to what they give, as a residual connection does.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from course_lib.attention.masks import masked_softmax, weighted_sum


def vanilla_self_attention(
    embeddings: Float[Tensor, "batch time size"],
    keep: Bool[Tensor, "batch time"] | None = None,
    itself: bool = True,
) -> tuple[Float[Tensor, "batch time size"], Float[Tensor, "batch time time"]]:
    """Return x'_i = Σ_j softmax_j(x_jᵀ x_i) x_j, and the softmax.

    Args:
        embeddings: x_1 … x_S.
        keep: False at padding; None keeps everything.
        itself: whether i = j takes part in the sums.

    Returns:
        context, and weights in [0, 1]; each row sums to 1 over the positions that take part, to 0 where none
        does.

    Raises:
        TypeError: `keep` is not boolean.
    """
    scores = embeddings @ embeddings.transpose(-2, -1)
    among = None if keep is None else keep.unsqueeze(1)
    if not itself:
        others = ~torch.eye(embeddings.shape[1], dtype=torch.bool, device=embeddings.device)
        among = others.unsqueeze(0) if among is None else among & others
    weights = masked_softmax(scores, among)
    return weighted_sum(weights, embeddings, among), weights


def diagonal_share(weights: Float[Tensor, "*batch time time"]) -> Float[Tensor, "*batch"]:
    """Return the mean weight, from 0 to 1, that positions give to themselves."""
    return weights.diagonal(dim1=-2, dim2=-1).mean(dim=-1)
