"""The gate inspector: step through a text and see what a gated layer lets in, keeps and shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from course_lib.figures.display import Mode
from course_lib.figures.gates import describe_gates, static_gates
from course_lib.figures.picture import Picture
from course_lib.traces.gates import RANGES, GateTrace
from course_lib.widgets.shared.base import TraceWidget, pack, widget_css, widget_module

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_TEXT = 400  # characters that a reader may type


class GateInspector(TraceWidget):
    """A `GateTrace`, stepped through in the browser without the kernel.

    Above, one unit: a strip of bars for each gate, cell and hidden value. Below, one of these for all units.

    Choices (arguments after the trace, or `select`):
        unit: the unit shown above and marked below, from 0.
        quantity: what is shown of all units, "forget" for example; None is the trace's first.
        time: the character that is read out, from 0; beyond the end of a shorter text it is the last.
        dark, large: dark background (None: as the page), large type.

    With `read` the reader can type a text of their own: the kernel runs the layer on it, and `trace` is then
    the newest run. A page without a kernel shows no box to type in.
    """

    trace: GateTrace
    _esm = widget_module(
        Path(__file__).with_suffix(".js"),
        SIGNED=[name for name in RANGES if GateTrace.is_signed(name)],
        LONGEST_TEXT=LONGEST_TEXT,
    )
    _css = widget_css(Path(__file__).with_suffix(".css"))
    _default_view: ClassVar[dict[str, Any]] = {"unit": 0, "quantity": None, "time": 0}

    def __init__(
        self,
        trace: GateTrace,
        *,
        read: Callable[[str], GateTrace] | None = None,
        mode: Mode | None = None,
        **choices: Any,
    ) -> None:
        """Make the widget.

        Args:
            trace: the run that is shown first.
            read: text -> the run of the same layer on it; its ValueError is shown to the reader.
            mode: "auto", "live", "static" or "page"; None takes the environment variable COURSE_WIDGETS.
            choices: first values of `view`.

        Raises:
            ValueError: a mode or a choice that does not exist.
        """
        self._read = read
        super().__init__(trace, mode=mode, **choices)

    def picture(self) -> Picture:
        """Draw what is shown now as a picture with alt text."""
        return Picture.of(self._figure(), self._description())

    def save_svg(self, path: str | Path) -> Path:
        """Write the picture as an SVG file, sharp at any size and with its alt text, and return its path."""
        metadata = {"Description": self._description()}
        self._figure().savefig(path, format="svg", bbox_inches="tight", metadata=metadata)
        return Path(path)

    def _figure(self) -> Figure:
        time = min(self.view["time"], len(self.trace) - 1)
        return static_gates(self.trace, unit=self.view["unit"], quantity=self.view["quantity"], time=time)

    def _description(self) -> str:
        return describe_gates(self.trace, unit=self.view["unit"], quantity=self.view["quantity"])

    def _answer(self, request: dict[str, Any]) -> GateTrace:
        if request.get("want") == "read" and self._read is not None:
            # A view first asks whether there is a kernel that can read, with nothing to read.
            if "text" in request:
                self._show(self._read(_checked(request["text"])))
            return self.trace
        super()._answer(request)
        return self.trace

    def _show(self, trace: GateTrace) -> None:
        """Take a new run for the one shown, so that pages saved from now on hold it."""
        units = trace.values.shape[-1]
        if (trace.quantities, units) != (self.trace.quantities, self.trace.values.shape[-1]):
            raise ValueError(
                f"read must return the quantities and units of the first trace, got "
                f"{', '.join(trace.quantities)} of {units} units"
            )
        self.trace = trace
        packed, buffer = pack(trace)
        with self.hold_sync():
            self._fields, self._buffer = packed, buffer

    def _check_view(self, view: dict[str, Any]) -> None:
        units = self.trace.values.shape[-1]
        if type(view["unit"]) is not int or not 0 <= view["unit"] < units:
            raise ValueError(f"unit must be a whole number from 0 to {units - 1}, got {view['unit']!r}")
        if type(view["time"]) is not int or view["time"] < 0:
            raise ValueError(f"time must be a whole number from 0 on, got {view['time']!r}")
        if view["quantity"] is not None and view["quantity"] not in self.trace.quantities:
            allowed = ", ".join(self.trace.quantities)
            raise ValueError(f"quantity must be one of {allowed} or None, got {view['quantity']!r}")


def _checked(text: Any) -> str:
    if not isinstance(text, str) or not 1 <= len(text) <= LONGEST_TEXT:
        came = f"{len(text)}" if isinstance(text, str) else type(text).__name__
        raise ValueError(f"Type 1 to {LONGEST_TEXT} characters; got {came}.")
    return text
