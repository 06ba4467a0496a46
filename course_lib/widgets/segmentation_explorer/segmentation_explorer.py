"""The segmentation explorer: type a text, and watch its pieces join merge by merge."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from course_lib.data.special import SPECIAL
from course_lib.figures.display import Mode
from course_lib.figures.picture import Picture
from course_lib.figures.segmentation import BLOCKS, LADDER, describe_segmentation, static_segmentation
from course_lib.text.bpe import SPACE
from course_lib.traces.segmentation import FIRST_BYTE, FIRST_CHARACTER, SegmentationTrace
from course_lib.widgets.shared.base import TraceWidget, widget_css, widget_module

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_TEXT = 1000  # characters that a reader may type


class SegmentationExplorer(TraceWidget):
    """A text cut into pieces by byte-pair encodings, typed and cut in the browser without the kernel.

    What is shown: a `SegmentationTrace`, or several with names (`{"English": …, "Turkish": …}`), each of
    which cuts the same text.

    Choices (arguments after the trace, or `select`):
        text: what is cut, at most 1000 characters; what the reader types.
        encoding: which of the named traces; None is the first.
        merges: how many of its merges are applied; None, or more than it has, for all.
        word: whose steps are shown, from 0; beyond the end of a shorter text it is the last.
        step: how many of these, from 0; None, or more than there are, for all.
        ids: whether each piece's id is written below it.
        dark, large: dark background (None: as the page), large type.
    """

    trace: SegmentationTrace
    _esm = widget_module(
        Path(__file__).with_suffix(".js"),
        BLOCKS=BLOCKS,
        LADDER=LADDER,
        SPECIAL=SPECIAL,
        SPACE=SPACE,
        FIRST_BYTE=FIRST_BYTE,
        FIRST_CHARACTER=FIRST_CHARACTER,
        LONGEST_TEXT=LONGEST_TEXT,
    )
    _css = widget_css(Path(__file__).with_suffix(".css"))
    _default_view: ClassVar[dict[str, Any]] = {
        "text": "",
        "encoding": None,
        "merges": None,
        "word": 0,
        "step": None,
        "ids": False,
    }

    def __init__(
        self,
        trace: SegmentationTrace | Mapping[str, SegmentationTrace],
        *,
        mode: Mode | None = None,
        **choices: Any,
    ) -> None:
        """Make the widget.

        Args:
            trace: the encoding, or several with names.
            mode: "auto", "live", "static" or "page"; None takes the environment variable COURSE_WIDGETS.
            choices: first values of `view`.

        Raises:
            ValueError: no trace, or a mode or a choice that does not exist.
        """
        if isinstance(trace, SegmentationTrace):
            trace = {trace.title or "text": trace}
        self.traces = dict(trace)
        if not self.traces:
            raise ValueError("trace must be a SegmentationTrace or a mapping with at least one, got none")
        super().__init__(next(iter(self.traces.values())), mode=mode, **choices)

    def picture(self) -> Picture:
        """Draw what is shown now as a picture with alt text."""
        return Picture.of(self._figure(), self._description())

    def save_svg(self, path: str | Path) -> Path:
        """Write the picture as an SVG file, sharp at any size and with its alt text, and return its path."""
        metadata = {"Description": self._description()}
        self._figure().savefig(path, format="svg", bbox_inches="tight", metadata=metadata)
        return Path(path)

    def _content(self) -> Mapping[str, SegmentationTrace]:
        return self.traces

    def _figure(self) -> Figure:
        trace, text, choices = self._shown()
        return static_segmentation(trace, text, ids=self.view["ids"], **choices)

    def _description(self) -> str:
        trace, text, choices = self._shown()
        return describe_segmentation(trace, text, **choices)

    def _shown(self) -> tuple[SegmentationTrace, str, dict[str, Any]]:
        view = self.view
        trace = self.traces[view["encoding"]]
        merges = None if view["merges"] is None else min(view["merges"], len(trace))
        return trace, view["text"], {"merges": merges, "word": view["word"], "step": view["step"]}

    def _complete(self, choices: dict[str, Any]) -> dict[str, Any]:
        choices = dict(choices)
        if choices.get("encoding") is None:
            choices["encoding"] = next(iter(self.traces))
        return super()._complete(choices)

    def _check_view(self, view: dict[str, Any]) -> None:
        text = view["text"]
        if not isinstance(text, str) or len(text) > LONGEST_TEXT:
            came = f"{len(text):,}" if isinstance(text, str) else type(text).__name__
            raise ValueError(f"text must be at most {LONGEST_TEXT:,} characters, got {came}")
        if half := re.search("[\ud800-\udfff]", text):
            raise ValueError(f"text must be whole characters, got the surrogate {half.group()!r}")
        if view["encoding"] not in self.traces:
            allowed = ", ".join(self.traces)
            raise ValueError(f"encoding must be one of {allowed} or None, got {view['encoding']!r}")
        for name in ("merges", "word", "step"):
            value = view[name]
            if value is None and name != "word":
                continue
            if type(value) is not int or value < 0:
                also = "" if name == "word" else " or None"
                raise ValueError(f"{name} must be a whole number from 0 on{also}, got {value!r}")
