"""Unrolled networks with what goes in and comes out: kinds of problem, and all numbers of one network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from course_lib.figures.theme import LIGHT, OKABE_ITO, Theme, drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Side = Mapping[int, str | np.ndarray]


def static_kinds(kinds: Mapping[str, tuple[Side, Side]], *, theme: Theme = LIGHT) -> Figure:
    """Draw unrolled networks side by side: inputs below their states, answers above.

    Args:
        kinds: name -> ({step: input}, {step: answer}), each a text or a picture (height, width); steps count
            from 0.
        theme: colours of the background.

    Returns:
        A matplotlib figure.

    Raises:
        ValueError: a network has neither inputs nor answers.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    with drawing(theme):
        figure = Figure(figsize=(12, 3.4))
        axes = figure.subplots()
        left = 0.0
        for name, (inputs, answers) in kinds.items():
            if not inputs and not answers:
                raise ValueError(f"{name!r} has no inputs and no answers; allowed is one or more")
            steps = 1 + max([*inputs, *answers])
            for t in range(steps):
                x = left + t
                axes.add_patch(
                    Rectangle((x - 0.3, 0.7), 0.6, 0.6, facecolor=OKABE_ITO[4], edgecolor=theme.ink)
                )
                if t:
                    _arrow(axes, (x - 0.7, 1), (x - 0.3, 1), theme)
                if t in inputs:
                    _arrow(axes, (x, 0.2), (x, 0.7), theme)
                    _thing(axes, x, 0, inputs[t], "normal")
                if t in answers:
                    _arrow(axes, (x, 1.3), (x, 1.75), theme)
                    _thing(axes, x, 1.95, answers[t], "bold")
            axes.text(left + (steps - 1) / 2, 2.6, name, ha="center", va="bottom")
            left += steps + 0.9
        for y, what in enumerate(("input", "state", "answer")):
            axes.text(-0.9, y, what, ha="right", va="center")
        axes.set(xlim=(-2.2, left - 1), ylim=(-0.7, 3.5), aspect="equal")
        axes.axis("off")
    return figure


def static_steps(
    alphabet: str,
    read: str,
    wanted: str,
    states: Float[np.ndarray, "time hidden"],
    probabilities: Float[np.ndarray, "time alphabet"],
    *,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw a network that reads letters and guesses the next one, with all its numbers at each step.

    Args:
        alphabet: the letters, in the order of the one-hot inputs and of the probabilities.
        read: one letter a step.
        wanted: the letter that comes next at each step; marked.
        states: h_1 … h_T.
        probabilities: of each letter of the alphabet.
        theme: colours of the background.

    Returns:
        A matplotlib figure.
    """
    from matplotlib.figure import Figure

    with drawing(theme):
        figure = Figure(figsize=(9.5, 5.6))
        axes = figure.subplots()
        for t, (letter, following) in enumerate(zip(read, wanted, strict=True)):
            x = 1.5 * t
            _column(axes, x, 0, [str(int(letter == other)) for other in alphabet], theme)
            axes.text(x, -0.16, f"“{letter}”", ha="center", va="center", fontsize=13)
            _column(axes, x, 1.5, [f"{h:+.2f}".replace("-", "−") for h in states[t]], theme)
            guesses = [f"{other} {p:.2f}" for other, p in zip(alphabet, probabilities[t], strict=True)]
            _column(axes, x, 2.8, guesses, theme, marked=alphabet.index(following))
            axes.text(x, 3.85, f"wanted: “{following}”", ha="center", va="center", fontsize=12)
            _arrow(axes, (x, 0.9), (x, 1.46), theme)
            _arrow(axes, (x, 2.2), (x, 2.76), theme)
            if t:
                _arrow(axes, (x - 1.1, 1.83), (x - 0.4, 1.83), theme)
        for x, y, name in ((0.1, 1.15, "$W_{xh}$"), (0.1, 2.45, "$W_{hy}$"), (0.6, 1.95, "$W_{hh}$")):
            axes.text(x, y, name, parse_math=True)
        for y, what in ((0.43, "input,\none-hot"), (1.83, "state"), (3.23, "probabilities")):
            axes.text(-0.6, y, what, ha="right", va="center")
        axes.set(xlim=(-1.7, 1.5 * len(read) - 0.9), ylim=(-0.35, 4.05))
        axes.axis("off")
    return figure


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], theme: Theme) -> None:
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "lw": 1.2, "color": theme.ink})


def _thing(axes: Axes, x: float, y: float, thing: str | np.ndarray, weight: str) -> None:
    """Write a text, or draw a picture that ends where an arrow begins."""
    if isinstance(thing, str):
        axes.text(x, y, thing, ha="center", va="center", fontsize=10, fontweight=weight)
    else:
        axes.imshow(thing, cmap="gray_r", extent=(x - 0.4, x + 0.4, y - 0.6, y + 0.2))


def _column(
    axes: Axes, x: float, y: float, values: Sequence[str], theme: Theme, marked: int | None = None
) -> None:
    """Draw a box of numbers, the first on top; the marked one is bold and has a sign."""
    from matplotlib.patches import Rectangle

    height = 0.2 * len(values)
    axes.add_patch(Rectangle((x - 0.36, y), 0.72, height + 0.06, facecolor=theme.paper, edgecolor=theme.ink))
    for i, value in enumerate(values):
        place = y + height - 0.2 * i - 0.07
        axes.text(
            x,
            place,
            f"{value}  ◂" if i == marked else value,
            ha="center",
            va="center",
            fontsize=10,
            fontweight="bold" if i == marked else "normal",
            color=OKABE_ITO[2] if i == marked else theme.ink,
        )
