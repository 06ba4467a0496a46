"""The attention heatmap: pick a layer, a head, a row, and read who looks at what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from course_lib.figures.attention import describe_attention, static_attention
from course_lib.figures.picture import Picture
from course_lib.traces import AttentionTrace
from course_lib.widgets.base import TraceWidget, module_source, widget_css

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class AttentionHeatmap(TraceWidget):
    """Attention weights of an `AttentionTrace`, switched in the browser without the kernel.

    Choices (arguments after the trace, or `select`):
        layer, head: which map is shown, from 0.
        other: a second head beside it on the same colours, or None.
        query, key: the chosen row and column, from 0.
        grid: whether small maps of every layer and head are shown too.
        scale: "fixed" for colours from 0 to 1, "largest" for 0 to the largest weight shown.
        guess: whether a row stays hidden until the reader guesses its strongest key.
        dark, large: dark background (None: as the page), large type.

    Closing it (`close()`) frees its memory in the kernel and in the browser.
    """

    trace: AttentionTrace
    _esm = module_source("common.js", "attention_heatmap.js")
    _css = widget_css("attention_heatmap.css")
    _default_view: ClassVar[dict[str, Any]] = {
        "layer": 0,
        "head": 0,
        "other": None,
        "query": 0,
        "key": 0,
        "grid": False,
        "scale": "fixed",
        "guess": False,
    }

    def picture(self) -> Picture:
        """Draw the chosen heads (all of them where the grid is shown) as a picture with alt text."""
        text = describe_attention(self.trace, layer=self.view["layer"], heads=self._heads())
        return Picture.of(self._figure(), text)

    def save_svg(self, path: str | Path) -> Path:
        """Write the picture as an SVG file, sharp at any size and with its alt text, and return its path."""
        text = describe_attention(self.trace, layer=self.view["layer"], heads=self._heads())
        self._figure().savefig(path, format="svg", bbox_inches="tight", metadata={"Description": text})
        return Path(path)

    def _figure(self) -> Figure:
        return static_attention(
            self.trace, layer=self.view["layer"], heads=self._heads(), scale=self.view["scale"]
        )

    def _heads(self) -> list[int]:
        if self.view["grid"]:
            return list(range(self.trace.weights.shape[1]))
        return [self.view["head"]] + ([] if self.view["other"] is None else [self.view["other"]])

    def _check_view(self, view: dict[str, Any]) -> None:
        sizes = dict(zip(("layer", "head", "query", "key"), self.trace.weights.shape, strict=True))
        sizes["other"] = sizes["head"]
        for name, size in sizes.items():
            value = view[name]
            if name == "other" and value is None:
                continue
            if not isinstance(value, int) or not 0 <= value < size:
                raise ValueError(f"{name} must be a whole number from 0 to {size - 1}, got {value!r}")
        if view["scale"] not in ("fixed", "largest"):
            raise ValueError(f"scale must be 'fixed' or 'largest', got {view['scale']!r}")
