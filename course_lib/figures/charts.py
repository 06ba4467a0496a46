"""Charts without controls: live plotly in a notebook, a picture with alt text everywhere else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal

import plotly.graph_objects as go

from course_lib.figures.display import display_mode, show
from course_lib.figures.picture import Picture
from course_lib.figures.theme import DASHES, LIGHT, MARKERS, OKABE_ITO, drawing
from course_lib.traces.base import whole_characters

PLOTLY_DASHES = ("solid", "dash", "dashdot", "dot", "longdash", "longdashdot", "5px,2px", "8px,3px")
PLOTLY_MARKERS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "star")
HATCHES = ("", "//", "..", "xx", "--", "oo", "++", "**")
PLOTLY_HATCHES = ("", "/", ".", "x", "-", "|", "+", "\\")
LOWEST_SEEN = 0.01  # of the highest bar; on one lower, its number is written

Values = Sequence[float]


@dataclass(frozen=True)
class Chart:
    """One or more series over one axis.

    Args:
        kind: "line", or "bar" (series side by side).
        series: name -> one value for each of `x`.
        x: positions on the horizontal axis; text for categories.
        title: the answer that the chart gives; plain text.
        x_title, y_title: axis names with units; plain text.
        alt: what a sighted reader takes away.
        errors: name -> half the length of the error bar at each value; 0 for none.
        log: axes with a logarithmic scale.

    Raises:
        ValueError: there is no series, there are more than eight, or a series or its errors have another
            length than `x`.
    """

    kind: Literal["line", "bar"]
    series: Mapping[str, Values]
    x: Sequence[Any]
    title: str
    x_title: str
    y_title: str
    alt: str
    errors: Mapping[str, Values] = field(default_factory=dict)
    log: Literal["", "y", "xy"] = ""

    def __post_init__(self) -> None:
        for text in ("title", "x_title", "y_title", "alt"):
            object.__setattr__(self, text, whole_characters(getattr(self, text)))
        if not 1 <= len(self.series) <= len(OKABE_ITO):
            raise ValueError(f"series has {len(self.series)} entries; allowed are 1 to {len(OKABE_ITO)}")
        for what, all_values in (("series", self.series), ("errors of", self.errors)):
            for name, values in all_values.items():
                if len(values) != len(self.x):
                    raise ValueError(f"{what} {name!r} has {len(values)} values for {len(self.x)} positions")

    def plotly(self) -> go.Figure:
        """Draw it with plotly; plotly reads text as HTML, so every name is escaped."""
        figure = go.Figure()
        for i, (name, values) in enumerate(self.series.items()):
            bars = {"array": [error or None for error in self.errors[name]]} if name in self.errors else None
            if self.kind == "line":
                line = {"color": OKABE_ITO[i], "dash": PLOTLY_DASHES[i]}
                marker = {"symbol": PLOTLY_MARKERS[i], "size": 9}
                figure.add_scatter(
                    x=self.x,
                    y=values,
                    error_y=bars,
                    name=_plain(name),
                    mode="lines+markers",
                    line=line,
                    marker=marker,
                )
            else:
                pattern = {"shape": PLOTLY_HATCHES[i], "fgcolor": LIGHT.ink, "size": 6}
                marker = {"color": OKABE_ITO[i], "pattern": pattern}
                figure.add_bar(
                    y=values,
                    error_y=bars,
                    name=_plain(name),
                    marker=marker,
                    text=self._too_low_to_see(values),
                    textposition="outside",
                )
        if self.kind == "bar":  # places with names: plotly would read the category "10-12" as a date
            figure.update_xaxes(tickvals=list(range(len(self.x))), ticktext=[_plain(str(x)) for x in self.x])
        elif isinstance(self.x[0], str):
            figure.update_xaxes(type="category")
        for axis in self.log:
            decades = {"dtick": self._decades_a_tick(), "exponentformat": "power"}
            ticks = {"tickvals": list(self.x)} if axis == "x" else decades
            figure.update_layout({f"{axis}axis": {"type": "log", **ticks}})
        return figure.update_layout(
            title=_plain(self.title),
            xaxis_title=_plain(self.x_title),
            yaxis_title=_plain(self.y_title),
            yaxis_rangemode="tozero" if self.kind == "bar" else "normal",
            template="plotly_white",
            font_size=15,
            height=420,
            width=780,
            margin={"t": 60, "r": 20, "b": 60, "l": 70},
            showlegend=len(self.series) > 1,
        )

    def _decades_a_tick(self) -> int:
        """Powers of ten between two marks of a logarithmic axis, so that at most ten stand there."""
        positive = [y for values in self.series.values() for y in values if y > 0 and math.isfinite(y)]
        span = math.log10(max(positive) / min(positive)) if positive else 0
        return max(1, math.ceil(span / 10))

    def _too_low_to_see(self, values: Values) -> list[str]:
        """The number of each bar that looks like none beside the highest; "" for the others."""
        highest = max(abs(value) for others in self.series.values() for value in others)
        return [f"{value:.2g}" if abs(value) < LOWEST_SEEN * highest else "" for value in values]

    def picture(self) -> Picture:
        """Draw it with matplotlib."""
        import matplotlib
        from matplotlib.figure import Figure
        from matplotlib.ticker import NullFormatter, StrMethodFormatter

        with drawing():
            figure = Figure(figsize=(7.8, 4.2), layout="constrained")
            axes = figure.subplots()
            places = range(len(self.x)) if self.kind == "bar" else self.x
            width = 0.8 / len(self.series)
            for i, (name, values) in enumerate(self.series.items()):
                if self.kind == "line":
                    shifted = list(places)
                    axes.plot(
                        places, values, label=name, color=OKABE_ITO[i], marker=MARKERS[i], linestyle=DASHES[i]
                    )
                else:
                    shifted = [place + (i - (len(self.series) - 1) / 2) * width for place in places]
                    with matplotlib.rc_context({"hatch.linewidth": 0.6}):
                        bar = axes.bar(
                            shifted, values, width, label=name, color=OKABE_ITO[i], hatch=HATCHES[i]
                        )
                    axes.bar_label(bar, self._too_low_to_see(values), padding=2, fontsize=9)
                if name in self.errors:
                    errors = [error or math.nan for error in self.errors[name]]
                    axes.errorbar(shifted, values, errors, fmt="none", ecolor=LIGHT.ink, capsize=4)
            if self.kind == "bar":
                axes.set_xticks(list(places), [str(x) for x in self.x])
            axes.set(xlabel=self.x_title, ylabel=self.y_title)
            axes.set_title(self.title, loc="left", wrap=True)
            for axis in self.log:
                axes.set(**{f"{axis}scale": "log"})
                drawn = axes.xaxis if axis == "x" else axes.yaxis
                drawn.set_major_formatter(StrMethodFormatter("{x:g}"))
                drawn.set_minor_formatter(NullFormatter())
            if "x" in self.log:
                axes.set_xticks(self.x)
            axes.grid(axis="y")
            axes.set_axisbelow(True)
            if len(self.series) > 1:
                figure.legend(loc="outside lower center", ncols=4, frameon=False)
            return Picture.of(figure, self.alt)

    def _ipython_display_(self, **_: Any) -> None:
        live = {"application/vnd.plotly.v1+json": self.plotly().to_plotly_json(), "text/plain": self.alt}
        mode = display_mode()
        show(None if mode == "live" else self.picture(), live, mode)


def _plain(text: str) -> str:
    return escape(text).replace("$", "&#36;")
