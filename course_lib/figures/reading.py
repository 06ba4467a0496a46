"""A sentence as it is read: each line one word further, the words looked back at shaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from course_lib.figures.theme import LIGHT, Theme, drawable, drawing
from course_lib.figures.tokens import token_label
from course_lib.traces import AttentionTrace

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def static_reading(trace: AttentionTrace, *, layer: int = 0, head: int = 0, theme: Theme = LIGHT) -> Figure:
    """Draw what is read so far, line by line, in the manner of Cheng et al. 2016, figure 1.

    The last word of a line is the one being read (underlined). The darker a box, the more weight the word
    has; the heaviest one of a line has a frame.

    Args:
        trace: a self-attention that looks back; rows and columns are the same words.
        layer: which layer, from 0.
        head: which head, from 0.
        theme: colours of the background.

    Returns:
        A matplotlib figure.

    Raises:
        ValueError: rows and columns are not the same words, or a row looks ahead.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    if trace.queries != trace.keys:
        raise ValueError(
            f"trace.queries must be trace.keys, got {len(trace.queries)} and {len(trace.keys)} tokens"
        )
    weights = trace.weights[layer, head]
    if np.triu(weights, 1).any():
        raise ValueError("trace must look back only, got weight on a word that is not read yet")
    labels = [drawable(token_label(key)) for key in trace.keys]
    widths = np.array([0.34 + 0.11 * len(label) for label in labels])
    left = np.cumsum(widths) - widths
    with drawing(theme):
        figure = Figure(figsize=(widths.sum() + 0.2, 0.42 * len(labels) + 0.5), layout="constrained")
        axes = figure.subplots()
        axes.set(xlim=(0, widths.sum()), ylim=(len(labels), 0), title=drawable(trace.title))
        axes.axis("off")
        for row, line in enumerate(weights):
            for column, weight in enumerate(line[: row + 1]):
                if weight > 0:
                    box = (left[column] + 0.03, row + 0.08), widths[column] - 0.06, 0.84
                    axes.add_patch(Rectangle(*box, facecolor=theme.accent, alpha=float(weight), linewidth=0))
                if weight > 0 and column == line.argmax():
                    axes.add_patch(Rectangle(*box, fill=False, edgecolor=theme.ink, linewidth=1.4))
                axes.text(
                    left[column] + widths[column] / 2,
                    row + 0.52,
                    labels[column],
                    ha="center",
                    va="center",
                    color=theme.bad if column == row else theme.paper if weight > 0.55 else theme.ink,
                    fontweight="bold" if column == row else "normal",
                )
            underline = [left[row] + 0.12, left[row] + widths[row] - 0.12]
            axes.plot(underline, [row + 0.9] * 2, color=theme.bad, linewidth=2)
    return figure
