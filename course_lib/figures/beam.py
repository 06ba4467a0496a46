"""The tree of a beam search as a picture: one column a step, best rank on top."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from course_lib.figures.theme import LIGHT, Theme, drawable, drawing
from course_lib.figures.tokens import token_label
from course_lib.traces import BeamTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCORES = {
    "probability": "p(token | prefix)",
    "log": "log p of the prefix",
    "score": "score after the penalty",
}
GREEDY = "#E69F00"

_MOST_LETTERS = 14
_LETTER, _ROW, _BOX, _GAP = 0.088, 0.34, 0.26, 0.42  # inches


def static_beam_tree(
    trace: BeamTrace,
    *,
    step: int | None = None,
    score: str = "log",
    pruned: bool = True,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw the search up to a step. In a column the nodes stand by rank; below the line they are cut off.

    Kept nodes are round, pruned ones dashed, finished ones pointed. The best path (thick) shows once the
    whole search does; the greedy path is dashed.

    Args:
        trace: the search.
        step: the last step shown, from 0; None shows all.
        score: the number in each node: "probability", "log" or "score".
        pruned: whether pruned nodes are shown.
        theme: the colours.

    Raises:
        ValueError: a step or a score that does not exist.
    """
    from matplotlib.figure import Figure

    last = trace.last_step if step is None else step
    if not 0 <= last <= trace.last_step:
        raise ValueError(f"step must lie in 0 to {trace.last_step}, got {step}")
    if score not in SCORES:
        raise ValueError(f"score must be one of {', '.join(SCORES)}, got {score!r}")
    shown = [
        node
        for node in range(len(trace))
        if trace.step[node] <= last and (pruned or trace.status[node] != "pruned")
    ]
    with drawing(theme):
        places, width, height = _layout(trace, shown, score)
        figure = Figure(figsize=(max(width, 6.5), height + 1.6))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, max(width, 6.5)), ylim=(height + 0.65, -0.95))
        axes.axis("off")
        _draw_steps(axes, trace, shown, places, theme)
        _draw_edges(axes, trace, places, last == trace.last_step, theme)
        for node in shown:
            _draw_node(axes, trace, node, places[node], score, theme)
        axes.text(0.15, -0.72, drawable(_title(trace, last)), fontweight="bold", fontsize=12, va="center")
        subtitle = f"beam width {trace.beam_size} · score = {trace.penalty} · in the nodes: {SCORES[score]}"
        axes.text(0.15, -0.45, drawable(subtitle), color=theme.muted, fontsize=10, va="center")
        _draw_legend(figure, trace, theme)
    return figure


def describe_beam_tree(trace: BeamTrace) -> str:
    """Say in words what the tree shows: the alt text of the picture."""
    best = trace.best
    ranks = ", ".join(str(int(trace.rank[node]) + 1) for node in trace.path(best)[1:])
    parts = [
        f"Tree of a beam search of width {trace.beam_size} over {trace.last_step} steps"
        + (f" on “{trace.source}”." if trace.source else "."),
        f"The best hypothesis is “{words(trace, best)}”, "
        + ("finished" if trace.status[best] == "finished" else "cut off by the limit")
        + f", with log p {trace.total[best]:.2f} and score {trace.score[best]:.2f} ({trace.penalty}).",
    ]
    if ranks:
        parts.append(f"Its ranks step by step: {ranks}.")
    greedy = trace.greedy_path()
    if greedy[-1] == best:
        parts.append("Greedy search finds the same.")
    elif trace.status[greedy[-1]] == "pruned":
        parts.append(f"The greedy path “{words(trace, greedy[-1])}” is pruned at step {len(greedy) - 1}.")
    else:
        parts.append(f"The greedy path is “{words(trace, greedy[-1])}”, score {trace.score[greedy[-1]]:.2f}.")
    if overtaken := trace.overtaken():
        led = ", ".join(f"“{words(trace, node)}” at step {trace.step[node]}" for node in overtaken)
        parts.append(f"In the lead but overtaken later: {led}.")
    return " ".join(parts)


