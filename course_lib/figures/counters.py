"""What the units of small networks hold while they read words that take counting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from course_lib.figures.theme import DASHES, LIGHT, OKABE_ITO, Theme, drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (OKABE_ITO[0], OKABE_ITO[5])


def static_counters(
    panels: Mapping[str, tuple[Float[np.ndarray, "time units"], Sequence[tuple[int, float]]]],
    letters: str,
    title: str,
    *,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw all units of each network over one word, and mark those that follow a counter.

    Args:
        panels: network -> (what its units hold, [(unit, correlation with its counter)] of one or two
            counters).
        letters: of the word, each as often as the others.
        title: the answer that the picture gives.
        theme: colours of the background.

    Returns:
        A matplotlib figure.
    """
    from matplotlib.figure import Figure

    with drawing(theme):
        figure = Figure(figsize=(12, 3.6), layout="constrained")
        for axes, (name, (held, best)) in zip(
            figure.subplots(1, len(panels), squeeze=False).flat, panels.items(), strict=True
        ):
            axes.plot(held, color=theme.muted, linewidth=0.9)
            for place, (unit, correlation) in enumerate(best):
                axes.plot(
                    held[:, unit],
                    label=f"unit {unit}\n{correlation:+.2f}",
                    color=COLOURS[place],
                    linestyle=DASHES[place],
                    linewidth=2.4,
                )
            n = len(held) // len(letters)
            _borders(axes, len(held), n, theme)
            axes.set_title(f"{name}: {', then '.join(f'{n} {letter}' for letter in letters)}")
            axes.set(xlabel="symbols read", ylabel="value")
            axes.legend(
                frameon=False,
                loc="upper left",
                bbox_to_anchor=(1, 1),
                title="correlation\nwith a counter",
                fontsize=9,
                title_fontsize=9,
            )
        figure.suptitle(title, fontweight="bold", x=0.01, ha="left")
    return figure


def draw_best_units(axes: Axes, units: Mapping[str, np.ndarray], n: int, theme: Theme = LIGHT) -> None:
    """Draw one unit of each network over n letters a and n letters b, each as a share of its largest value.

    Args:
        axes: to draw on.
        units: network -> what its unit holds, (2n,).
        n: how often each letter is read.
        theme: colours of the background.
    """
    count = np.concatenate([np.arange(1, n + 1), np.arange(n - 1, -1, -1)])
    axes.plot(count / n, color=theme.muted, linewidth=5, alpha=0.4, label="the count itself")
    for place, (name, held) in enumerate(units.items()):
        largest = np.abs(held).max()
        axes.plot(
            held / largest,
            label=f"{name}, largest {largest:.1f}",
            color=COLOURS[place],
            linestyle=DASHES[place],
            linewidth=2,
        )
    _borders(axes, 2 * n, n, theme)
    axes.set(
        xlabel=f"symbols read: {n} a, then {n} b", ylabel="share of the largest value", ylim=(-1.05, 1.8)
    )
    axes.legend(frameon=False, loc="upper left", fontsize=9)


def _borders(axes: Axes, length: int, n: int, theme: Theme) -> None:
    for border in range(n, length, n):
        axes.axvline(border - 0.5, color=theme.ink, linewidth=0.8, linestyle=":")
