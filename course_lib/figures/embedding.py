"""A t-SNE map as a picture, with what says how far to believe it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from course_lib.figures.theme import LIGHT, MARKERS, OKABE_ITO, Theme, drawable, drawing
from course_lib.figures.tokens import token_label
from course_lib.traces import EmbeddingTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CAUTION = (
    "Near neighbours mean something. Distances between clusters, their sizes and their places mean little: "
    "another seed or perplexity moves them."
)
_MOST_IN_LEGEND = 12


def group_style(place: int, theme: Theme = LIGHT) -> tuple[str, str]:
    """Return the colour and the marker of a class; the pairs repeat only after 64 classes.

    Args:
        place: the class's place in `EmbeddingTrace.group_names`.
        theme: the background: what is black on light paper is white on dark.
    """
    colour = OKABE_ITO[place % len(OKABE_ITO)]
    marker = MARKERS[(place + place // len(OKABE_ITO)) % len(MARKERS)]
    return (theme.ink if colour == "#000000" else colour), marker


def static_embedding(
    trace: EmbeddingTrace, *, frame: int = -1, labelled: int = 60, theme: Theme = LIGHT
) -> Figure:
    """Draw one frame of the map; beside it the divergence of every frame, and the share of neighbours kept.

    Args:
        trace: the run.
        frame: which frame, from 0; -1 is the last.
        labelled: most points whose label is written; one that would cover another is left out.
        theme: the colours.

    Raises:
        ValueError: a frame that does not exist.
    """
    from matplotlib.figure import Figure

    frames = len(trace.frames)
    if not -frames <= frame < frames:
        raise ValueError(f"frame must lie in {-frames} to {frames - 1}, got {frame}")
    frame %= frames
    with drawing(theme):
        figure = Figure(figsize=(9.5, 5.6), layout="constrained")
        plane, curve = figure.subplots(1, 2, width_ratios=(3, 1))
        _draw_plane(plane, trace, frame, labelled, theme)
        _draw_curve(curve, trace, frame, theme)
        if trace.title:
            figure.suptitle(drawable(trace.title), x=0.01, ha="left", fontweight="bold")
        if len(trace.group_names()) == 1:  # else it stands over the legend
            figure.supxlabel(drawable(CAUTION), fontsize=9, x=0.01, ha="left")
    return figure


def describe_embedding(trace: EmbeddingTrace) -> str:
    """Say in words what the map shows: the alt text of the picture."""
    groups = trace.group_names()
    sizes = ", ".join(
        f"{token_label(name)} ({trace.groups.count(name)})" for name in groups[:_MOST_IN_LEGEND]
    )
    sizes += f" and {len(groups) - _MOST_IN_LEGEND} more" if len(groups) > _MOST_IN_LEGEND else ""
    counted = "1 class" if len(groups) == 1 else f"{len(groups)} classes"
    title = f"{trace.title} " if trace.title else ""
    return (
        f"{title}t-SNE map of {len(trace)} points in {counted}: {sizes}. "
        f"Perplexity {trace.perplexity:g}, seed {trace.seed}, {trace.iterations[-1]} steps; the divergence "
        f"goes from {trace.kl[0]:.2f} to {trace.kl[-1]:.2f} nats. {_kept(trace)} {CAUTION}"
    )


def _kept(trace: EmbeddingTrace) -> str:
    nearest = trace.neighbours.shape[1]
    kept = f"{100 * trace.neighbours_kept:.3g}%"
    return f"{kept} of the {nearest} nearest neighbours are still nearest in the map."


def _draw_plane(axes: Axes, trace: EmbeddingTrace, frame: int, labelled: int, theme: Theme) -> None:
    from matplotlib.lines import Line2D

    places, groups = trace.frames[frame], np.array(trace.groups)
    names = trace.group_names()
    size = float(np.clip(90 / np.sqrt(len(trace)), 3, 7))
    handles = []
    for place, name in enumerate(names):
        colour, marker = group_style(place, theme)
        style: dict[str, Any] = {
            "marker": marker,
            "color": colour,
            "mec": theme.ink,
            "mew": 0.4,
            "ls": "none",
        }
        x, y = places[groups == name].T
        axes.plot(x, y, markersize=size, **style)
        handles.append(Line2D([], [], markersize=7, label=drawable(name), **style))
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(True)
    axes.spines[:].set_color(theme.line)
    axes.margins(0.08)
    if len(names) > 1:
        columns = min(6, len(names))
        axes.figure.legend(
            handles=handles[:_MOST_IN_LEGEND],
            loc="outside lower left",
            ncols=columns,
            title=drawable(CAUTION),
            title_fontproperties={"size": 9},
            alignment="left",
            frameon=False,
            fontsize=9,
        )
    _write_labels(axes, trace, places, labelled, theme)


def _write_labels(axes: Axes, trace: EmbeddingTrace, places: np.ndarray, labelled: int, theme: Theme) -> None:
    """Write labels that cover no label written before; the points come in an order spread over the map."""
    from matplotlib.patheffects import withStroke

    inch = float(np.max(np.ptp(places, axis=0) / (5.6, 4.2))) or 1.0  # the map is larger than that
    letter, line = 0.075 * inch, 0.17 * inch
    written: list[tuple[float, float, float]] = []
    for point in np.random.default_rng(0).permutation(len(trace)):
        if len(written) == labelled:
            break
        text = drawable(token_label(trace.labels[point]))[:16]
        (x, y), width = places[point] + (line * 0.35, line * 0.2), letter * len(text)
        if any(abs(y - b) < line and x < a + w and a < x + width for a, b, w in written):
            continue
        written.append((x, y, width))
        halo = [withStroke(linewidth=2, foreground=theme.paper)]
        axes.text(x, y, text, fontsize=8, path_effects=halo)


def _draw_curve(axes: Axes, trace: EmbeddingTrace, frame: int, theme: Theme) -> None:
    axes.plot(trace.iterations, trace.kl, color=theme.accent, linewidth=2)
    axes.plot(trace.iterations[frame], trace.kl[frame], "o", color=theme.bad, markersize=8)
    axes.set(xlabel="gradient steps", ylabel="KL(P‖Q) in nats", ylim=(0, None))
    axes.set_title(f"KL {trace.kl[frame]:.2f} after {trace.iterations[frame]} steps", fontsize=10)
    axes.set_box_aspect(1)
    axes.set_anchor("N")
    text = f"perplexity {trace.perplexity:g}, seed {trace.seed}\n{100 * trace.neighbours_kept:.3g}% of the "
    text += f"{trace.neighbours.shape[1]} nearest\nneighbours kept"
    axes.text(0, -0.42, text, transform=axes.transAxes, va="top", fontsize=10, linespacing=1.5)
