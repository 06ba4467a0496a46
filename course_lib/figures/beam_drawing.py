"""How the static picture of a beam search is laid out and drawn; `course_lib.figures.beam` is its front."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from course_lib.figures.theme import OKABE_ITO, Theme, drawable
from course_lib.figures.tokens import token_label
from course_lib.traces import BeamTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Place = tuple[float, float, float]  # left, middle, width
GREEDY = OKABE_ITO[1]
REFERENCE = OKABE_ITO[3]
DASHES: Any = (0, (2, 1.2))  # the second cue beside their colours
DOTS: Any = (0, (0.6, 1))

_MOST_LETTERS = 14
_LETTER, _ROW, _BOX, _GAP = 0.088, 0.34, 0.26, 0.42  # inches


def _text(trace: BeamTrace, node: int) -> str:
    text = drawable(token_label(trace.token[node]))
    text = text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"
    siblings = trace.children(trace.parent[node]) if node else ()
    alike = sum(trace.token[one] == trace.token[node] for one in siblings) > 1
    return f"{text} #{trace.token_id[node]}" if alike else text


def _value(trace: BeamTrace, node: int, score: str) -> str:
    if node == 0:
        return ""
    if score == "probability":
        probability = math.exp(trace.log_prob[node])
        return f"{probability:.2f}" if probability >= 0.005 else f"{probability:.0e}"
    value = trace.total[node] if score == "log" else trace.score[node]
    return f"{value:.2f}".replace("-", "−")


def layout(trace: BeamTrace, shown: list[int], score: str) -> tuple[dict[int, Place], float, float]:
    """Return each node's (left, middle, width) in inches, and the size of the whole."""
    places: dict[int, Place] = {}
    left, rows = 0.15, 1
    visible = set(shown)
    for step in range(max(trace.step[node] for node in shown) + 1):
        column = [int(node) for node in trace.nodes_at(step) if int(node) in visible]
        letters = max(len(_text(trace, node)) + len(_value(trace, node, score)) for node in column)
        width = 0.32 + _LETTER * letters
        for row, node in enumerate(column):
            places[node] = (left, (row + 0.5) * _ROW, width)
        rows = max(rows, len(column))
        left += width + _GAP
    return places, left - _GAP + 0.15, rows * _ROW


def draw_steps(
    axes: Axes, trace: BeamTrace, shown: list[int], places: dict[int, Place], theme: Theme
) -> None:
    """Write the steps over their columns, and draw the cut under what stays."""
    for step in sorted({int(trace.step[node]) for node in shown}):
        column = [node for node in shown if trace.step[node] == step]
        left, _, width = places[column[0]]
        name = f"step {step}" if step else "start"
        axes.text(left + width / 2, -0.13, name, color=theme.muted, fontsize=9, ha="center", va="center")
        stays = [places[node][1] for node in column if trace.status[node] != "pruned"]
        cut = [places[node][1] for node in column if trace.status[node] == "pruned"]
        if stays and cut and max(cut) > max(stays):
            line = max(stays) + _ROW / 2
            axes.plot([left - 0.08, left + width + 0.08], [line, line], color=theme.bad, linewidth=1.2)


def draw_edges(
    axes: Axes,
    trace: BeamTrace,
    places: dict[int, Place],
    finished: bool,
    greedy: bool,
    reference: bool,
    theme: Theme,
) -> None:
    """Draw what leads to each node; over it, a little apart, the greedy path and the reference."""
    best = set(trace.path(trace.best)) if finished else set()
    taken = set(trace.greedy_path()) if greedy else set()
    held = set(trace.reference_path()) if reference else set()
    for node in places:
        if node == 0:
            continue
        if node in best:
            style: dict[str, Any] = {"edgecolor": theme.accent, "linewidth": 3.4, "zorder": 2}
        elif trace.status[node] == "pruned":
            style = {"edgecolor": theme.line, "linewidth": 1, "linestyle": (0, (3, 2))}
        else:
            style = {"edgecolor": theme.muted, "linewidth": 1}
        _edge(axes, trace, node, places, **style)
        if node in taken:
            _edge(axes, trace, node, places, 0.07, edgecolor=GREEDY, linewidth=2, linestyle=DASHES, zorder=3)
        if node in held:
            dots: Any = (0, (0.6, 1))
            _edge(
                axes, trace, node, places, -0.07, edgecolor=REFERENCE, linewidth=2.4, linestyle=dots, zorder=3
            )


