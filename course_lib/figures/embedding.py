"""A t-SNE map as a picture, with what says how far to believe it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from course_lib.figures.theme import LIGHT, MARKERS, OKABE_ITO, Theme, drawable, drawing, heading
from course_lib.figures.tokens import token_label
from course_lib.traces import EmbeddingTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CAUTION = (
    "Near neighbours mean something. Distances between clusters, their sizes and their places mean little: "
    "another seed or perplexity moves them."
)
OTHER_TITLES = {
    "data": "Same points",
    "noise": "Random noise",
    "permuted": "Shuffled features",
}
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
    trace: EmbeddingTrace,
    *,
    frame: int = -1,
    first: Sequence[int] = (),
    labelled: int = 60,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw one frame of the map; beside it the divergence of every frame, and how many neighbours are kept.

    Below stand the other runs of the trace, and its random twin, where it has them.

    Args:
        trace: the run.
        frame: which frame, from 0; -1 is the last.
        first: points whose label is always written; room for other labels is what they leave.
        labelled: most points whose label is written, or whose picture is drawn where the trace has pictures;
            one that would cover another is left out.
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
        others = 0 if trace.others is None else len(trace.others)
        figure = Figure(figsize=(9.5, 8.2 if others else 5.6), layout="constrained")
        grid = figure.add_gridspec(2 if others else 1, 1, height_ratios=(2.3, 1)[: 2 if others else 1])
        above = grid[0].subgridspec(1, 2, width_ratios=(3, 1))
        plane, curve = figure.add_subplot(above[0]), figure.add_subplot(above[1])
        _draw_plane(plane, trace, frame, first, labelled, theme)
        _draw_curve(curve, trace, frame, theme)
        if others:
            below = grid[1].subgridspec(1, others)
            for other in range(others):
                _draw_other(figure.add_subplot(below[other]), trace, other, theme)
        if trace.title:
            heading(figure, drawable(trace.title))
        if len(trace.group_names()) == 1:  # else it stands over the legend
            figure.supxlabel(drawable(CAUTION), fontsize=9, x=0.01, ha="left")
    return figure


def describe_embedding(trace: EmbeddingTrace) -> str:
    """Say in words what the map shows: the alt text of the picture."""
    groups = trace.group_names()
    sizes = ", ".join(f"{name or '∅'} ({trace.groups.count(name)})" for name in groups[:_MOST_IN_LEGEND])
    sizes += f" and {len(groups) - _MOST_IN_LEGEND} more" if len(groups) > _MOST_IN_LEGEND else ""
    counted = "1 class" if len(groups) == 1 else f"{len(groups)} classes"
    title = f"{trace.title} " if trace.title else ""
    return (
        f"{title}t-SNE map of {len(trace)} points in {counted}: {sizes}. "
        f"Perplexity {trace.perplexity:.4g}, seed {trace.seed}, {trace.iterations[-1]} steps; the divergence "
        f"goes from {trace.kl[0]:.2f} to {trace.kl[-1]:.2f} nats. {_kept(trace)} {CAUTION}"
    )


def _kept(trace: EmbeddingTrace) -> str:
    nearest = trace.neighbours.shape[1]
    told = (
        f"{_percent(trace.neighbours_kept)} of the {nearest} nearest neighbours are still nearest in the map."
    )
    if trace.trustworthiness is not None:
        told += f" Trustworthiness {trace.trustworthiness:.2f}."
    return told + "".join(
        f" {other_title(trace, other)}: {_percent(kept)} kept."
        for other, kept in enumerate(_other_kept(trace))
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _other_kept(trace: EmbeddingTrace) -> list[float]:
    return [] if trace.other_kept is None else trace.other_kept.tolist()


def other_title(trace: EmbeddingTrace, other: int) -> str:
    """Say what a run beside the map's own was made of.

    Args:
        trace: a trace with other runs.
        other: which, from 0.
    """
    assert trace.other_kinds is not None and trace.other_perplexities is not None  # all is told or nothing
    return f"{OTHER_TITLES[trace.other_kinds[other]]}, perplexity {trace.other_perplexities[other]:.3g}"


def _draw_plane(
    axes: Axes, trace: EmbeddingTrace, frame: int, first: Sequence[int], labelled: int, theme: Theme
) -> None:
    from matplotlib.lines import Line2D

    places = trace.frames[frame]
    names = trace.group_names()
    size = float(np.clip(90 / np.sqrt(len(trace)), 3, 7))
    _draw_classes(axes, trace, places, size, theme)
    handles = [
        Line2D([], [], markersize=7, label=drawable(name), **_style(place, theme))
        for place, name in enumerate(names)
    ]
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
    if trace.pictures is None:
        _write_labels(axes, trace, places, first, labelled, theme)
    else:
        _draw_pictures(axes, trace, places, labelled, theme)


def _style(place: int, theme: Theme) -> dict[str, Any]:
    colour, marker = group_style(place, theme)
    return {"marker": marker, "color": colour, "mec": theme.ink, "mew": 0.4, "ls": "none"}


def _draw_classes(axes: Axes, trace: EmbeddingTrace, places: np.ndarray, size: float, theme: Theme) -> None:
    groups = np.array(trace.groups)
    for place, name in enumerate(trace.group_names()):
        axes.plot(*places[groups == name].T, markersize=size, **_style(place, theme))
    _frame(axes, theme)


def _frame(axes: Axes, theme: Theme) -> None:
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(True)
    axes.spines[:].set_color(theme.line)


def _draw_other(axes: Axes, trace: EmbeddingTrace, other: int, theme: Theme) -> None:
    """Draw another run small: the same points in their classes' colours, a twin's in one colour."""
    assert trace.others is not None and trace.other_kinds is not None  # all is told or nothing
    places = trace.others[other]
    size = float(np.clip(40 / np.sqrt(len(trace)), 1.5, 4))
    if trace.other_kinds[other] == "data":
        _draw_classes(axes, trace, places, size, theme)
    else:
        axes.plot(*places.T, "o", markersize=size, color=theme.muted)
        _frame(axes, theme)
    axes.set_title(other_title(trace, other).replace(", ", "\n"), fontsize=10)
    axes.set_xlabel(f"{_percent(_other_kept(trace)[other])} kept", fontsize=9)


def _draw_pictures(
    axes: Axes, trace: EmbeddingTrace, places: np.ndarray, labelled: int, theme: Theme
) -> None:
    """Draw thumbnails that cover none drawn before, framed in the colour of their class."""
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    assert trace.pictures is not None  # the caller looks
    side = 0.055 * float(np.max(np.ptp(places, axis=0))) or 1.0
    names = trace.group_names()
    drawn: list[np.ndarray] = []
    for point in np.random.default_rng(0).permutation(len(trace)):
        if len(drawn) == labelled:
            break
        place = places[point]
        if any((np.abs(place - other) < side).all() for other in drawn):
            continue
        drawn.append(place)
        image = OffsetImage(trace.pictures[point], cmap="gray_r", zoom=15 / max(trace.pictures.shape[1:]))
        edge = group_style(names.index(trace.groups[point]), theme)[0]
        frame = {"edgecolor": edge, "linewidth": 1.5, "facecolor": "white"}
        axes.add_artist(AnnotationBbox(image, tuple(place), pad=0.08, bboxprops=frame))


def _write_labels(
    axes: Axes,
    trace: EmbeddingTrace,
    places: np.ndarray,
    first: Sequence[int],
    labelled: int,
    theme: Theme,
) -> None:
    """Write the first points' labels, then those that cover none before, in an order spread over the map."""
    from matplotlib.patheffects import withStroke

    inch = float(np.max(np.ptp(places, axis=0) / (5.6, 4.2))) or 1.0  # the map is larger than that
    letter, line = 0.075 * inch, 0.17 * inch
    written: list[tuple[float, float, float]] = []
    spread = np.random.default_rng(0).permutation(len(trace)).tolist()
    for point in dict.fromkeys([*first, *spread]):
        wanted = point in first
        if len(written) >= labelled and not wanted:
            break
        text = drawable(token_label(trace.labels[point]))[:16]
        (x, y), width = places[point] + (line * 0.35, line * 0.2), letter * len(text)
        covers = any(abs(y - b) < line and x < a + w and a < x + width for a, b, w in written)
        if covers and not wanted:
            continue
        written.append((x, y, width))
        halo = [withStroke(linewidth=2, foreground=theme.paper)]
        weight = "bold" if wanted else "normal"
        axes.text(x, y, text, fontsize=8, fontweight=weight, path_effects=halo)


def _draw_curve(axes: Axes, trace: EmbeddingTrace, frame: int, theme: Theme) -> None:
    axes.plot(trace.iterations, trace.kl, color=theme.accent, linewidth=2)
    axes.plot(trace.iterations[frame], trace.kl[frame], "o", color=theme.bad, markersize=8)
    axes.set(xlabel="gradient steps", ylabel="KL(P‖Q) in nats", ylim=(0, None))
    axes.set_title(f"KL {trace.kl[frame]:.2f} after {trace.iterations[frame]} steps", fontsize=10)
    axes.set_box_aspect(1)
    axes.set_anchor("N")
    text = f"perplexity {trace.perplexity:.4g}, seed {trace.seed}\n{_percent(trace.neighbours_kept)} of the "
    text += f"{trace.neighbours.shape[1]} nearest\nneighbours kept"
    if trace.trustworthiness is not None:
        text += f"\ntrustworthiness {trace.trustworthiness:.2f}"
    axes.text(0, -0.42, text, transform=axes.transAxes, va="top", fontsize=10, linespacing=1.5)
