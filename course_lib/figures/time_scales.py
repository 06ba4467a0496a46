"""Pictures of time: what moves what, through which taps, on which clock, and what a film shows next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from course_lib.figures.theme import LIGHT, OKABE_ITO, WEIGHT_SCALE, Theme, drawing, heading

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def static_influence(influence: np.ndarray, title: str, *, theme: Theme = LIGHT) -> Figure:
    """Draw how strongly each input moves each output; what is exactly zero is hatched.

    Args:
        influence: (outputs, inputs) 0 or more, not all 0.
        title: the answer that the picture gives.
        theme: colours of the background.

    Returns:
        A matplotlib figure.

    Raises:
        ValueError: the influence is not a matrix, is negative somewhere, or zero everywhere.
    """
    from matplotlib.colors import ListedColormap, LogNorm
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    if influence.ndim != 2 or not (influence >= 0).all() or not influence.any():
        raise ValueError(f"influence must be a matrix of numbers from 0, not all 0; got {influence.shape}")
    zero = influence == 0
    shown = np.ma.masked_where(zero, influence)
    least = max(shown.min(), shown.max() * 1e-6)
    with drawing(theme):
        figure = Figure(figsize=(6.4, 5.2), layout="constrained")
        axes = figure.subplots()
        edges = [np.arange(count + 1) + 0.5 for count in influence.shape[::-1]]  # steps count from 1
        grey = ListedColormap([theme.masked])
        axes.pcolor(
            *edges, np.ma.masked_where(~zero, influence), cmap=grey, hatch="///", edgecolor=theme.line
        )
        drawn = axes.pcolormesh(*edges, shown, cmap=WEIGHT_SCALE, norm=LogNorm(least, shown.max()))
        axes.invert_yaxis()
        axes.set(xlabel="input at step", ylabel="output at step", title=title)
        figure.colorbar(drawn, label="size of the gradient")
        figure.legend(
            handles=[Patch(facecolor=theme.masked, hatch="///", edgecolor=theme.line, label="exactly zero")],
            loc="outside lower center",
            frameon=False,
        )
    return figure


def static_taps(dilations: list[int], kernel_size: int, title: str, *, theme: Theme = LIGHT) -> Figure:
    """Draw which inputs reach the last output through causal convolutions, one row a convolution.

    Args:
        dilations: of each convolution, from the input up.
        kernel_size: taps of each.
        title: the answer that the picture gives.
        theme: colours of the background.

    Returns:
        A matplotlib figure.
    """
    from matplotlib.figure import Figure

    steps = 1 + (kernel_size - 1) * sum(dilations)
    with drawing(theme):
        figure = Figure(figsize=(8.4, 0.62 * len(dilations) + 1.6), layout="constrained")
        axes = figure.subplots()
        reached = {steps}
        for row in range(len(dilations), -1, -1):
            places = np.arange(1, steps + 1)
            axes.scatter(places, np.full(steps, row), s=22, facecolor=theme.paper, edgecolor=theme.muted)
            axes.scatter(sorted(reached), [row] * len(reached), s=34, color=OKABE_ITO[0], zorder=3)
            if row:
                below = {(t, t - tap * dilations[row - 1]) for t in reached for tap in range(kernel_size)}
                for top, bottom in below:
                    axes.plot([bottom, top], [row - 1, row], color=OKABE_ITO[0], linewidth=1)
                reached = {bottom for _, bottom in below}
        names = ["input", *(f"dilation {dilation}" for dilation in dilations)]
        axes.set_yticks(range(len(names)), names)
        axes.set(xlabel="step", title=title)
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    return figure


def static_turns(moved: np.ndarray, title: str, *, theme: Theme = LIGHT) -> Figure:
    """Draw at which steps each group of a clockwork network moves.

    Args:
        moved: (groups, steps) bool.
        title: the answer that the picture gives.
        theme: colours of the background.

    Returns:
        A matplotlib figure.
    """
    from matplotlib.figure import Figure

    with drawing(theme):
        figure = Figure(figsize=(8.4, 0.4 * len(moved) + 1.4), layout="constrained")
        axes = figure.subplots()
        for group, steps in enumerate(moved):
            axes.plot(
                np.flatnonzero(steps), np.full(steps.sum(), group), "s", color=OKABE_ITO[0], markersize=7
            )
        axes.set_yticks(range(len(moved)), [f"group {g}" for g in range(len(moved))])
        axes.set(xlabel="step", title=title, ylim=(-0.6, len(moved) - 0.4), xlim=(-0.7, moved.shape[1] - 0.3))
        axes.grid(axis="y")
        axes.set_axisbelow(True)
    return figure


def static_films(films: Mapping[str, np.ndarray], first: int, title: str, *, theme: Theme = LIGHT) -> Figure:
    """Draw films as strips, one above the other.

    Args:
        films: name -> (frames, height, width), 0 is paper and 1 is ink.
        first: number of the first frame, for the names of the columns.
        title: the answer that the picture gives.
        theme: colours of the background.

    Returns:
        A matplotlib figure.

    Raises:
        ValueError: there are no films, or they differ in length.
    """
    from matplotlib.figure import Figure

    lengths = {len(film) for film in films.values()}
    if len(lengths) != 1:
        raise ValueError(
            f"films have {sorted(lengths)} frames; allowed is one length for all, of 1 film or more"
        )
    (columns,) = lengths
    with drawing(theme):
        figure = Figure(figsize=(1.12 * columns + 1.4, 1.2 * len(films) + 0.6), layout="constrained")
        grid = figure.subplots(len(films), columns, squeeze=False)
        heading(figure, title)
        for row, (name, film) in enumerate(films.items()):
            for column, (axes, frame) in enumerate(zip(grid[row], film, strict=True)):
                axes.imshow(frame, cmap="gray_r", vmin=0, vmax=1)
                axes.set(xticks=[], yticks=[])
                for spine in axes.spines.values():
                    spine.set_visible(True)
                if row == 0:
                    axes.set_title(f"frame {first + column}", fontweight="normal", fontsize=9, loc="center")
            grid[row, 0].set_ylabel(name, rotation=0, ha="right", va="center")
    return figure
