"""Digits somewhere on a larger canvas, alone or among pieces of other digits."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from course_lib.data.labelled_pictures import LabelledPictures

SIDE, PIECE, PIECES = 60, 8, 4  # pixels of a canvas, pixels of a piece of clutter, and pieces on a canvas


class PlacedDigits(NamedTuple):
    """Canvases, and what stands where."""

    pixels: Float[Tensor, "canvases side side"]  # 0 is paper, 1 is ink
    labels: Int[Tensor, "canvases"]
    corners: Int[Tensor, "canvases 2"]  # row and column of the digit's upper left pixel


def place_digits(
    pictures: LabelledPictures, chosen: Int[Tensor, "canvases"], generator: Generator, pieces: int = 0
) -> PlacedDigits:
    """Set digits at random places; where ink overlaps, the darker shows.

    Args:
        pictures: grey, of one size.
        chosen: which of them, one a canvas.
        generator: draws the places and the clutter.
        pieces: of clutter on each canvas: squares of `PIECE` pixels out of the middle of other pictures.

    Raises:
        ValueError: the pictures don't fit, or `pieces` is below 0.

    Source: Mnih et al. 2014, sections 4.1 and 4.2.
    """
    size = pictures.images.shape[1]
    if size > SIDE:
        raise ValueError(f"pictures have a side of {size} pixels; allowed are {SIDE} at most")
    if pieces < 0:
        raise ValueError(f"pieces is {pieces}; allowed is 0 or more")
    count = len(chosen)
    canvases = torch.zeros(count, SIDE, SIDE)

    def corners(side: int) -> Int[Tensor, "canvases 2"]:
        return torch.randint(SIDE - side + 1, (count, 2), generator=generator)

    for _ in range(pieces):
        others = torch.randint(len(pictures.labels), (count,), generator=generator)
        cut = torch.randint(size - PIECE + 1, (count, 2), generator=generator)
        _lay(canvases, _cut(_pixels(pictures.images, others), cut, PIECE), corners(PIECE))
    at = corners(size)
    _lay(canvases, _pixels(pictures.images, chosen), at)
    return PlacedDigits(canvases, torch.tensor(pictures.labels[chosen.numpy()]), at)


def _pixels(images: np.ndarray, chosen: Int[Tensor, "canvases"]) -> Float[Tensor, "canvases height width"]:
    return torch.tensor(images[chosen.numpy()]) / 255


def _square(corners: Int[Tensor, "canvases 2"], side: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the numbers of canvas, row and column of every pixel of a square on each canvas."""
    canvas = torch.arange(len(corners))[:, None, None]
    rows, columns = corners[:, :, None].add(torch.arange(side)).unbind(dim=1)
    return canvas, rows[:, :, None], columns[:, None, :]


def _cut(pictures: Tensor, corners: Int[Tensor, "canvases 2"], side: int) -> Tensor:
    return pictures[_square(corners, side)]


def _lay(canvases: Tensor, pictures: Tensor, corners: Int[Tensor, "canvases 2"]) -> None:
    square = _square(corners, pictures.shape[-1])
    canvases[square] = torch.maximum(canvases[square], pictures)
