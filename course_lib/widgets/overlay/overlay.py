"""The overlay view: a picture, and on it where a network looks, class by class or word by word."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from course_lib.figures.overlay import STRENGTH, describe_overlay, static_overlay
from course_lib.figures.picture import Picture
from course_lib.traces.overlay import OverlayTrace
from course_lib.widgets.shared.base import TraceWidget, widget_css, widget_module


class OverlayView(TraceWidget):
    """An `OverlayTrace`, laid over its pictures in the browser without the kernel.

    On the left the picture, beside it each map of the chosen step on it, with a ring where it is largest.

    Choices (arguments after the trace, or `select`):
        picture, step: which, from 0.
        strength: how much of a map is seen, from 0 (the picture alone) to 1 (the map alone).
        dark, large: dark background (None: as the page), large type.
    """

    trace: OverlayTrace
    _esm = widget_module(Path(__file__).with_suffix(".js"))
    _css = widget_css(Path(__file__).with_suffix(".css"))
    _default_view: ClassVar[dict[str, Any]] = {"picture": 0, "step": 0, "strength": STRENGTH}

    def picture(self) -> Picture:
        """Draw what is shown now as a picture with alt text."""
        shown = {"picture": self.view["picture"], "step": self.view["step"]}
        figure = static_overlay(self.trace, strength=self.view["strength"], **shown)
        return Picture.of(figure, describe_overlay(self.trace, **shown))

    def _check_view(self, view: dict[str, Any]) -> None:
        pictures, steps = self.trace.maps.shape[:2]
        for name, size in {"picture": pictures, "step": steps}.items():
            if type(view[name]) is not int or not 0 <= view[name] < size:
                raise ValueError(f"{name} must be a whole number from 0 to {size - 1}, got {view[name]!r}")
        if type(view["strength"]) not in (int, float) or not 0 <= view["strength"] <= 1:
            raise ValueError(f"strength must be a number from 0 to 1, got {view['strength']!r}")
