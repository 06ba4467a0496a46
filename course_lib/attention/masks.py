"""Masks say where attention may look. Boolean, True = keep."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def keep_lengths(lengths: Int[Tensor, "batch"], size: int) -> Bool[Tensor, "batch {size}"]:
    """Return the mask that keeps the first `lengths[i]` of `size` positions of sentence i."""
    return torch.arange(size, device=lengths.device) < lengths.unsqueeze(1)


def has_numbers(tensor: Tensor) -> bool:
    """Say whether a tensor's numbers can be looked at: not on the meta device, nor while a graph is drawn."""
    return not (tensor.is_meta or torch.compiler.is_compiling())


def masked_softmax(
    scores: Float[Tensor, "*batch source"], keep: Bool[Tensor, "*#batch #source"] | None
) -> Float[Tensor, "*batch source"]:
    """Softmax over the last axis among the kept positions.

    A position that is not kept gets exactly 0, whatever its score. A row that keeps nothing is all zeros.

    Args:
        scores: any real numbers; left unchanged.
        keep: True where attention may look; broadcasts against `scores`. None keeps everything.

    Returns:
        weights in [0, 1]; each row sums to 1, or to 0 where it keeps nothing.

    Raises:
        TypeError: `keep` is not boolean.
    """
    if keep is None:
        return scores.softmax(dim=-1)
    if keep.dtype != torch.bool:
        raise TypeError(f"keep has dtype {keep.dtype}; allowed is torch.bool with True = keep")
    barred = torch.zeros_like(scores[..., :1]).masked_fill(keep.any(dim=-1, keepdim=True), -torch.inf)
    # In a row that keeps nothing it is 0: a softmax of nothing but −∞ would be 0 / 0, and its gradient NaN.
    return torch.where(keep, scores, barred).softmax(dim=-1) * keep


def weighted_sum(
    weights: Float[Tensor, "*batch target source"],
    values: Float[Tensor, "*batch source features"],
    keep: Bool[Tensor, "*#batch #target #source"] | None = None,
) -> Float[Tensor, "*batch target features"]:
    """Return Σ_j α_ij v_j over the kept positions j.

    Beside them anything may stand, even NaN: as a factor, a weight of 0 would let it through.

    Args:
        weights: α, 0 where not kept.
        values: what each position gives.
        keep: True where a target may look; None keeps everything.

    Returns:
        contexts; NaN where a target may look at a value that is NaN or infinite.
    """
    if keep is None:
        return weights @ values
    if keep.shape[-2] == 1:  # all targets may look at the same positions
        return weights @ values.masked_fill(~keep.transpose(-2, -1), 0)
    broken = ~values.isfinite()
    wide = keep.expand(*keep.shape[:-1], values.shape[-2])
    reached = wide.to(values.dtype) @ broken.to(values.dtype) > 0
    return (weights @ values.masked_fill(broken, 0)).masked_fill(reached, torch.nan)


def weighted_mean(
    weights: Float[Tensor, "batch source"], values: Float[Tensor, "batch source features"]
) -> Float[Tensor, "batch features"]:
    """Return Σ_j α_j v_j, of one target in each sentence that may look everywhere."""
    return weights.unsqueeze(1).bmm(values).squeeze(1)
