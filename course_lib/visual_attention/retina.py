"""A retina: one place sharp, its surroundings more and more blurred.

The glimpse at a place is a few squares around it. The first is as the picture is; each further one has twice
the side and is scaled down to as many numbers. So a glimpse costs the same for a picture of any size.

    place l = (y, x)      (−1, −1) is the picture's upper left corner, (0, 0) its middle, (1, 1) lower right
    scale k = 0, 1, …     a square of 2ᵏ · size pixels along a side, each number the mean of 2ᵏ × 2ᵏ pixels

Outside the picture lies 0. A place is rounded to whole pixels, so a glimpse has no gradient by its place.

A table of sums makes the means cheap: with S[r, c] the sum of all pixels above row r and left of column c,
the sum of any rectangle takes its four corners, whatever its size (Crow 1984).

Mnih et al. 2014, section 3.1.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional


def first_pixels(
    places: Float[Tensor, "batch 2"], side: int, height: int, width: int
) -> Int[Tensor, "batch 2"]:
    """Return row and column of the upper left pixel of a square around a place.

    Args:
        places: l.
        side: of the square, in pixels.
        height, width: of the picture, in pixels.

    Raises:
        ValueError: a place is not finite.
    """
    if not places.isfinite().all():
        raise ValueError(f"places must be finite, got {places[~places.isfinite()][0]:g}")
    middles = (places + 1) / 2 * places.new_tensor([height, width])
    return (middles - side / 2).round().long()


def sums(pictures: Float[Tensor, "batch height width"]) -> Float[Tensor, "batch rows columns"]:
    """Return S, which has a row and a column more than the picture: both begin with 0."""
    return functional.pad(pictures.cumsum(dim=1).cumsum(dim=2), (1, 0, 1, 0))


def look(
    table: Float[Tensor, "batch rows columns"], places: Float[Tensor, "batch 2"], size: int, scales: int
) -> Float[Tensor, "batch scales size size"]:
    """Return what the retina sees at one place of each picture.

    Args:
        table: S of the pictures.
        places: l.
        size: numbers along a side of each square, 1 or more.
        scales: squares, 1 or more.

    Raises:
        ValueError: `size` or `scales` is below 1, or a place is not finite.
    """
    for name, value in (("size", size), ("scales", scales)):
        if value < 1:
            raise ValueError(f"{name} is {value}; allowed is 1 or more")
    height, width = (side - 1 for side in table.shape[1:])
    lines = torch.arange(size + 1, device=table.device)
    squares = []
    for step in (2**k for k in range(scales)):
        edges = first_pixels(places, step * size, height, width).unsqueeze(2) + step * lines
        rows, columns = edges[:, 0].clamp(0, height), edges[:, 1].clamp(0, width)
        corners = rows[:, :, None] * (width + 1) + columns[:, None, :]
        found = table.flatten(1).gather(1, corners.flatten(1)).view(corners.shape)
        squares.append(found.diff(dim=1).diff(dim=2) / step**2)
    return torch.stack(squares, dim=1)


def glimpse(
    pictures: Float[Tensor, "batch height width"], places: Float[Tensor, "batch 2"], size: int, scales: int
) -> Float[Tensor, "batch scales size size"]:
    """Return what the retina sees at one place of each picture, where no table is at hand; see `look`."""
    return look(sums(pictures), places, size, scales)
