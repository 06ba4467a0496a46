"""The t-SNE map: watch it form, look up a word, and see how far to believe it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from course_lib.figures.display import Mode
from course_lib.figures.embedding import CAUTION, describe_embedding, static_embedding
from course_lib.figures.picture import Picture
from course_lib.figures.tsne import largest_perplexity
from course_lib.figures.tsne_points import Points, embed_beside
from course_lib.traces import EmbeddingTrace, Trace
from course_lib.widgets.shared.base import TraceWidget, pack, widget_css, widget_module

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class PerplexityRange(Trace):
    """Which perplexities a view may ask the kernel for.

    Args:
        smallest, largest: both are allowed.
    """

    smallest: float
    largest: float


class TSNEMap(TraceWidget):
    """An `EmbeddingTrace`, played in the browser without the kernel.

    Choices (arguments after the trace, or `select`):
        frame: the frame shown, from 0; None is the last.
        point: the point whose neighbours are shown, from 0, or None.
        hidden: names of the classes that are left out; the others keep their colours.
        labels: whether labels, or pictures where the trace has them, are drawn where there is room.
        layout: "tsne"; "pca" for the first two principal components of the same points, "pca3" for the first
            three, to be turned. A picture always is the t-SNE map.
        selected: points that the lasso has chosen, from 0; they are listed in a table, and a
            picture writes their labels first.
        dark, large: dark background (None: as the page), large type.

    With `points` the reader can ask for another perplexity: the kernel lays them out anew, and `trace` is
    then the newest run, with the earlier ones beside it. A page without a kernel shows no box to ask in.
    """

    trace: EmbeddingTrace
    _esm = widget_module(
        Path(__file__).with_suffix(".js"),
        CAUTION=CAUTION,
    )
    _css = widget_css(Path(__file__).with_suffix(".css"))
    _default_view: ClassVar[dict[str, Any]] = {
        "frame": None,
        "point": None,
        "hidden": [],
        "labels": True,
        "layout": "tsne",
        "selected": [],
    }

    def __init__(
        self,
        trace: EmbeddingTrace,
        *,
        points: Points | None = None,
        mode: Mode | None = None,
        **choices: Any,
    ) -> None:
        """Make the widget.

        Args:
            trace: the run that is shown first.
            points: what the trace was made of, to lay it out anew; None where nobody should ask.
            mode: "auto", "live", "static" or "page"; None takes the environment variable COURSE_WIDGETS.
            choices: first values of `view`.

        Raises:
            ValueError: points with other labels than the trace's, or a mode or a choice that does not exist.
        """
        if points is not None and points.labels != trace.labels:
            raise ValueError("points must be those of the trace, with the same labels in the same order")
        self._points = points
        super().__init__(trace, mode=mode, **choices)

    def picture(self) -> Picture:
        """Draw the frame shown as a picture with alt text."""
        return Picture.of(self._figure(), describe_embedding(self.trace))

    def save_svg(self, path: str | Path) -> Path:
        """Write the picture as an SVG file, sharp at any size and with its alt text, and return its path."""
        metadata = {"Description": describe_embedding(self.trace)}
        self._figure().savefig(path, format="svg", bbox_inches="tight", metadata=metadata)
        return Path(path)

    def _figure(self) -> Figure:
        frame = -1 if self.view["frame"] is None else self.view["frame"]
        return static_embedding(self.trace, frame=frame, first=self.view["selected"])

    def _answer(self, request: dict[str, Any]) -> Trace:
        if request.get("want") != "perplexity" or self._points is None:
            return super()._answer(request)
        if "perplexity" not in request:  # a view first asks whether there is a kernel with the points
            return PerplexityRange(1.0, largest_perplexity(len(self._points)))
        if not isinstance(request["perplexity"], int | float):
            raise ValueError(f"perplexity must be a number, got {request['perplexity']!r}")
        self.trace = embed_beside(self._points, request["perplexity"], self.trace)
        packed, buffer = pack(self.trace)
        with self.hold_sync():
            self.view = {**self.view, "frame": None}
            self._fields, self._buffer = packed, buffer  # so that pages saved from now on hold it
        return replace(self.trace, pictures=None)

    def _check_view(self, view: dict[str, Any]) -> None:
        for name, size in (("frame", len(self.trace.frames)), ("point", len(self.trace))):
            value = view[name]
            if value is not None and not (type(value) is int and 0 <= value < size):
                raise ValueError(f"{name} must be a whole number from 0 to {size - 1} or None, got {value!r}")
        layouts = ("tsne",) if self.trace.components is None else ("tsne", "pca", "pca3")
        if view["layout"] not in layouts:
            raise ValueError(f"layout must be one of {', '.join(layouts)}, got {view['layout']!r}")
        unknown = set(view["hidden"]) - set(self.trace.groups)
        if unknown:
            raise ValueError(f"hidden must name classes of the trace, got {sorted(unknown)}")
        strange = [one for one in view["selected"] if type(one) is not int or not 0 <= one < len(self.trace)]
        if strange:
            raise ValueError(f"selected must hold points from 0 to {len(self.trace) - 1}, got {strange[:5]}")
