"""A window that slides, zooms and blurs, all with gradients: a grid of N × N Gaussian filters on the picture.

    μ_i     = g + (i − (N − 1)/2) δ,   i = 0 … N − 1        the middle of filter i along an axis
    F[i, a] ∝ exp(−(a − μ_i)² / 2σ²)                        its weight of pixel a; a row sums to 1

    read    γ F_Y x F_Xᵀ          N × N numbers of a picture x
    write   F_Yᵀ w F_X / γ        a picture from N × N numbers w

g is the middle of the grid, δ the pixels from one filter to the next, σ the blur, γ the strength. For whole
g, δ = 1 and σ → 0 a row picks one pixel, and to read is to crop. A filter that lies outside leans on the
border: a row is a softmax, so it sums to 1 wherever it lies.

Gregor, Danihelka, Graves, Rezende and Wierstra 2015, section 3.2; pixels and filters are counted from 0 here.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor


class Window(NamedTuple):
    """Where a grid of filters lies on each picture of a batch."""

    rows: Float[Tensor, "batch n height"]  # F_Y
    columns: Float[Tensor, "batch n width"]  # F_X
    strength: Float[Tensor, "batch"]  # γ

    def read(self, pictures: Float[Tensor, "batch height width"]) -> Float[Tensor, "batch n n"]:
        """Return γ F_Y x F_Xᵀ."""
        return self.strength[:, None, None] * self.rows.bmm(pictures).bmm(self.columns.mT)

    def write(self, patches: Float[Tensor, "batch n n"]) -> Float[Tensor, "batch height width"]:
        """Return F_Yᵀ w F_X / γ."""
        return self.rows.mT.bmm(patches / self.strength[:, None, None]).bmm(self.columns)

    def seen(self) -> Float[Tensor, "batch height width"]:
        """Return how much the filters weigh each pixel, all together."""
        return self.rows.sum(dim=1).unsqueeze(2) * self.columns.sum(dim=1).unsqueeze(1)


def filters(
    middles: Float[Tensor, "*batch"],
    stride: Float[Tensor, "*#batch"],
    variance: Float[Tensor, "*#batch"],
    count: int,
    pixels: int,
) -> Float[Tensor, "*batch count pixels"]:
    """Return the filters along one axis.

    Args:
        middles: g, in pixels; 0 is the first one. One for each picture, or one for each of its axes.
        stride: δ, in pixels.
        variance: σ², above 0.
        count: N, 1 or more.
        pixels: of the axis.
    """
    steps = torch.arange(count, device=middles.device) - (count - 1) / 2
    means = middles.unsqueeze(-1) + steps * stride.unsqueeze(-1)
    distances = torch.arange(pixels, device=middles.device) - means.unsqueeze(-1)
    return torch.softmax(-distances.square() / (2 * variance[..., None, None]), dim=-1)


def window(asked: Float[Tensor, "batch 5"], count: int, height: int, width: int) -> Window:
    """Return the window that a network asks for.

    Args:
        asked: g̃_Y, g̃_X, log σ², log δ̃, log γ. g̃ is −1 to 1 from edge to edge; at δ̃ = 1 the grid spans the
            longer side of the picture.
        count: N, 2 or more.
        height, width: of the picture, in pixels.

    Raises:
        ValueError: `count` is below 2.
    """
    if count < 2:
        raise ValueError(f"count is {count}; allowed is 2 or more: one filter has no stride")
    where = asked[:, :2]
    variance, share, strength = asked[:, 2:].exp().split(1, dim=1)
    stride = (max(height, width) - 1) / (count - 1) * share

    def along(side: int, at: Tensor) -> Tensor:
        return filters((side - 1) / 2 + (side + 1) / 2 * at, stride, variance, count, side)

    if height == width:  # both axes at once: products this small cost by their number, not their size
        rows, columns = along(height, where).unbind(dim=1)
    else:
        rows, columns = along(height, where[:, :1]).squeeze(1), along(width, where[:, 1:]).squeeze(1)
    return Window(rows, columns, strength.squeeze(1))
