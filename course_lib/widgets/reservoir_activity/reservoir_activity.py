"""The reservoir activity: what a reservoir hears, what its units do, and what its readout says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from course_lib.figures.picture import Picture
from course_lib.figures.reservoir import describe_reservoir, static_reservoir
from course_lib.traces.reservoir import ReservoirTrace, Scale
from course_lib.widgets.shared.base import TraceWidget, widget_css, widget_module

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ReservoirActivity(TraceWidget):
    """A `ReservoirTrace`, walked through in the browser without the kernel.

    Above, what is heard and what the readout says; in the middle, units over time; below, one unit as a line.

    Choices (arguments after the trace, or `select`):
        time: the step that is marked and read out, from 0.
        span: how many steps are seen at once; None for all. The whole run then stands above in small.
        unit: the number of the unit drawn as a line; None is the first shown.
        scale: "fixed" for colours to 1, or further where an activity is larger; "largest" to the largest;
            "own" for each unit's distance from its mean.
        dark, large: dark background (None: as the page), large type.
    """

    trace: ReservoirTrace
    _esm = widget_module(Path(__file__).with_suffix(".js"))
    _css = widget_css(Path(__file__).with_suffix(".css"))
    _default_view: ClassVar[dict[str, Any]] = {"time": 0, "span": None, "unit": None, "scale": "fixed"}

    def picture(self) -> Picture:
        """Draw what is shown now as a picture with alt text."""
        return Picture.of(self._figure(), self._description())

    def save_svg(self, path: str | Path) -> Path:
        """Write the picture as an SVG file, sharp at any size and with its alt text, and return its path."""
        metadata = {"Description": self._description()}
        self._figure().savefig(path, format="svg", bbox_inches="tight", metadata=metadata)
        return Path(path)

    def _figure(self) -> Figure:
        time, span, unit, scale = (self.view[name] for name in ("time", "span", "unit", "scale"))
        return static_reservoir(self.trace, time=time, span=span, unit=unit, scale=scale)

    def _description(self) -> str:
        return describe_reservoir(self.trace, unit=self.view["unit"])

    def _check_view(self, view: dict[str, Any]) -> None:
        time, span, unit, steps = view["time"], view["span"], view["unit"], len(self.trace)
        if type(time) is not int or not 0 <= time < steps:
            raise ValueError(f"time must be a whole number from 0 to {steps - 1}, got {time!r}")
        if span is not None and (type(span) is not int or span < 2):
            raise ValueError(f"span must be a whole number from 2 on or None, got {span!r}")
        if unit is not None and type(unit) is not int:
            raise ValueError(f"unit must be a whole number or None, got {unit!r}")
        self.trace.place_of(unit)
        if view["scale"] not in get_args(Scale):
            raise ValueError(f"scale must be one of {', '.join(get_args(Scale))}, got {view['scale']!r}")
