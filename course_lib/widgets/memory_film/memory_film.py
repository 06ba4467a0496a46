"""The memory film: step by step, where a network writes and reads, and what then stands in its memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from course_lib.figures.memory import describe_memory, static_memory
from course_lib.figures.picture import Picture
from course_lib.traces.memory import MemoryTrace
from course_lib.widgets.shared.base import TraceWidget, widget_css, widget_module

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class MemoryFilm(TraceWidget):
    """A `MemoryTrace`, step by step in the browser without the kernel.

    On the left, over time, what the network saw and said and the weights of its heads; on the right the
    memory after the chosen step, with the weights of both heads at its sides.

    Choices (arguments after the trace, or `select`):
        time: the step, from 0; None is the last.
        row: the row that is read out, from 0; None is the one read most at that step.
        dark, large: dark background (None: as the page), large type.
    """

    trace: MemoryTrace
    _esm = widget_module(Path(__file__).with_suffix(".js"))
    _css = widget_css(Path(__file__).with_suffix(".css"))
    _default_view: ClassVar[dict[str, Any]] = {"time": None, "row": None}

    def picture(self) -> Picture:
        """Draw what is shown now as a picture with alt text."""
        return Picture.of(self._figure(), describe_memory(self.trace))

    def save_svg(self, path: str | Path) -> Path:
        """Write the picture as an SVG file, sharp at any size and with its alt text, and return its path."""
        metadata = {"Description": describe_memory(self.trace)}
        self._figure().savefig(path, format="svg", bbox_inches="tight", metadata=metadata)
        return Path(path)

    def _figure(self) -> Figure:
        return static_memory(self.trace, time=self.view["time"])

    def _check_view(self, view: dict[str, Any]) -> None:
        sizes = {"time": len(self.trace), "row": self.trace.rows.shape[1]}
        for name, size in sizes.items():
            value = view[name]
            if value is not None and (type(value) is not int or not 0 <= value < size):
                raise ValueError(f"{name} must be a whole number from 0 to {size - 1} or None, got {value!r}")
