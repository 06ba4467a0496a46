"""The picture of a memory at work: a pure function of a `MemoryTrace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from course_lib.figures.theme import (
    LIGHT,
    WEIGHT_SCALE,
    Theme,
    difference_colours,
    drawable,
    drawing,
    heading,
)
from course_lib.figures.tokens import token_label
from course_lib.traces.memory import MemoryTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_LABELS = 30  # more than these below one axis cannot be read


def static_memory(trace: MemoryTrace, *, time: int | None = None, theme: Theme = LIGHT) -> Figure:
    """Draw what a network saw and said, where it wrote and read, and the memory at one step.

    Args:
        trace: the run.
        time: the step, from 0, after which the memory is drawn; None is the last.
        theme: colours of the background.

    Raises:
        ValueError: a time that does not exist.
    """
    from matplotlib.figure import Figure

    step = _step(trace, time)
    with drawing(theme):
        figure = Figure(figsize=(11, 8.2))
        heights = (1.0, 1.0, 2.6, 2.6)
        grid = figure.add_gridspec(
            4, 2, height_ratios=heights, width_ratios=(3, 1), hspace=0.45, wspace=0.12, left=0.07, right=0.97
        )
        left = [figure.add_subplot(grid[i, 0]) for i in range(4)]
        for axes, (name, values) in zip(left, _maps(trace).items(), strict=True):
            weights = name.startswith("weights")
            limit = 1.0 if weights else max(1.0, float(np.abs(values).max()))
            signed = values.min() < 0
            axes.imshow(
                values.T,
                aspect="auto",
                interpolation="nearest",
                cmap=difference_colours() if signed else WEIGHT_SCALE,
                vmin=-limit if signed else 0,
                vmax=limit,
            )
            axes.set_title(name, fontsize=11)
            axes.set_ylabel("row" if weights else "")
            axes.axvline(step, color=theme.bad, linewidth=1.4)
            axes.set_xticks([])
        every = -(-len(trace) // _MOST_LABELS)
        labels = [token_label(text) for text in trace.steps]
        left[-1].set_xticks(range(0, len(trace), every), labels[::every], rotation=60, ha="right", fontsize=9)
        _draw_rows(figure.add_subplot(grid[2:, 1]), trace, step)
        heading(figure, drawable(trace.title), left=0.01)
    return figure


def describe_memory(trace: MemoryTrace) -> str:
    """Say in words what `static_memory` shows: the alt text of the picture."""
    told = []
    for name, weights in (("writes", trace.write), ("reads", trace.read)):
        best = weights.argmax(axis=1).tolist()
        ways = ", ".join(map(str, best[:12])) + (", …" if len(best) > 12 else "")
        told.append(f"it {name} most at rows {ways} (mean weight there {weights.max(axis=1).mean():.2f})")
    title = f"{trace.title}. " if trace.title else ""
    rows = trace.rows.shape[1]
    return f"{title}A memory of {rows} rows over {len(trace)} steps; step by step {'; '.join(told)}."


def _step(trace: MemoryTrace, time: int | None) -> int:
    if time is None:
        return len(trace) - 1
    if type(time) is not int or not 0 <= time < len(trace):
        raise ValueError(f"time must be a whole number from 0 to {len(trace) - 1} or None, got {time!r}")
    return time


def _maps(trace: MemoryTrace) -> dict[str, np.ndarray]:
    return {
        "what it sees": trace.inputs,
        "what it says": trace.outputs,
        "weights of writing": trace.write,
        "weights of reading": trace.read,
    }


def _draw_rows(axes: Axes, trace: MemoryTrace, step: int) -> None:
    limit = float(np.abs(trace.rows).max()) or 1.0
    axes.imshow(
        trace.rows[step],
        aspect="auto",
        interpolation="nearest",
        cmap=difference_colours(),
        vmin=-limit,
        vmax=limit,
    )
    axes.set_title(f"memory after step {step + 1}", fontsize=11)
    axes.set(xticks=[], xlabel="numbers of a row")
