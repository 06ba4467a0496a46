"""The attention heatmap: pick a layer, a head, a row, and read who looks at what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from course_lib.figures.attention import (
    describe_attention,
    describe_comparison,
    static_attention,
    static_comparison,
)
from course_lib.figures.display import Mode
from course_lib.figures.picture import Picture
from course_lib.traces import AttentionTrace
from course_lib.widgets.shared.base import Traces, TraceWidget, widget_css, widget_module
from course_lib.widgets.shared.typed import Reading, TextReader, typed_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


KINDS = ("cross", "encoder", "decoder")
_UNNAMED = "attention"  # of one trace without a name


@runtime_checkable
class AttentiveTranslator(TextReader, Protocol):
    """What is asked of a translator to show its attention on a sentence that a reader types."""

    def attention_traces(self, text: str, kinds: Sequence[str]) -> Mapping[str, AttentionTrace]:
        """Return where the model looks while it translates, by kind."""


class AttentionHeatmap(TraceWidget):
    """Attention weights, switched in the browser without the kernel.

    What is shown: an `AttentionTrace`, or several with names: the kinds of a Transformer's attention
    (`{"encoder": …, "decoder": …, "cross": …}`), two models on one sentence (`{"GRU": …, "LSTM": …}`).

    Choices (arguments after the trace, or `select`):
        kind: which of the named traces; None is the first.
        layer, head: which map of it is shown, from 0.
        other: a second map beside it on the same colours: a head of the same layer, or a dictionary with
            kind, layer and head, of which what is left out is as in the first; None for one map only.
        difference: whether the first map minus the second is drawn too; the two need the same words.
        query, key: the chosen row and column, from 0.
        span: how many rows and columns are seen at once; None for all, where they are at most 128.
        grid: whether small maps of every layer and head are shown too.
        scale: "fixed" for colours from 0 to 1, "largest" for 0 to the largest weight shown.
        guess: whether a row stays hidden until the reader guesses its strongest key.
        lines: "all" for lines between words in place of the map, the stronger the larger the weight; "row"
            for those of the chosen row alone; None for the map. A picture always is the map.
        dark, large: dark background (None: as the page), large type.

    With a `translator` the reader can type another sentence: the kernel translates it, and `traces` are then
    its attention. Pieces that the model never read in training are marked.

    Closing it (`close()`) frees its memory in the kernel and in the browser.
    """

    trace: AttentionTrace
    _esm = widget_module(Path(__file__).with_suffix(".js"))
    _css = widget_css(Path(__file__).with_suffix(".css"))
    _default_view: ClassVar[dict[str, Any]] = {
        "kind": None,
        "layer": 0,
        "head": 0,
        "other": None,
        "difference": False,
        "query": 0,
        "key": 0,
        "span": None,
        "grid": False,
        "scale": "fixed",
        "guess": False,
        "lines": None,
    }

    def __init__(
        self,
        trace: AttentionTrace | Mapping[str, AttentionTrace],
        *,
        translator: AttentiveTranslator | None = None,
        mode: Mode | None = None,
        **choices: Any,
    ) -> None:
        """Make the widget.

        Args:
            trace: the weights, or several with names.
            translator: whose attention they are, to translate what a reader types; the names then are of
                "cross", "encoder" and "decoder", and one trace without a name is "cross". None where nobody
                should type.
            mode: "auto", "live", "static" or "page"; None takes the environment variable COURSE_WIDGETS.
            choices: first values of `view`.

        Raises:
            ValueError: no trace, names that a translator can't fill, or a mode or choice that does not exist.
        """
        self.traces = dict(trace) if isinstance(trace, Mapping) else {_UNNAMED: trace}
        if not self.traces:
            raise ValueError("trace must be an AttentionTrace or a mapping with at least one, got none")
        self._translator = translator
        if strange := sorted(set(self.traces) - {*KINDS, _UNNAMED}) if translator else []:
            raise ValueError(
                f"with a translator, traces are named {', '.join(KINDS)}, got {', '.join(strange)}"
            )
        super().__init__(next(iter(self.traces.values())), mode=mode, **choices)

    def select(self, **choices: Any) -> None:
        """Choose what is shown, as the reader could: one message, whatever the number of choices.

        A new kind starts at its first layer, head, row and column, unless they are chosen too.

        Raises:
            ValueError: a choice that does not exist.
        """
        if choices.get("kind", self.view["kind"]) != self.view["kind"]:
            choices = {"layer": 0, "head": 0, "query": 0, "key": 0, **choices}
        super().select(**choices)

    def picture(self) -> Picture:
        """Draw what is chosen (every layer and head where the grid is shown) as a picture with alt text."""
        return Picture.of(self._figure(), self._description())

    def save_svg(self, path: str | Path) -> Path:
        """Write the picture as an SVG file, sharp at any size and with its alt text, and return its path."""
        metadata = {"Description": self._description()}
        self._figure().savefig(path, format="svg", bbox_inches="tight", metadata=metadata)
        return Path(path)

    def _content(self) -> Traces:
        if self._translator is None:
            return {"maps": self.traces}
        read = next((trace.keys for kind, trace in self.traces.items() if kind != "decoder"), ())
        return {"maps": self.traces, "reading": Reading.of(self._translator, read, self.trace.read_as)}

    def _answer(self, request: dict[str, Any]) -> Traces:
        translator = self._translator
        if request.get("want") != "text" or translator is None:
            return super()._answer(request)
        if "text" not in request:  # a view asks whether there is a kernel
            return {}
        text = typed_text(request["text"], translator.source_pieces)
        names = {name: "cross" if name == _UNNAMED else name for name in self.traces}
        found = translator.attention_traces(text, (*names.values(),))
        self.traces = {name: found[kind] for name, kind in names.items()}
        self.trace = next(iter(self.traces.values()))
        other = self.view["other"]
        same = other is not None and other["kind"] == self.view["kind"]
        self._keep_content()
        self.select(query=0, key=0, difference=self.view["difference"] and same)
        return self._content()

    def _figure(self) -> Figure:
        view, trace = self.view, self.traces[self.view["kind"]]
        if view["grid"]:
            return static_attention(trace, layer=None, scale=view["scale"])
        if view["other"]:
            return static_comparison(*self._pair(), difference=view["difference"], scale=view["scale"])
        return static_attention(trace, layer=view["layer"], heads=[view["head"]], scale=view["scale"])

    def _description(self) -> str:
        view, trace = self.view, self.traces[self.view["kind"]]
        if view["grid"]:
            return describe_attention(trace, layer=None)
        if view["other"]:
            return describe_comparison(*self._pair(), difference=view["difference"])
        return describe_attention(trace, layer=view["layer"], heads=[view["head"]])

    def _pair(self) -> tuple[AttentionTrace, AttentionTrace]:
        first, second = (self._one(**place) for place in (_place(self.view), self.view["other"]))
        return first, second

    def _one(self, kind: str, layer: int, head: int) -> AttentionTrace:
        one = self.traces[kind].only(layer, head)
        several = len(self.traces) > 1
        name = one.name_of_head(0)
        unnamed = self.traces[kind].weights.shape[:2] == (1, 1)
        return replace(one, head_names=(kind if unnamed else f"{kind} · {name}",)) if several else one

    def _complete(self, choices: dict[str, Any]) -> dict[str, Any]:
        choices = dict(choices)
        if choices.get("kind") is None:
            choices["kind"] = next(iter(self.traces))
        other = choices.get("other")
        if other is not None:
            if not isinstance(other, int | Mapping):
                raise ValueError(f"other must be a head, a dictionary or None, got {other!r}")
            other = {"head": other} if isinstance(other, int) else other
            choices["other"] = {**_place({"layer": 0, "head": 0, **choices}), **other}
        return super()._complete(choices)

    def _check_view(self, view: dict[str, Any]) -> None:
        self._check_place(_place(view))
        sizes = dict(zip(("query", "key"), self.traces[view["kind"]].weights.shape[2:], strict=True))
        for name, size in sizes.items():
            _check_number(name, view[name], size)
        if view["other"] is not None:
            self._check_place(view["other"], "other ")
        if view["span"] is not None and not (isinstance(view["span"], int) and view["span"] > 0):
            raise ValueError(f"span must be a whole number above 0 or None, got {view['span']!r}")
        if view["scale"] not in ("fixed", "largest"):
            raise ValueError(f"scale must be 'fixed' or 'largest', got {view['scale']!r}")
        if view["lines"] not in ("all", "row", None):
            raise ValueError(f"lines must be 'all', 'row' or None, got {view['lines']!r}")
        if view["difference"]:
            self._check_difference(view)

    def _check_place(self, place: dict[str, Any], whose: str = "") -> None:
        if set(place) != {"kind", "layer", "head"}:
            raise ValueError(f"{whose.strip()} must hold kind, layer and head, got {', '.join(place)}")
        if place["kind"] not in self.traces:
            raise ValueError(f"{whose}kind must be one of {', '.join(self.traces)}, got {place['kind']!r}")
        layers, heads = self.traces[place["kind"]].weights.shape[:2]
        _check_number(f"{whose}layer", place["layer"], layers)
        _check_number(f"{whose}head", place["head"], heads)

    def _check_difference(self, view: dict[str, Any]) -> None:
        if view["other"] is None:
            raise ValueError("difference needs a second map: choose other")
        first, second = (self.traces[kind] for kind in (view["kind"], view["other"]["kind"]))
        if (first.queries, first.keys) != (second.queries, second.keys):
            raise ValueError("difference needs two maps with the same queries and the same keys")


def _place(view: Mapping[str, Any]) -> dict[str, Any]:
    return {name: view[name] for name in ("kind", "layer", "head")}


def _check_number(name: str, value: Any, size: int) -> None:
    if not isinstance(value, int) or not 0 <= value < size:
        raise ValueError(f"{name} must be a whole number from 0 to {size - 1}, got {value!r}")
