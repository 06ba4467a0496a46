"""The picture of a convolution: what one output sees, and all outputs; a pure function of its trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from course_lib.figures.theme import LIGHT, Theme, difference_colours, drawing
from course_lib.traces.convolution import ConvolutionTrace
from course_lib.vision.convolution import PLAIN, Geometry, output_size
from course_lib.vision.deformable import deformable_convolve, sampling_places

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Look(NamedTuple):
    """One output, and what it sees."""

    outputs: np.ndarray  # (height, width) all outputs
    place: tuple[int, int]  # of the one
    places: np.ndarray  # (taps, 2) row and column that each tap sees; below 0 or beyond the end is padding


def turned(taps: tuple[int, int], dilation: int, turn: float) -> np.ndarray:
    """Return how far each tap moves where the kernel's grid turns clockwise around its middle.

    Args:
        taps: rows and columns of the kernel.
        dilation: steps from one tap to the next.
        turn: degrees.

    Returns:
        (taps, 2) offsets by row and by column, in pixels: those of a deformable convolution.
    """
    down, right = (dilation * (np.arange(count) - (count - 1) / 2) for count in taps)
    y, x = (part.ravel() for part in np.meshgrid(down, right, indexing="ij"))
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    return np.round(np.stack([y * cos + x * sin - y, x * cos - y * sin - x], axis=1), 6)


def look_at(
    trace: ConvolutionTrace,
    picture: int,
    kernel: int,
    geometry: Geometry,
    place: tuple[int, int] | None = None,
    turn: float = 0.0,
) -> Look:
    """Compute the outputs, and what one of them sees.

    Args:
        trace: pictures and kernels.
        picture, kernel: which, from 0.
        geometry: stride, padding, dilation.
        place: row and column of an output; beyond the border it is the last. None is the middle.
        turn: of the kernel's grid, clockwise, in degrees; between pixels it reads their weighted mean.
    """
    weights = torch.tensor(trace.kernels[kernel]).double()
    image = torch.tensor(trace.pictures[picture]).double()
    sizes = [output_size(*pair, geometry) for pair in zip(image.shape, weights.shape, strict=True)]
    taps = (weights.shape[0], weights.shape[1])
    moved = torch.tensor(turned(taps, geometry.dilation, turn)).reshape(1, -1, 1, 1).expand(-1, -1, *sizes)
    outputs = deformable_convolve(image[None, None], moved, weights[None, None], None, geometry)[0, 0].numpy()
    wanted = (outputs.shape[0] // 2, outputs.shape[1] // 2) if place is None else place
    row, column = (min(at, size - 1) for at, size in zip(wanted, outputs.shape, strict=True))
    seen = sampling_places(moved, taps, geometry)[0, :, row, column].numpy()
    return Look(outputs, (row, column), seen)


def static_convolution(
    trace: ConvolutionTrace,
    *,
    picture: int = 0,
    kernel: int = 0,
    geometry: Geometry = PLAIN,
    place: tuple[int, int] | None = None,
    turn: float = 0.0,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw a picture with the taps of one output, the kernel, and all outputs.

    Args:
        trace, picture, kernel, geometry, place, turn: as of `look_at`.
        theme: colours of the background.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    look = look_at(trace, picture, kernel, geometry, place, turn)
    image = np.pad(trace.pictures[picture], geometry.padding, constant_values=np.nan)
    with drawing(theme):
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        left, middle, right = figure.subplots(1, 3, width_ratios=(3, 1.2, 3))
        left.set_facecolor(theme.masked)
        left.imshow(image, cmap="gray")
        for y, x in look.places + geometry.padding:
            left.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, edgecolor=theme.bad, lw=2))
        left.set_title(trace.picture_names[picture] + (" and padding" if geometry.padding else ""))
        weights = trace.kernels[kernel]
        middle.imshow(weights, cmap=difference_colours(), vmin=-_largest(weights), vmax=_largest(weights))
        for (y, x), weight in np.ndenumerate(weights):
            ink = "white" if abs(weight) > 0.6 * _largest(weights) else "black"
            middle.text(x, y, f"{weight:.3g}".replace("-", "−"), ha="center", va="center", color=ink)
        middle.set_title(trace.kernel_names[kernel])
        right.imshow(
            look.outputs, cmap=difference_colours(), vmin=-_largest(look.outputs), vmax=_largest(look.outputs)
        )
        y, x = look.place
        right.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, edgecolor=theme.bad, lw=2))
        right.set_title(f"output, {look.outputs.shape[0]} × {look.outputs.shape[1]}")
        for axes in (left, middle, right):
            axes.set(xticks=[], yticks=[])
        if trace.title:
            figure.suptitle(trace.title, x=0.01, ha="left", fontweight="bold")
    return figure


def describe_convolution(
    trace: ConvolutionTrace,
    *,
    picture: int = 0,
    kernel: int = 0,
    geometry: Geometry = PLAIN,
    place: tuple[int, int] | None = None,
    turn: float = 0.0,
) -> str:
    """Say in words what `static_convolution` shows: the alt text of the picture."""
    look = look_at(trace, picture, kernel, geometry, place, turn)
    (row, column), (height, width) = look.place, look.outputs.shape
    value = f"{look.outputs[row, column]:.3g}".replace("-", "−")
    what = f"{trace.picture_names[picture]}, convolved with {trace.kernel_names[kernel]}"
    how = f"stride {geometry.stride}, padding {geometry.padding}, dilation {geometry.dilation}"
    how += f", turned by {turn:g}°" if turn else ""
    first, last = np.floor(look.places.min(axis=0)) + 1, np.ceil(look.places.max(axis=0)) + 1
    rows, columns = (f"{least:.0f} to {most:.0f}" for least, most in zip(first, last, strict=True))
    return (
        f"{what} ({how}): {height} × {width} outputs. "
        f"The one in row {row + 1}, column {column + 1} is {value}; "
        f"it sees rows {rows} and columns {columns} of the picture."
    )


def _largest(values: np.ndarray) -> float:
    return float(np.abs(values).max()) or 1.0
