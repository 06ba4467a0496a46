"""The picture of a gated layer's run: a pure function of a `GateTrace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from course_lib.figures.theme import (
    LIGHT,
    WEIGHT_SCALE,
    Theme,
    difference_colours,
    drawable,
    drawing,
    heading,
)
from course_lib.figures.tokens import token_label
from course_lib.traces.gates import GateTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_CHARACTERS = 64  # more than these in one picture cannot be read
_SMALL = 30  # characters from which on their labels are small
_LONGEST_LABEL = 10
_TITLE, _GAP, _MAP = 0.75, 0.5, 2.6  # inches over the strips, under them, and of the map


def static_gates(
    trace: GateTrace,
    *,
    unit: int = 0,
    quantity: str | None = None,
    time: int = 0,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw one unit with all it computes, and below it one quantity of all units.

    A bar is as long as its value: a gate's from the bottom, what can be negative up or down from the middle.

    Args:
        trace: the run.
        unit: whose quantities are drawn above, from 0; it is marked below.
        quantity: what is drawn below; None is the trace's first.
        time: a character that is drawn in any case: of a text longer than 64, the 64 around it are drawn.
        theme: colours of the background.

    Raises:
        ValueError: a unit, quantity or time that does not exist.
    """
    from matplotlib.figure import Figure

    quantity = _check(trace, unit, quantity, time)
    window = window_around(len(trace), time)
    labels = [_label(text) for text in trace.characters[window]]
    count, rows = len(labels), len(trace.quantities)
    width, strips = min(11.0, max(4.0, 0.3 * count)), 0.68 * rows
    tall = _TITLE + strips + _GAP + _MAP
    with drawing(theme):
        figure = Figure(figsize=(width, tall))  # grows when it is saved, to hold what stands at its sides
        sides = {"left": 0, "right": 1, "top": 1 - _TITLE / tall, "bottom": (_MAP + _GAP) / tall}
        top = figure.add_gridspec(rows, 1, hspace=0.4, **sides)
        axes = [figure.add_subplot(top[row, 0]) for row in range(rows)]
        below = figure.add_axes((0, 0, 1, _MAP / tall))
        for axis, name in zip(axes, trace.quantities, strict=True):
            _draw_bars(axis, trace, name, unit, window, theme)
        axes[0].set_title(f"Unit {unit} at each character", pad=8)
        _draw_map(figure, below, trace, quantity, unit, window, theme)
        below.set_xticks(range(count), labels, fontsize=11 if count <= _SMALL else 9)
        for text in below.get_xticklabels():
            if len(text.get_text()) > 1:
                text.set(rotation=60, ha="right", rotation_mode="anchor")
        part = "" if count == len(trace) else f"characters {window.start + 1}–{window.stop} of {len(trace)}"
        title = " · ".join(filter(None, (drawable(trace.title), part)))
        if title:
            heading(figure, title, left=0)
    return figure


def describe_gates(trace: GateTrace, *, unit: int = 0, quantity: str | None = None) -> str:
    """Say in words what `static_gates` shows: the alt text of the picture.

    Raises:
        ValueError: a unit or quantity that does not exist.
    """
    quantity = _check(trace, unit, quantity, 0)
    told = "; ".join(f"{name} {_extremes(trace, name, unit)}" for name in trace.quantities)
    means = trace.of(quantity).mean(axis=1)
    low, high = np.nanmin(means, initial=np.inf), np.nanmax(means, initial=-np.inf)
    spread = f"whose mean goes from {_written(low)} to {_written(high)}" if low <= high else "without numbers"
    title = f"{trace.title} " if trace.title else ""
    return (
        f"{title}{', '.join(trace.quantities)} at each of {len(trace)} characters. "
        f"Unit {unit} of {trace.values.shape[-1]}: {told}. Below it {quantity} of all units, {spread}."
    )


def window_around(length: int, time: int) -> slice:
    """Return the characters that are drawn: all, or of a long text the 64 around `time`."""
    start = min(max(0, time - _MOST_CHARACTERS // 2), max(0, length - _MOST_CHARACTERS))
    return slice(start, min(length, start + _MOST_CHARACTERS))


def _check(trace: GateTrace, unit: int, quantity: str | None, time: int) -> str:
    for name, value, size in (("unit", unit, trace.values.shape[-1]), ("time", time, len(trace))):
        if not 0 <= value < size:
            raise ValueError(f"{name} must lie in 0 to {size - 1}, got {value}")
    quantity = trace.quantities[0] if quantity is None else quantity
    trace.of(quantity)  # raises where there is none
    return quantity


def _label(text: str) -> str:
    label = drawable(token_label(text))
    return label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…"


def _written(value: float | np.floating) -> str:
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")


def _extremes(trace: GateTrace, name: str, unit: int) -> str:
    values = trace.of(name)[:, unit]
    if np.isnan(values).all():
        return "has no numbers (NaN)"
    low, high = int(np.nanargmin(values)), int(np.nanargmax(values))
    if low == high:
        return f"stays at {_written(values[low])}"
    places = [f"{_written(values[i])} at “{token_label(trace.characters[i])}” ({i + 1})" for i in (low, high)]
    return f"from {places[0]} to {places[1]}"


def _draw_bars(axis: Axes, trace: GateTrace, name: str, unit: int, window: slice, theme: Theme) -> None:
    values = trace.of(name)[window, unit]
    reach, signed = trace.reach(name), trace.is_signed(name)
    # The scale of a cell is that of this unit: others may count far higher.
    if name == "cell":
        reach = float(np.nanmax(np.abs(trace.of(name)[:, unit]), initial=1.0))
    places, missing = np.arange(len(values)), np.isnan(values)
    colours = [theme.bad if value < 0 else theme.good if signed else theme.accent for value in values]
    axis.bar(places, np.nan_to_num(values), width=0.8, color=colours)
    axis.axhline(0, color=theme.muted, linewidth=0.8)
    low = -reach if signed else 0.0
    axis.plot(places[missing], np.full(missing.sum(), (low + reach) / 2), "x", color=theme.bad)
    axis.set(xlim=(-0.5, len(values) - 0.5), ylim=(low, reach), xticks=[])
    axis.set_yticks([low, reach], [_short(low), _short(reach)], fontsize=8)
    axis.spines["bottom"].set_visible(False)
    axis.annotate(
        name, (0, 0.5), (-36, 0), "axes fraction", textcoords="offset points", ha="right", va="center"
    )


def _short(value: float) -> str:
    return f"{value:.3g}".replace("-", "\N{MINUS SIGN}")


def _draw_map(
    figure: Figure, axis: Axes, trace: GateTrace, quantity: str, unit: int, window: slice, theme: Theme
) -> None:
    from matplotlib import colormaps

    signed, reach = trace.is_signed(quantity), trace.reach(quantity)
    colours = difference_colours() if signed else colormaps[WEIGHT_SCALE]
    shown = np.ma.masked_invalid(trace.of(quantity)[window].T)
    image = axis.imshow(
        shown,
        cmap=colours.with_extremes(bad=theme.bad),
        vmin=-reach if signed else 0,
        vmax=reach,
        aspect="auto",
        interpolation="nearest",
    )
    axis.set_yticks([unit], [f"unit {unit} ▸"])
    axis.tick_params(axis="y", length=0)
    axis.set_title(f"{quantity} of all {len(shown)} units", fontsize=11)
    scale = axis.inset_axes((1.02, 0, 0.15 / figure.get_figwidth(), 1))
    bar = figure.colorbar(image, cax=scale)
    bar.ax.tick_params(labelsize=8)
