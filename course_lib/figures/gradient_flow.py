"""The picture of a gradient that flows back through time: a pure function of a `GradientTrace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from course_lib.figures.theme import DASHES, LIGHT, MARKERS, OKABE_ITO, Theme, drawable, drawing
from course_lib.figures.tokens import token_label
from course_lib.traces.gradient_flow import ALL_STEPS, GradientTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_STEPS = 10  # boxes with numbers between them that fit one picture
# The arrow at the loss is this wide, in points; it grows and shrinks by so much for each power of ten.
WIDTH_AT_LOSS, WIDTH_A_DECADE, NARROWEST, WIDEST = 11.0, 3.5, 1.0, 26.0
_PITCH, _BOX, _TALL = 1.18, 0.56, 0.62  # inches from box to box, their width and height
_LONGEST_LABEL = 9


def static_gradient_flow(
    trace: GradientTrace,
    *,
    model: int = 0,
    loss: int | None = None,
    time: int | None = None,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw one unrolled network with the gradient that flows back through it, and below it all models.

    An arrow's number is ‖∂L/∂h_t‖ of the state that it points to; its width is that number on a logarithmic
    scale, as wide for every model at the loss itself.

    Args:
        trace: the norms.
        model: which network is drawn above, from 0.
        loss: the step of the loss, from 0; −1 for the sum of all; None for the trace's first.
        time: a step that is drawn in any case: of more than 10 steps, 10 around it are; None is the loss's.
        theme: colours of the background.

    Raises:
        ValueError: a model, loss or time that does not exist.
    """
    from matplotlib.figure import Figure

    row = _check(trace, model, loss, time)
    window = window_around(len(trace), trace.last_step(row) if time is None else time)
    count = window.stop - window.start
    wide = max(7.0, _PITCH * count + 0.9)
    with drawing(theme):
        figure = Figure(figsize=(wide, 6.3))
        top = figure.add_axes((0, 0.5, 1, 0.44))
        bottom = figure.add_axes((0.09, 0.09, 0.62, 0.33))
        _draw_network(top, trace, model, row, window, theme)
        top.set(xlim=(-0.75, wide - 0.75), ylim=(-1.0, 1.77), aspect="equal")
        _draw_lines(bottom, trace, model, row, window, theme)
        bottom.legend(loc="upper left", bbox_to_anchor=(1.02, 1.04), frameon=False, fontsize=10)
        name = (
            f"{one_line(trace.models[model])} ({trace.hidden_sizes[model]} units), {trace.name_of_loss(row)}"
        )
        figure.suptitle(
            "\n".join(filter(None, (one_line(trace.title), name))),
            x=0.01,
            y=1.01,
            ha="left",
            fontweight="bold",
        )
    return figure


def describe_gradient_flow(trace: GradientTrace, *, model: int = 0, loss: int | None = None) -> str:
    """Say in words what `static_gradient_flow` shows: the alt text of the picture.

    Raises:
        ValueError: a model or loss that does not exist.
    """
    row = _check(trace, model, loss, None)
    last = trace.last_step(row)
    told = []
    for name, logs in zip(trace.models, trace.log10_norms[:, row], strict=True):
        ends = f"{written(logs[last])} at step {last + 1}"
        told.append(f"{name}: {ends}, {written(logs[0])} at step 1{_a_step(trace, row, logs)}")
    title = f"{trace.title}. " if trace.title else ""
    return (
        f"{title}An unrolled network ({trace.models[model]}) of {len(trace)} steps; arrows back through time "
        f"show the norm of the gradient of the {trace.name_of_loss(row)} at each state. {'; '.join(told)}."
    )


