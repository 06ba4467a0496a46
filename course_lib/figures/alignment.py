"""Attention beside links drawn by hand, and measured values with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Literal

from course_lib.figures.attention import static_attention
from course_lib.figures.picture import Picture
from course_lib.figures.theme import MARKERS, OKABE_ITO, drawable, drawing, heading
from course_lib.metrics.alignment import Link, strongest_links
from course_lib.seq2seq.alignment import WordAlignment
from course_lib.traces import AttentionTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARK = "#D55E00"  # of Okabe and Ito's colours the one that shows on both ends of the weight scale
_VERDICTS = {True: "✓", False: "✗"}

Span = tuple[float, float, float]  # a value, and the ends of its interval


def alignment_picture(
    alignment: WordAlignment, sure: Set[Link], possible: Set[Link], title: str = ""
) -> Picture:
    """Draw a map of attention with the gold links as frames, and say of each row whether its peak is in one.

    Args:
        alignment: weights of one head, (target, source).
        sure: links (target word, source word), drawn as solid frames.
        possible: links drawn as dashed frames.
        title: the answer that the picture gives.

    Returns:
        the picture; its alt text names for each row the strongest word and whether a link is there.
    """
    peaks = dict(sorted(strongest_links(alignment.weights)))
    verdicts = [_VERDICTS[link in sure | possible] for link in peaks.items()]
    trace = AttentionTrace(alignment.weights[None, None], alignment.target, alignment.source, title=title)
    with drawing():
        figure = static_attention(trace)
        axes = figure.axes[0]
        rows = [
            f"{drawable(word)}  {verdict}" for word, verdict in zip(alignment.target, verdicts, strict=True)
        ]
        axes.set_yticks(range(len(rows)), rows)
        _frame(axes, sure, possible)
        told = "; ".join(
            f"{word} looks most at {alignment.source[peaks[i]]} {verdicts[i]}"
            for i, word in enumerate(alignment.target)
        )
        alt = (
            f"{title} Attention weights; frames are links drawn by hand, ✓ means the peak is in one: {told}."
        )
        return Picture.of(figure, alt.strip())


def _frame(axes: Axes, sure: Set[Link], possible: Set[Link]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

    handles = []
    styles: tuple[tuple[Set[Link], Literal["-", "--"], str], ...] = (
        (sure, "-", "sure link"),
        (possible, "--", "possible link"),
    )
    for links, style, label in styles:
        for target, source in links:
            frame = Rectangle((source - 0.44, target - 0.44), 0.88, 0.88, fill=False, linewidth=2.2)
            frame.set(edgecolor=_MARK, linestyle=style)
            axes.add_patch(frame)
        handles.append(Line2D([], [], color=_MARK, linestyle=style, linewidth=2.2, label=label))
    axes.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=2, frameon=False, fontsize=9
    )


def interval_picture(series: Mapping[str, Mapping[str, Span]], title: str, x_title: str, alt: str) -> Picture:
    """Draw values as dots with their intervals as lines, one row a name, one shape a series.

    Args:
        series: name -> row name -> (value, low, high); rows stand in the order in which they first occur.
        title: the answer that the picture gives.
        x_title: name of the axis, with its unit.
        alt: what a sighted reader takes away.

    Raises:
        ValueError: there is no series, or there are more than eight.
    """
    from matplotlib.figure import Figure

    if not 1 <= len(series) <= len(OKABE_ITO):
        raise ValueError(f"series has {len(series)} entries; allowed are 1 to {len(OKABE_ITO)}")
    rows = list(dict.fromkeys(row for values in series.values() for row in values))
    with drawing():
        figure = Figure(figsize=(7.8, 1.5 + len(rows) * (0.24 + 0.15 * len(series))), layout="constrained")
        axes = figure.subplots()
        for i, (name, values) in enumerate(series.items()):
            shift = (i - (len(series) - 1) / 2) * 0.8 / len(series)
            places = [rows.index(row) + shift for row in values]
            centres = [value for value, _, _ in values.values()]
            arms = [
                [value - low for value, low, _ in values.values()],
                [high - value for value, _, high in values.values()],
            ]
            axes.errorbar(
                centres, places, xerr=arms, label=name, fmt=MARKERS[i], color=OKABE_ITO[i], capsize=3
            )
        _style_rows(axes, rows)
        axes.set(xlabel=x_title)
        heading(figure, title)
        if len(series) > 1:
            figure.legend(loc="outside lower center", ncols=4, frameon=False)
        return Picture.of(figure, alt)


def _style_rows(axes: Axes, rows: Sequence[str]) -> None:
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks([row + 0.5 for row in range(len(rows) - 1)], minor=True)
    axes.tick_params(which="both", axis="y", length=0)
    axes.grid(axis="x")
    axes.grid(axis="y", which="minor")
    axes.set_axisbelow(True)
