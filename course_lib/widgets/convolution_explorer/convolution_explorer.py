"""The convolution explorer: a picture, a kernel, and what each output sees."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from course_lib.figures.convolution import describe_convolution, static_convolution
from course_lib.figures.picture import Picture
from course_lib.traces.convolution import (
    MOST_DILATION,
    MOST_PADDING,
    MOST_STRIDE,
    MOST_TURN,
    TURN_STEP,
    ConvolutionTrace,
)
from course_lib.vision.convolution import Geometry
from course_lib.widgets.shared.base import TraceWidget, widget_css, widget_module


class ConvolutionExplorer(TraceWidget):
    """A `ConvolutionTrace`, convolved in the browser without the kernel.

    On the left the picture, with the pixels that one output sees; in the middle their products with the
    weights; on the right all outputs. A reader may open a picture file: the browser cuts and shrinks it and
    makes it grey; the kernel never gets it.

    Choices (arguments after the trace, or `select`):
        picture, kernel: which, from 0.
        stride, padding, dilation: how the kernel goes over the picture.
        turn: degrees by which offsets turn its grid clockwise, as a deformable convolution may; 0, 15, … 90.
        row, column: the output that is looked at, from 0; None is the middle, beyond the border the last.
        dark, large: dark background (None: as the page), large type.
    """

    trace: ConvolutionTrace
    _esm = widget_module(
        Path(__file__).with_suffix(".js"),
        MOST_STRIDE=MOST_STRIDE,
        MOST_PADDING=MOST_PADDING,
        MOST_DILATION=MOST_DILATION,
        MOST_TURN=MOST_TURN,
        TURN_STEP=TURN_STEP,
    )
    _css = widget_css(Path(__file__).with_suffix(".css"))
    _default_view: ClassVar[dict[str, Any]] = {
        "picture": 0,
        "kernel": 0,
        "stride": 1,
        "padding": 1,
        "dilation": 1,
        "turn": 0,
        "row": None,
        "column": None,
    }

    def picture(self) -> Picture:
        """Draw what is shown now as a picture with alt text."""
        view = self.view
        shown: dict[str, Any] = {
            "picture": view["picture"],
            "kernel": view["kernel"],
            "geometry": Geometry(view["stride"], view["padding"], view["dilation"]),
            "turn": view["turn"],
            "place": None if view["row"] is None else (view["row"], view["column"]),
        }
        return Picture.of(static_convolution(self.trace, **shown), describe_convolution(self.trace, **shown))

    def _check_view(self, view: dict[str, Any]) -> None:
        limits = {
            "picture": (0, len(self.trace.pictures) - 1),
            "kernel": (0, len(self.trace.kernels) - 1),
            "stride": (1, MOST_STRIDE),
            "padding": (0, MOST_PADDING),
            "dilation": (1, MOST_DILATION),
            "turn": (0, MOST_TURN),
        }
        for name, (least, most) in limits.items():
            if type(view[name]) is not int or not least <= view[name] <= most:
                raise ValueError(f"{name} must be a whole number from {least} to {most}, got {view[name]!r}")
        if view["turn"] % TURN_STEP:
            raise ValueError(f"turn must be a multiple of {TURN_STEP} degrees, got {view['turn']}")
        if (view["row"] is None) != (view["column"] is None):
            raise ValueError("row and column must both be whole numbers from 0, or both None")
        for name in ("row", "column"):
            if view[name] is not None and (type(view[name]) is not int or view[name] < 0):
                raise ValueError(f"{name} must be a whole number from 0 or None, got {view[name]!r}")
