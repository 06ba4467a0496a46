"""The t-SNE map: watch it form, look up a word, and see how far to believe it."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from course_lib.figures.embedding import CAUTION, describe_embedding, static_embedding
from course_lib.figures.picture import Picture
from course_lib.figures.theme import MARKERS, OKABE_ITO
from course_lib.traces import EmbeddingTrace
from course_lib.widgets.base import TraceWidget, module_source, widget_css

_CONSTANTS = "\n".join(
    f"const {name} = {json.dumps(value)};"
    for name, value in {"OKABE_ITO": OKABE_ITO, "MARKERS": MARKERS, "CAUTION": CAUTION}.items()
)


class TSNEMap(TraceWidget):
    """An `EmbeddingTrace`, played in the browser without the kernel.

    Choices (arguments after the trace, or `select`):
        frame: the frame shown, from 0; None is the last.
        point: the point whose neighbours are shown, from 0, or None.
        hidden: names of the classes that are left out; the others keep their colours.
        labels: whether labels are written where there is room.
        dark, large: dark background (None: as the page), large type.
    """

    trace: EmbeddingTrace
    _esm = "\n".join((module_source("common.js"), _CONSTANTS, module_source("tsne_map.js")))
    _css = widget_css("tsne_map.css")
    _default_view: ClassVar[dict[str, Any]] = {"frame": None, "point": None, "hidden": [], "labels": True}

    def picture(self) -> Picture:
        """Draw the frame shown as a picture with alt text."""
        frame = -1 if self.view["frame"] is None else self.view["frame"]
        return Picture.of(static_embedding(self.trace, frame=frame), describe_embedding(self.trace))

    def _check_view(self, view: dict[str, Any]) -> None:
        for name, size in (("frame", len(self.trace.frames)), ("point", len(self.trace))):
            value = view[name]
            if value is not None and not (type(value) is int and 0 <= value < size):
                raise ValueError(f"{name} must be a whole number from 0 to {size - 1} or None, got {value!r}")
        unknown = set(view["hidden"]) - set(self.trace.groups)
        if unknown:
            raise ValueError(f"hidden must name classes of the trace, got {sorted(unknown)}")
