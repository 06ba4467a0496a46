"""A picture that forms while a model trains: its loss so far, and what it does now."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from IPython.display import display

from course_lib.figures.picture import Picture
from course_lib.figures.theme import OKABE_ITO, drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def watch(
    losses: Iterable[float],
    steps: int,
    look: Callable[[Axes], None],
    title: str,
    alt: str,
    every: int = 25,
    y_title: str = "loss (nats)",
) -> list[float]:
    """Train step by step, and draw loss and model again and again in one place.

    Args:
        losses: takes a step of training for each loss that is asked for; see `train_steps`.
        steps: how many are taken, at least 1; fewer where `losses` ends before.
        look: draws what the model does now.
        title: the question that the picture answers.
        alt: what a sighted reader takes away at the end.
        every: steps between two pictures, at least 1.
        y_title: name and unit of the loss.

    Returns:
        the losses, in order.

    Raises:
        ValueError: `steps` or `every` is below 1.
    """
    if steps < 1 or every < 1:
        raise ValueError(f"steps is {steps} and every is {every}; allowed is 1 or more")
    place = display(Picture.of(_draw([], steps, look, title, y_title), alt), display_id=True)
    taken: list[float] = []
    for _, loss in zip(range(steps), losses, strict=False):
        taken.append(loss)
        if place is not None and (len(taken) % every == 0 or len(taken) == steps):
            place.update(Picture.of(_draw(taken, steps, look, title, y_title), alt))
    return taken


def _draw(taken: list[float], steps: int, look: Callable[[Axes], None], title: str, y_title: str) -> Figure:
    from matplotlib.figure import Figure

    with drawing():
        figure = Figure(figsize=(9, 3.8), layout="constrained")
        curve, now = figure.subplots(1, 2)
        curve.plot(range(1, len(taken) + 1), taken, color=OKABE_ITO[0])
        curve.set(xlim=(0, steps), xlabel="step", ylabel=y_title, title=f"step {len(taken)} of {steps}")
        look(now)
        figure.suptitle(title)
    return figure
