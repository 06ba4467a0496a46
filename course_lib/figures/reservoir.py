"""The picture of a reservoir at work: a pure function of a `ReservoirTrace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from course_lib.figures.theme import (
    DASHES,
    LIGHT,
    OKABE_ITO,
    WEIGHT_SCALE,
    Theme,
    difference_colours,
    drawable,
    drawing,
    heading,
)
from course_lib.traces.reservoir import ReservoirTrace, Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDE = 10.0  # inches
_STRIP, _MAP, _GAP, _TITLE = 1.05, 2.9, 0.5, 0.65
_MOST_LINES = len(OKABE_ITO)


def static_reservoir(
    trace: ReservoirTrace,
    *,
    unit: int | None = None,
    time: int | None = None,
    span: int | None = None,
    scale: Scale = "fixed",
    theme: Theme = LIGHT,
) -> Figure:
    """Draw what a reservoir hears and says, all its shown units over time, and one of them as a line.

    Args:
        trace: the run.
        unit: the number of the unit drawn below; None is the first shown.
        time: a step, from 0, that is marked; None marks none.
        span: how many steps are drawn, around `time`; None draws all.
        scale: what the colours mean, as `ReservoirTrace.colours` says.
        theme: colours of the background.

    Raises:
        ValueError: a unit, time, span or scale that does not exist.
    """
    from matplotlib.figure import Figure

    place = trace.place_of(unit)
    window = window_around(trace, time, span)
    trace.colours(scale)  # raises where there is none
    strips = 1 + (trace.outputs is not None or trace.targets is not None)
    heights = [_STRIP] * strips + [_MAP, _STRIP]
    with drawing(theme):
        tall = sum(heights) + _GAP * len(heights) + _TITLE
        figure = Figure(figsize=(_WIDE, tall))  # grows when it is saved, to hold what stands at its sides
        grid = {"hspace": _GAP * len(heights) / sum(heights), "left": 0, "right": 1, "bottom": 0}
        axes = figure.subplots(
            len(heights), sharex=True, height_ratios=heights, gridspec_kw={**grid, "top": 1 - _TITLE / tall}
        )
        _draw_inputs(axes[0], trace, window)
        if strips == 2:
            _draw_outputs(axes[1], trace, window, theme)
        _draw_map(figure, axes[-2], trace, place, window, scale, theme)
        _draw_unit(axes[-1], trace, place, window, theme)
        for axis in axes:
            if time is not None:
                axis.axvline(trace.first_step + time, color=theme.ink, linewidth=1.2)
            if trace.free_from is not None and window.start < trace.free_from < window.stop:
                axis.axvline(trace.first_step + trace.free_from, color=theme.bad, linestyle="--")
        axes[0].set_xlim(trace.first_step + window.start - 0.5, trace.first_step + window.stop - 0.5)
        axes[-1].set_xlabel(
            "step (dashed line: from here on it hears itself)" if _is_free(trace, window) else "step"
        )
        if trace.title:
            heading(figure, one_line(trace.title), left=0)
    return figure


def describe_reservoir(trace: ReservoirTrace, *, unit: int | None = None) -> str:
    """Say in words what `static_reservoir` shows: the alt text of the picture.

    Raises:
        ValueError: the unit is not shown.
    """
    place = trace.place_of(unit)
    first, last = trace.first_step, trace.first_step + len(trace) - 1
    told = [_range(name, trace.inputs[:, i]) for i, name in enumerate(input_names(trace))]
    for name, values in (("output", trace.outputs), ("target", trace.targets)):
        if values is not None:
            told += [
                _range(f"{name} {of}".strip(), values[:, i])
                for i, of in enumerate(trace.output_names or ("",) * values.shape[1])
            ]
    known = f"{len(trace.units)} of {trace.network_size}" if trace.network_size else f"{len(trace.units)}"
    sorting = f", sorted {trace.order}" if trace.order else ""
    fired = "" if trace.spikes is None else f" They fire {int(trace.spikes.sum())} times."
    return (
        f"{f'{trace.title}. ' if trace.title else ''}A reservoir over steps {first} to {last}. "
        f"{_sentence(told)}.{_errors(trace)} Below, {known} units over time{sorting}: "
        f"{_range('activity', trace.activity)}.{fired} "
        f"Unit {trace.units[place]} as a line: {_range('', trace.activity[:, place]).strip()}."
    )


def input_names(trace: ReservoirTrace) -> tuple[str, ...]:
    """Return the names of the inputs, or "input" and a number."""
    return trace.input_names or _counted("input", trace.inputs.shape[1])


def window_around(trace: ReservoirTrace, time: int | None, span: int | None) -> slice:
    """Return the steps that are drawn: all, or `span` around `time`.

    Raises:
        ValueError: a time that does not exist, a span below 2.
    """
    steps = len(trace)
    if time is not None and not 0 <= time < steps:
        raise ValueError(f"time must lie in 0 to {steps - 1} or be None, got {time}")
    if span is not None and span < 2:
        raise ValueError(f"span must be 2 or more, or None, got {span}")
    shown = steps if span is None else min(span, steps)
    start = min(max(0, (time or 0) - shown // 2), steps - shown)
    return slice(start, start + shown)


def one_line(text: str) -> str:
    """Return a name or title as it can stand on one line of a picture."""
    return drawable(" ".join(text.split()))


def _counted(name: str, count: int) -> tuple[str, ...]:
    return (name,) if count == 1 else tuple(f"{name} {i + 1}" for i in range(count))


def _written(value: float | np.floating) -> str:
    return f"{value:.3g}".replace("-", "\N{MINUS SIGN}")


def _range(name: str, values: np.ndarray) -> str:
    if np.isnan(values).all():
        return f"{name} without numbers"
    return f"{name} from {_written(np.nanmin(values))} to {_written(np.nanmax(values))}"


def _sentence(parts: list[str]) -> str:
    text = "; ".join(parts)
    return text[:1].upper() + text[1:]


def _errors(trace: ReservoirTrace) -> str:
    parts = [("", slice(None))]
    if trace.free_from is not None:
        parts = [
            ("before it hears itself ", slice(None, trace.free_from)),
            ("after ", slice(trace.free_from, None)),
        ]
    found = [(when, trace.error(steps)) for when, steps in parts]
    told = [f"{when}{_written(error)}" for when, error in found if error is not None]
    return f" Root mean square error: {', '.join(told)}." if told else ""


def _is_free(trace: ReservoirTrace, window: slice) -> bool:
    return trace.free_from is not None and window.start < trace.free_from < window.stop


def _steps(trace: ReservoirTrace, window: slice) -> np.ndarray:
    return trace.first_step + np.arange(window.start, window.stop)


def _legend(axis: Axes) -> None:
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.05), frameon=False, fontsize=9)
    axis.locator_params(axis="y", nbins=3)


def _draw_inputs(axis: Axes, trace: ReservoirTrace, window: slice) -> None:
    for i, name in enumerate(input_names(trace)):
        look = i % _MOST_LINES
        axis.plot(
            _steps(trace, window),
            trace.inputs[window, i],
            color=OKABE_ITO[look],
            linestyle=DASHES[look],
            linewidth=1.2,
            label=one_line(name)[:30],
        )
    axis.set_title("What it hears", fontsize=11)
    _legend(axis)


def _draw_outputs(axis: Axes, trace: ReservoirTrace, window: slice, theme: Theme) -> None:
    shown = trace.targets if trace.targets is not None else trace.outputs
    assert shown is not None
    steps = _steps(trace, window)
    for i, name in enumerate(trace.output_names or _counted("", shown.shape[1])):
        look = i % _MOST_LINES
        if trace.targets is not None:
            axis.plot(
                steps,
                trace.targets[window, i],
                color=theme.line,
                linewidth=5,
                label=one_line(f"target {name}")[:30],
            )
        if trace.outputs is not None:
            axis.plot(
                steps,
                trace.outputs[window, i],
                color=OKABE_ITO[look],
                linestyle=DASHES[look],
                linewidth=1.3,
                label=one_line(f"output {name}")[:30],
            )
    axis.set_title("What its readout says", fontsize=11)
    _legend(axis)


def _draw_map(
    figure: Figure, axis: Axes, trace: ReservoirTrace, place: int, window: slice, scale: Scale, theme: Theme
) -> None:
    from matplotlib import colormaps

    values, low, high = trace.colours(scale)
    colours = difference_colours() if low < 0 else colormaps[WEIGHT_SCALE]
    start, stop = trace.first_step + window.start - 0.5, trace.first_step + window.stop - 0.5
    count = len(trace.units)
    image = axis.imshow(
        values[window].T,
        cmap=colours,
        vmin=low,
        vmax=high,
        aspect="auto",
        interpolation="nearest",
        interpolation_stage="data",
        extent=(start, stop, count - 0.5, -0.5),
    )
    if trace.spikes is not None:
        when, which = np.nonzero(trace.spikes[window])
        ink = "black" if low < 0 else "white"
        axis.plot(
            start + 0.5 + when, which, "|", color=ink, markersize=max(1.5, 150 / count), markeredgewidth=0.8
        )
    axis.set_yticks([place], [f"unit {trace.units[place]} ▸"], fontsize=9)
    axis.tick_params(axis="y", length=0)
    known = f"{count} of {trace.network_size}" if trace.network_size > count else f"All {count}"
    sorting = f", sorted {one_line(trace.order)}" if trace.order else ""
    sorting += ", each from its own mean" if scale == "own" else ""
    marks = "" if trace.spikes is None else "; a tick is a spike"
    axis.set_title(f"{known} units over time{sorting}{marks}", fontsize=11)
    bar = figure.colorbar(image, cax=axis.inset_axes((1.02, 0, 0.012, 1)))
    bar.ax.tick_params(labelsize=8)


def _draw_unit(axis: Axes, trace: ReservoirTrace, place: int, window: slice, theme: Theme) -> None:
    steps = _steps(trace, window)
    axis.plot(steps, trace.activity[window, place], color=theme.accent, linewidth=1.2)
    if trace.spikes is not None:
        fired = trace.spikes[window, place]
        top = trace.activity[:, place].max()
        axis.plot(steps[fired], np.full(fired.sum(), top), "|", color=theme.ink, markersize=7)
    axis.set_title(f"Unit {trace.units[place]}", fontsize=11)
    axis.locator_params(axis="y", nbins=3)