def window_around(length: int, time: int) -> slice:
    """Return the steps that are drawn as boxes: all, or of many the 10 around `time`."""
    start = min(max(0, time - MOST_STEPS // 2), max(0, length - MOST_STEPS))
    return slice(start, min(length, start + MOST_STEPS))


def written(log: float, digits: int = 2) -> str:
    """Write 10^log: 0.012, 340, 3.1e−9; −inf is 0."""
    if log == -np.inf:
        return "0"
    if -3 <= log < 2:
        return f"{10**log:.{digits}g}"
    if 2 <= log < 4:
        return f"{10**log:.0f}"
    power = int(np.floor(log))
    lead = f"{10 ** (log - power):.1f}"
    if lead == "10.0":
        lead, power = "1.0", power + 1
    return f"{lead}e{power}".replace("-", "\N{MINUS SIGN}")


def arrow_width(log: float, at_loss: float) -> float:
    """Return an arrow's width in points: 11 at the loss, 3.5 more or less for each power of ten."""
    if log == -np.inf:
        return NARROWEST
    reference = at_loss if at_loss > -np.inf else log
    return float(np.clip(WIDTH_AT_LOSS + WIDTH_A_DECADE * (log - reference), NARROWEST, WIDEST))


def one_line(text: str) -> str:
    """Return a name or title as it can stand on one line of a picture."""
    return drawable(" ".join(text.split()))


def _a_step(trace: GradientTrace, row: int, logs: np.ndarray) -> str:
    last = trace.last_step(row)
    many = trace.loss_steps[row] == ALL_STEPS  # each step adds a gradient of its own
    if many or last == 0 or not np.isfinite(logs[[0, last]]).all():
        return ""
    return f" (× {written((logs[0] - logs[last]) / last, 3)} a step)"


def _check(trace: GradientTrace, model: int, loss: int | None, time: int | None) -> int:
    for name, value, size in (("model", model, len(trace.models)), ("time", time or 0, len(trace))):
        if not 0 <= value < size:
            raise ValueError(f"{name} must lie in 0 to {size - 1}, got {value}")
    return trace.row_of_loss(loss)


def _label(text: str) -> str:
    label = drawable(token_label(text))
    return label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…"


def _draw_network(
    axes: Axes, trace: GradientTrace, model: int, row: int, window: slice, theme: Theme
) -> None:
    from matplotlib.patches import FancyBboxPatch

    axes.axis("off")
    logs, last = trace.log10_norms[model, row], trace.last_step(row)
    every = trace.loss_steps[row] == ALL_STEPS
    thin = {"arrowstyle": "-|>", "color": theme.muted, "linewidth": 1.0, "shrinkA": 0, "shrinkB": 0}
    for place, step in enumerate(range(window.start, window.stop)):
        x = place * _PITCH
        box = FancyBboxPatch(
            (x - _BOX / 2, 0), _BOX, _TALL, "round,pad=0,rounding_size=0.08", fc=theme.panel, ec=theme.ink
        )
        axes.add_patch(box)
        axes.text(x, _TALL / 2, f"h{_below(step + 1)}", ha="center", va="center", fontsize=12)
        axes.annotate("", (x, 0), (x, -0.36), arrowprops=thin)
        axes.text(x, -0.4, _label(trace.inputs[step]), ha="center", va="top", fontsize=11)
        axes.text(x, -0.68, f"step {step + 1}", ha="center", va="top", fontsize=8, color=theme.muted)
        if step + 1 < len(trace):
            axes.annotate("", (x + _PITCH - _BOX / 2, 0.12), (x + _BOX / 2, 0.12), arrowprops=thin)
        if every or step == last:
            axes.text(x, 1.32, f"L{_below(step + 1)}", ha="center", va="center", fontweight="bold")
            if trace.targets is not None:
                axes.text(x, 1.48, _label(trace.targets[step]), ha="center", va="bottom", fontsize=10)
            if every and step != last:
                axes.annotate("", (x, _TALL), (x, 1.2), arrowprops=thin)
        if step == last:
            _draw_arrow(axes, (x, 1.2), (x, _TALL), logs[step], logs[last], theme)
            axes.text(x + 0.26, 0.94, written(logs[step]), va="center", fontsize=10)
        elif step < last:
            _draw_arrow(
                axes, (x + _PITCH - _BOX / 2, 0.4), (x + _BOX / 2, 0.4), logs[step], logs[last], theme
            )
            axes.text(x + _PITCH / 2, 0.68, written(logs[step]), ha="center", va="bottom", fontsize=10)
    if window.start > 0:
        axes.text(-0.4, _TALL / 2, "…", ha="right", va="center", fontsize=14)


def _below(number: int) -> str:
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def _draw_arrow(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    log: float,
    at_loss: float,
    theme: Theme,
) -> None:
    width = arrow_width(log, at_loss)
    colour = theme.bad if log > at_loss + 0.02 else theme.accent
    if log == -np.inf:
        axes.plot(*zip(start, end, strict=True), ":", color=theme.muted, linewidth=NARROWEST)
        return
    style = {"width": width, "headwidth": width + 7, "headlength": 8, "color": colour, "linewidth": 0}
    axes.annotate("", end, start, arrowprops={**style, "shrink": 0})


def _draw_lines(axes: Axes, trace: GradientTrace, model: int, row: int, window: slice, theme: Theme) -> None:
    from matplotlib.ticker import MaxNLocator

    steps = np.arange(1, len(trace) + 1)
    last = trace.last_step(row)
    few = len(trace) <= 3 * MOST_STEPS
    for i, (name, logs) in enumerate(zip(trace.models, trace.log10_norms[:, row], strict=True)):
        shown = np.where(np.isfinite(logs), logs, np.nan)[: last + 1]
        look = i % len(OKABE_ITO)
        axes.plot(
            steps[: last + 1],
            shown,
            color=theme.ink if OKABE_ITO[look] == "#000000" else OKABE_ITO[look],
            linestyle=DASHES[look],
            marker=MARKERS[look],
            markersize=5,
            markevery=1 if few else max(1, len(trace) // 15),
            linewidth=3.2 if i == model else 1.5,
            label=one_line(name)[:40],
        )
    if window.stop - window.start < len(trace):
        axes.axvspan(window.start + 0.5, window.stop + 0.5, color=theme.panel, zorder=0)
    low, high = axes.get_ylim()
    if high - low < 1:  # less than a power of ten: no slope where there is none
        low, high = (low + high) / 2 - 0.5, (low + high) / 2 + 0.5
    powers = np.arange(np.floor(low), np.ceil(high) + 1, max(1, int((high - low) / 6)))
    if high - low < 2:
        powers = (powers[:, None] + np.log10([1, 2, 5])).ravel()
    axes.set_yticks(powers, [written(power) for power in powers], fontsize=9)
    axes.set(ylim=(low, high), xlim=(0.5, len(trace) + 0.5), xlabel="step t")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title("‖∂L/∂h‖ at each step, all models", fontsize=11)
    axes.grid(axis="y")
    axes.set_axisbelow(True)
