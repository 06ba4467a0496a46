"""The picture of a CTC lattice: a pure function of a `LatticeTrace`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from course_lib.figures.theme import LIGHT, WEIGHT_SCALE, Theme, drawable, drawing, heading
from course_lib.figures.tokens import token_label
from course_lib.traces.lattice import LatticeTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAPS = {  # the name of a map, and what it is
    "posterior": "share of the labelling's paths in each state",
    "forward": "α, as a share of each step: where a path can be, by what came before",
    "backward": "β, as a share of each step: where a path can be, by what comes after",
}
_MOST_LABELS = 40  # more than these at one axis cannot be read
MOVES_UP_TO = 12  # steps of a lattice in which single moves can be told apart


def shares(trace: LatticeTrace, labelling: int, kind: str) -> Float[np.ndarray, "time states"]:
    """Return what a map of the lattice shows, 0 to 1; each step's sum is 1.

    Args:
        trace: the lattice.
        labelling: which, from 0.
        kind: one of `MAPS`.
    """
    count = int((trace.states[labelling] >= 0).sum())
    forward, backward = (part[labelling, :, :count].astype(float) for part in (trace.forward, trace.backward))
    logs = {"posterior": forward + backward, "forward": forward, "backward": backward}[kind]
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def moves(trace: LatticeTrace, labelling: int) -> list[tuple[int, int, int]]:
    """Return all moves that a path of a labelling can make: (step, state there, state at the next step)."""
    labels = trace.states[labelling][trace.states[labelling] >= 0]
    passable = np.isfinite(trace.forward[labelling] + trace.backward[labelling])
    return [
        (step, state, to)
        for step in range(len(passable) - 1)
        for state in range(len(labels))
        for to in range(state, min(state + 3, len(labels)))
        if passable[step, state] and passable[step + 1, to]
        if to < state + 2 or labels[to] not in (0, labels[state])
    ]


def runs(trace: LatticeTrace) -> list[tuple[str, int, int]]:
    """Return the best path as runs of one label: (label, first step, step behind the last)."""
    path = trace.best_path
    edges = [0, *(np.flatnonzero(path[1:] != path[:-1]) + 1).tolist(), len(path)]
    return [(trace.classes[path[start]], start, end) for start, end in pairwise(edges)]


def static_lattice(
    trace: LatticeTrace, *, labelling: int = 0, kind: str = "posterior", theme: Theme = LIGHT
) -> Figure:
    """Draw what the network saw, its best path, and below it a map of the lattice with the likeliest path.

    Args:
        trace: the lattice.
        labelling: which, from 0.
        kind: one of `MAPS`.
        theme: colours of the background.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    values = shares(trace, labelling, kind)
    steps, states = values.shape
    heights = [1.2 * (trace.picture is not None), 0.35, float(np.clip(0.18 * states, 2.4, 6))]
    heights = heights if heights[0] else heights[1:]
    with drawing(theme):
        figure = Figure(figsize=(10, sum(heights) + 1.6), layout="constrained")
        *upper, below = figure.subplots(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        if trace.picture is not None:
            upper[0].imshow(
                trace.picture, cmap="gray", vmin=0, vmax=255, aspect="auto", extent=(-0.5, steps - 0.5, 1, 0)
            )
            upper[0].set(yticks=[], xticks=[])
        _draw_best_path(upper[-1], trace, theme)
        below.imshow(values.T, aspect="auto", interpolation="nearest", cmap=WEIGHT_SCALE, vmin=0, vmax=1)
        if steps <= MOVES_UP_TO:
            for step, state, to in moves(trace, labelling):
                below.plot([step, step + 1], [state, to], color="white", lw=0.7)
        for width, colour in ((3.5, "black"), (1.6, "white")):  # seen on any ground
            below.plot(range(steps), trace.alignment[labelling], color=colour, lw=width)
        places = range(states) if states <= _MOST_LABELS else range(1, states, 2 * -(-states // _MOST_LABELS))
        labels = [drawable(token_label(trace.classes[trace.states[labelling, place]])) for place in places]
        below.set_yticks(places, labels, fontsize=9)
        below.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        below.set(xlabel="step", xlim=(-0.5, steps - 0.5), ylabel="state")
        chosen = drawable(token_label(trace.labellings[labelling]))
        below.set_title(f"{kind} of “{chosen}”, {_chance(trace, labelling)}", fontsize=11)
        if trace.title:
            heading(figure, drawable(trace.title), left=0.01)
    return figure


def describe_lattice(trace: LatticeTrace, *, labelling: int = 0, kind: str = "posterior") -> str:
    """Say in words what `static_lattice` shows: the alt text of the picture."""
    title = f"{trace.title}. " if trace.title else ""
    path = " ".join(token_label(label) for label, *_ in runs(trace))
    states = int((trace.states[labelling] >= 0).sum())
    return (
        f"{title}A lattice of {len(trace.probabilities)} steps and {states} states. "
        f"Map: {kind}, {MAPS[kind]}, for “{token_label(trace.labellings[labelling])}”, "
        f"{_chance(trace, labelling)}. Runs of the best path: {path}."
    )


def _chance(trace: LatticeTrace, labelling: int) -> str:
    log = float(trace.log_likelihood[labelling])
    return f"p = {np.exp(log):.3g}" if log > -9 else f"log p = {log:.1f}"


def _draw_best_path(axes: Axes, trace: LatticeTrace, theme: Theme) -> None:
    blank = trace.classes[0]
    for label, start, end in runs(trace):
        if label != blank:
            axes.axvspan(start - 0.5, end - 0.5, color=theme.masked)
            axes.text((start + end - 1) / 2, 0.5, drawable(token_label(label)), ha="center", va="center")
    axes.set(xlim=(-0.5, len(trace.probabilities) - 0.5), ylim=(0, 1), xticks=[], yticks=[])
    axes.set_title("best path (grey: a label; between: the blank)", fontsize=10, fontweight="normal")
