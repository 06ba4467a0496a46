"""The picture of maps on a picture: a pure function of an `OverlayTrace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from course_lib.figures.theme import LIGHT, WEIGHT_SCALE, Theme, drawable, drawing, heading
from course_lib.traces.overlay import OverlayTrace
from course_lib.vision.explanations import enlarged

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STRENGTH = 0.6  # how much of a map is seen where nothing else is chosen
ALIKE = 1 - 1e-5  # numbers closer to the largest than this differ from it by rounding


def laid_over(trace: OverlayTrace, picture: int, step: int) -> np.ndarray:
    """Return a step's maps as large as the picture, the largest number of each 1: (kinds, height, width)."""
    maps = torch.from_numpy(trace.maps[picture, step].copy())
    height, width = trace.pictures.shape[1:3]
    return enlarged(maps, (height, width)).numpy()


def largest_places(maps: np.ndarray) -> list[tuple[int, int] | None]:
    """Return (row, column) of the largest number of each map, from 0; None for one that is 0 everywhere.

    Of numbers that differ by rounding alone, as at an edge that a map grew over, it is the first.
    """
    return [
        divmod(int((values >= values.max() * ALIKE).argmax()), values.shape[1]) if values.any() else None
        for values in maps
    ]


def static_overlay(
    trace: OverlayTrace,
    *,
    picture: int = 0,
    step: int = 0,
    strength: float = STRENGTH,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw a picture, and beside it each map of one step on it, with a ring where the map is largest.

    Where the trace knows them, the likeliest answers of the step stand beside the maps as bars.

    Args:
        trace: pictures and maps.
        picture, step: which, from 0.
        strength: how much of a map is seen: 0 is the picture alone, 1 the map alone.
        theme: colours of the background.
    """
    from matplotlib.figure import Figure

    maps = laid_over(trace, picture, step)
    panels = 1 + len(maps) + (trace.candidates is not None)
    with drawing(theme):
        figure = Figure(figsize=(max(5.5, 2.9 * panels), 3.6), layout="constrained")
        first, *others = figure.subplots(1, panels, squeeze=False)[0]
        first.imshow(trace.pictures[picture])
        first.set_title(drawable(trace.picture_names[picture]), fontsize=11)
        for axes, kind, values, place in zip(others, trace.kinds, maps, largest_places(maps), strict=False):
            axes.imshow(trace.pictures[picture])
            axes.imshow(values, cmap=WEIGHT_SCALE, vmin=0, vmax=1, alpha=strength)
            if place is not None:
                for width, colour in ((5, "black"), (2.5, "white")):  # seen on any ground
                    axes.plot(place[1], place[0], "o", ms=13, mfc="none", mec=colour, mew=width)
            axes.set_title(f"{drawable(kind)}: {drawable(trace.steps[picture][step])}", fontsize=11)
        for axes in (first, *others[: len(maps)]):
            axes.set(xticks=[], yticks=[])
        if trace.candidates is not None and trace.candidate_probabilities is not None:
            words = [drawable(word) for word in trace.candidates[picture][step]]
            bars = others[-1].barh(range(len(words)), trace.candidate_probabilities[picture, step])
            others[-1].bar_label(bars, fmt="%.2f", padding=3)
            others[-1].set(xlim=(0, 1.25), xticks=[], yticks=range(len(words)), yticklabels=words)
            others[-1].invert_yaxis()
            others[-1].set_title("next word, probability", fontsize=11)
        if trace.title:
            heading(figure, drawable(trace.title), left=0.01)
    return figure


def describe_overlay(trace: OverlayTrace, *, picture: int = 0, step: int = 0) -> str:
    """Say in words what `static_overlay` shows: the alt text of the picture."""
    height, width = trace.pictures.shape[1:3]
    places = largest_places(laid_over(trace, picture, step))
    told = [
        f"{kind} is 0 everywhere" if place is None else f"{kind} is largest {_where(place, height, width)}"
        for kind, place in zip(trace.kinds, places, strict=True)
    ]
    title = f"{trace.title}. " if trace.title else ""
    what = trace.steps[picture][step]
    answers = ""
    if trace.candidates is not None and trace.candidate_probabilities is not None:
        chances = trace.candidate_probabilities[picture, step]
        said = (f"“{word}” {p:.2f}" for word, p in zip(trace.candidates[picture][step], chances, strict=True))
        answers = f"; likeliest {', '.join(said)}"
    return f"{title}{trace.picture_names[picture]}; for “{what}”, {', '.join(told)}{answers}."


def _where(place: tuple[int, int], height: int, width: int) -> str:
    row, column = place
    return f"at {round(100 * row / height)} % from the top and {round(100 * column / width)} % from the left"