def words(trace: BeamTrace, node: int) -> str:
    """Return the tokens from the first to a node's, each as it is shown, with spaces between."""
    return " ".join(token_label(trace.token[step]) for step in trace.path(node)[1:])


def _title(trace: BeamTrace, last: int) -> str:
    if last < trace.last_step:
        return f"After step {last} of {trace.last_step}"
    text = words(trace, trace.best)
    text = text if len(text) <= 60 else text[:59] + "…"
    steps = sorted({int(trace.step[node]) for node in trace.overtaken()})
    name = "step" if len(steps) == 1 else "steps"
    behind = f", though another led at {name} {', '.join(map(str, steps))}" if steps else ""
    return f"“{text}” wins{behind}"


def _text(trace: BeamTrace, node: int) -> str:
    text = drawable(token_label(trace.token[node]))
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"


def _value(trace: BeamTrace, node: int, score: str) -> str:
    if node == 0:
        return ""
    if score == "probability":
        probability = math.exp(trace.log_prob[node])
        return f"{probability:.2f}" if probability >= 0.005 else f"{probability:.0e}"
    value = trace.total[node] if score == "log" else trace.score[node]
    return f"{value:.2f}".replace("-", "−")


def _layout(
    trace: BeamTrace, shown: list[int], score: str
) -> tuple[dict[int, tuple[float, float, float]], float, float]:
    """Return each node's (left, middle, width) in inches, and the size of the whole."""
    places: dict[int, tuple[float, float, float]] = {}
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


def _draw_steps(axes: Axes, trace: BeamTrace, shown: list[int], places: dict[int, Any], theme: Theme) -> None:
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


def _draw_edges(
    axes: Axes, trace: BeamTrace, places: dict[int, tuple[float, float, float]], finished: bool, theme: Theme
) -> None:
    best = set(trace.path(trace.best)) if finished else set()
    greedy = set(trace.greedy_path())
    for node in places:
        if node == 0:
            continue
        cut = trace.status[node] == "pruned"
        if node in best:
            _edge(axes, trace, node, places, edgecolor=theme.accent, linewidth=3.4, zorder=2)
        else:
            style = (0, (3, 2)) if cut else "-"
            _edge(
                axes,
                trace,
                node,
                places,
                edgecolor=theme.line if cut else theme.muted,
                linewidth=1,
                linestyle=style,
            )
        if node in greedy:
            _edge(
                axes,
                trace,
                node,
                places,
                0.07,
                edgecolor=GREEDY,
                linewidth=2,
                linestyle=(0, (2, 1.2)),
                zorder=3,
            )


def _edge(
    axes: Axes,
    trace: BeamTrace,
    node: int,
    places: dict[int, tuple[float, float, float]],
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


def _draw_node(
    axes: Axes, trace: BeamTrace, node: int, place: tuple[float, float, float], score: str, theme: Theme
) -> None:
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


def _draw_legend(figure: Figure, trace: BeamTrace, theme: Theme) -> None:
    from matplotlib.lines import Line2D

    dashed: Any = (0, (3, 2))
    handles: list[Any] = [
        Line2D([], [], color=theme.ink, marker="o", markersize=8, mfc=theme.panel, ls="none", label="kept"),
        Line2D([], [], color=theme.muted, linestyle=dashed, label="pruned"),
        Line2D(
            [], [], color=theme.good, marker=">", markersize=8, mfc=theme.panel, ls="none", label="finished"
        ),
        Line2D([], [], color=theme.accent, linewidth=3.4, label="best path"),
        Line2D([], [], color=GREEDY, linewidth=2, linestyle=(0, (2, 1.2)), label="greedy path"),
        Line2D([], [], color=theme.bad, linewidth=1.2, label="cut"),
    ]
    if trace.overtaken():
        mark = Line2D(
            [], [], color=theme.bad, marker="v", markersize=7, ls="none", label="led, then overtaken"
        )
        handles.append(mark)
    figure.legend(handles=handles, loc="lower left", ncols=4, frameon=False, fontsize=9, columnspacing=1.2)
