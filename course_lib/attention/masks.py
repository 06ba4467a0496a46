"""Masks say where attention may look. Boolean, True = keep."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def keep_lengths(lengths: Int[Tensor, "batch"], size: int) -> Bool[Tensor, "batch {size}"]:
    """Return the mask that keeps the first `lengths[i]` of `size` positions of sentence i."""
    return torch.arange(size, device=lengths.device) < lengths.unsqueeze(1)


def masked_softmax(
    scores: Float[Tensor, "*batch source"], keep: Bool[Tensor, "*#batch #source"]
) -> Float[Tensor, "*batch source"]:
    """Softmax over the last axis among the kept positions.

    A position that is not kept gets exactly 0, whatever its score. A row that keeps nothing is all zeros.

    Args:
        scores: any real numbers; left unchanged.
        keep: True where attention may look; broadcasts against `scores`.

    Returns:
        weights in [0, 1]; each row sums to 1, or to 0 where it keeps nothing.

    Raises:
        TypeError: `keep` is not boolean.
    """
    if keep.dtype != torch.bool:
        raise TypeError(f"keep has dtype {keep.dtype}; allowed is torch.bool with True = keep")
    lowest = torch.finfo(scores.dtype).min  # -inf would make an empty row, and its gradient, NaN
    return torch.where(keep, scores, lowest).softmax(dim=-1) * keep