def _edge(
    axes: Axes,
    trace: BeamTrace,
    node: int,
    places: dict[int, Place],
    shift: float = 0,
    **style: Any,
) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    left, y, width = places[int(trace.parent[node])]
    start, end, middle = left + width, places[node][0], places[node][1]
    bend = (end - start) / 2
    points = [
        (start, y + shift),
        (start + bend, y + shift),
        (end - bend, middle + shift),
        (end, middle + shift),
    ]
    curve = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    axes.add_patch(PathPatch(curve, facecolor="none", **style))


def draw_node(
    axes: Axes, trace: BeamTrace, node: int, place: Place, score: str, reference: bool, theme: Theme
) -> None:
    """Draw the shape of one node, its token and its number, and the marks beside it."""
    left, y, width = place
    pruned = trace.status[node] == "pruned"
    axes.add_patch(_shape(trace.status[node], left, y - _BOX / 2, width, _BOX, theme))
    ink = theme.muted if pruned else theme.ink
    axes.text(left + 0.11, y, _text(trace, node), color=ink, fontsize=10, va="center_baseline", zorder=5)
    value = _value(trace, node, score)
    axes.text(
        left + width - 0.1,
        y,
        value,
        color=theme.muted,
        fontsize=9,
        ha="right",
        va="center_baseline",
        zorder=5,
    )
    if node in trace.overtaken():
        axes.plot(left - 0.09, y - 0.03, marker="v", markersize=7, color=theme.bad, zorder=5)
    if reference and pruned and node == trace.reference_path()[-1]:
        axes.plot(left - 0.09, y, marker="D", markersize=6, color=REFERENCE, zorder=5)


def _shape(status: str, left: float, top: float, width: float, height: float, theme: Theme) -> Any:
    from matplotlib.patches import FancyBboxPatch, Polygon, Rectangle

    style: dict[str, Any] = {"facecolor": theme.panel, "edgecolor": theme.ink, "linewidth": 1.1, "zorder": 4}
    if status == "kept":
        box = f"round,pad=0,rounding_size={height / 2.6}"
        return FancyBboxPatch((left, top), width, height, boxstyle=box, **style)
    if status == "pruned":
        style.update(facecolor=theme.paper, edgecolor=theme.muted, linestyle=(0, (3, 2)))
        return Rectangle((left, top), width, height, **style)
    tip, middle = height / 3, top + height / 2
    right, bottom = left + width, top + height
    corners = [(left, top), (right - tip, top), (right, middle), (right - tip, bottom), (left, bottom)]
    style.update(edgecolor=theme.good, linewidth=2.2)
    return Polygon(corners, **style)


def draw_legend(figure: Figure, trace: BeamTrace, greedy: bool, reference: bool, theme: Theme) -> None:
    """Say what the shapes, dashes and colours mean."""
    from matplotlib.lines import Line2D

    dashed: Any = (0, (3, 2))
    handles: list[Any] = [
        Line2D([], [], color=theme.ink, marker="o", markersize=8, mfc=theme.panel, ls="none", label="kept"),
        Line2D([], [], color=theme.muted, linestyle=dashed, label="pruned"),
        Line2D(
            [], [], color=theme.good, marker=">", markersize=8, mfc=theme.panel, ls="none", label="finished"
        ),
        Line2D([], [], color=theme.accent, linewidth=3.4, label="best path"),
        Line2D([], [], color=theme.bad, linewidth=1.2, label="cut"),
    ]
    if greedy:
        handles.append(
            Line2D([], [], color=GREEDY, linewidth=2, linestyle=(0, (2, 1.2)), label="greedy path")
        )
    if reference:
        handles.append(Line2D([], [], color=REFERENCE, linewidth=2.4, linestyle=DOTS, label="reference"))
    if reference and trace.status[trace.reference_path()[-1]] == "pruned":
        fell = "reference falls out"
        handles.append(Line2D([], [], color=REFERENCE, marker="D", markersize=6, ls="none", label=fell))
    if trace.overtaken():
        mark = Line2D(
            [], [], color=theme.bad, marker="v", markersize=7, ls="none", label="led, then overtaken"
        )
        handles.append(mark)
    figure.legend(handles=handles, loc="lower left", ncols=4, frameon=False, fontsize=9, columnspacing=1.2)
