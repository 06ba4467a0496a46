"""A retina: one place sharp, its surroundings more and more blurred.

The glimpse at a place is a few squares around it. The first is as the picture is; each further one has twice
the side and is scaled down to as many numbers. So a glimpse costs the same for a picture of any size.

    place l = (y, x)      (−1, −1) is the picture's upper left corner, (0, 0) its middle, (1, 1) lower right
    scale k = 0, 1, …     a square of 2ᵏ · size pixels along a side, each number the mean of 2ᵏ × 2ᵏ pixels

Outside the picture lies 0. A place is rounded to whole pixels, so a glimpse has no gradient by its place.

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


def crop(
    pictures: Float[Tensor, "batch height width"], places: Float[Tensor, "batch 2"], side: int
) -> Float[Tensor, "batch side side"]:
    """Return a square of each picture; outside the picture lies 0.

    Args:
        pictures: grey.
        places: l, the square's middle.
        side: in pixels, 1 or more.
    """
    height, width = pictures.shape[1:]
    pixels = first_pixels(places, side, height, width).unsqueeze(2) + torch.arange(side, device=places.device)
    rows, columns = pixels[:, 0, :, None], pixels[:, 1, None, :]
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    index = rows.clamp(0, height - 1) * width + columns.clamp(0, width - 1)
    return pictures.flatten(1).gather(1, index.flatten(1)).view_as(index) * inside


def glimpse(
    pictures: Float[Tensor, "batch height width"], places: Float[Tensor, "batch 2"], size: int, scales: int
) -> Float[Tensor, "batch scales size size"]:
    """Return what the retina sees at one place of each picture.

    Args:
        pictures: grey.
        places: l.
        size: numbers along a side of each square, 1 or more.
        scales: squares, 1 or more.

    Raises:
        ValueError: `size` or `scales` is below 1, or a place is not finite.
    """
    for name, value in (("size", size), ("scales", scales)):
        if value < 1:
            raise ValueError(f"{name} is {value}; allowed is 1 or more")
    squares = [crop(pictures, places, size * 2**k).unsqueeze(1) for k in range(scales)]
    return torch.cat([functional.avg_pool2d(square, 2**k) for k, square in enumerate(squares)], dim=1)
