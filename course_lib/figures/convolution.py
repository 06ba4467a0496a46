"""The picture of a convolution: what one output sees, and all outputs; a pure function of its trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from course_lib.figures.theme import LIGHT, Theme, difference_colours, drawing
from course_lib.traces.convolution import ConvolutionTrace
from course_lib.vision.convolution import PLAIN, Geometry, convolve

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Look(NamedTuple):
    """One output, and what it sees."""

    outputs: np.ndarray  # (height, width) all outputs
    place: tuple[int, int]  # of the one
    rows: np.ndarray  # (taps) rows of the picture that it sees; below 0 or beyond the end is padding
    columns: np.ndarray  # (taps)


def look_at(
    trace: ConvolutionTrace,
    picture: int,
    kernel: int,
    geometry: Geometry,
    place: tuple[int, int] | None = None,
) -> Look:
    """Compute the outputs, and what one of them sees.

    Args:
        trace: pictures and kernels.
        picture, kernel: which, from 0.
        geometry: stride, padding, dilation.
        place: row and column of an output; beyond the border it is the last. None is the middle.
    """
    weights = torch.tensor(trace.kernels[kernel]).double()
    image = torch.tensor(trace.pictures[picture]).double()
    outputs = convolve(image[None, None], weights[None, None], None, geometry)[0, 0].numpy()
    wanted = (outputs.shape[0] // 2, outputs.shape[1] // 2) if place is None else place
    row, column = (min(at, size - 1) for at, size in zip(wanted, outputs.shape, strict=True))
    rows, columns = (
        geometry.stride * at + geometry.dilation * np.arange(taps) - geometry.padding
        for at, taps in zip((row, column), weights.shape, strict=True)
    )
    return Look(outputs, (row, column), rows, columns)


def static_convolution(
    trace: ConvolutionTrace,
    *,
    picture: int = 0,
    kernel: int = 0,
    geometry: Geometry = PLAIN,
    place: tuple[int, int] | None = None,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw a picture with the taps of one output, the kernel, and all outputs.

    Args:
        trace, picture, kernel, geometry, place: as of `look_at`.
        theme: colours of the background.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    look = look_at(trace, picture, kernel, geometry, place)
    image = np.pad(trace.pictures[picture], geometry.padding, constant_values=np.nan)
    with drawing(theme):
        figure = Figure(figsize=(10, 4.2), layout="constrained")
        left, middle, right = figure.subplots(1, 3, width_ratios=(3, 1.2, 3))
        left.set_facecolor(theme.masked)
        left.imshow(image, cmap="gray")
        for y in look.rows + geometry.padding:
            for x in look.columns + geometry.padding:
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
) -> str:
    """Say in words what `static_convolution` shows: the alt text of the picture."""
    look = look_at(trace, picture, kernel, geometry, place)
    (row, column), (height, width) = look.place, look.outputs.shape
    value = f"{look.outputs[row, column]:.3g}".replace("-", "−")
    what = f"{trace.picture_names[picture]}, convolved with {trace.kernel_names[kernel]}"
    how = f"stride {geometry.stride}, padding {geometry.padding}, dilation {geometry.dilation}"
    rows, columns = (f"{seen[0] + 1} to {seen[-1] + 1}" for seen in (look.rows, look.columns))
    return (
        f"{what} ({how}): {height} × {width} outputs. "
        f"The one in row {row + 1}, column {column + 1} is {value}; "
        f"it sees rows {rows} and columns {columns} of the picture."
    )


def _largest(values: np.ndarray) -> float:
    return float(np.abs(values).max()) or 1.0
