"""The gradient flow: an unrolled network, and how much of the gradient each step back still gets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from course_lib.figures.gradient_flow import (
    NARROWEST,
    WIDEST,
    WIDTH_A_DECADE,
    WIDTH_AT_LOSS,
    describe_gradient_flow,
    static_gradient_flow,
)
from course_lib.figures.picture import Picture
from course_lib.traces.gradient_flow import ALL_STEPS, GradientTrace
from course_lib.widgets.shared.base import TraceWidget, widget_css, widget_module

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class GradientFlow(TraceWidget):
    """A `GradientTrace`, switched in the browser without the kernel.

    Above, one unrolled network: an arrow back in time is as wide as the gradient that it carries is large,
    and bears its number. Below, the same of all networks on a logarithmic axis.

    Choices (arguments after the trace, or `select`):
        model: the network shown above, from 0.
        loss: the step of the loss, from 0; −1 for the sum of all; None is the trace's first.
        time: the step that is read out, from 0; None is that of the loss.
        dark, large: dark background (None: as the page), large type.
    """

    trace: GradientTrace
    _esm = widget_module(
        Path(__file__).with_suffix(".js"),
        ALL_STEPS=ALL_STEPS,
        NARROWEST=NARROWEST,
        WIDEST=WIDEST,
        WIDTH_AT_LOSS=WIDTH_AT_LOSS,
        WIDTH_A_DECADE=WIDTH_A_DECADE,
    )
    _css = widget_css(Path(__file__).with_suffix(".css"))
    _default_view: ClassVar[dict[str, Any]] = {"model": 0, "loss": None, "time": None}

    def picture(self) -> Picture:
        """Draw what is shown now as a picture with alt text."""
        return Picture.of(self._figure(), self._description())

    def save_svg(self, path: str | Path) -> Path:
        """Write the picture as an SVG file, sharp at any size and with its alt text, and return its path."""
        metadata = {"Description": self._description()}
        self._figure().savefig(path, format="svg", bbox_inches="tight", metadata=metadata)
        return Path(path)

    def _figure(self) -> Figure:
        model, loss, time = (self.view[name] for name in ("model", "loss", "time"))
        return static_gradient_flow(self.trace, model=model, loss=loss, time=time)

    def _description(self) -> str:
        return describe_gradient_flow(self.trace, model=self.view["model"], loss=self.view["loss"])

    def _check_view(self, view: dict[str, Any]) -> None:
        model, loss, time = (view[name] for name in ("model", "loss", "time"))
        models, steps = len(self.trace.models), len(self.trace)
        if type(model) is not int or not 0 <= model < models:
            raise ValueError(f"model must be a whole number from 0 to {models - 1}, got {model!r}")
        if time is not None and (type(time) is not int or not 0 <= time < steps):
            raise ValueError(f"time must be a whole number from 0 to {steps - 1} or None, got {time!r}")
        if loss is not None and type(loss) is not int:
            raise ValueError(f"loss must be a whole number or None, got {loss!r}")
        self.trace.row_of_loss(loss)
