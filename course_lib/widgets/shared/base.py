"""The shell that every teaching widget shares: one trace, one ES module, three ways to be shown.

A widget is (1) a trace, (2) a figure drawn from it by `course_lib.figures`, (3) a few small ES modules in
its folder that draw the same trace in the browser and let a reader choose what to see. Joined into one text,
they are used twice: live, in a notebook, through anywidget; and in the page that `export_html` writes, where
`standin.js` takes the place of the model. What the reader has chosen is one dictionary, `view`, so a
choice is one message. The trace goes to the browser with the first message, as one compact buffer: were
it asked for, it would come only when the kernel has run every cell that waits.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import fields
from html import escape
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import anywidget
import numpy as np
import traitlets

from course_lib.figures.display import Mode, display_mode, show
from course_lib.figures.picture import Picture
from course_lib.figures.theme import DARK, DIFFERENCE_SCALE, LIGHT, MARKERS, OKABE_ITO
from course_lib.figures.tokens import token_label
from course_lib.traces import Trace
from course_lib.widgets.shared.modules import join_modules

_HERE = Path(__file__).resolve().parent
_SHARED_CONSTANTS = {"DIFFERENCE_SCALE": DIFFERENCE_SCALE, "MARKERS": MARKERS, "OKABE_ITO": OKABE_ITO}
_BROWSER_TYPES = {"b": np.uint8, "i": np.int32, "u": np.int32, "f": np.float32}


def widget_module(module: Path, **constants: Any) -> str:
    """Join a JavaScript module with those that it imports.

    The text, not the path, goes to anywidget: a path would keep every widget alive.

    Args:
        module: the file that begins.
        constants: what `constants.js` beside it exports. There is no such file: `constants.d.ts` tells
            TypeScript what it would hold, as it does in the shared folder.
    """
    given = {_HERE: _SHARED_CONSTANTS, module.resolve().parent: constants}
    return join_modules(
        module, {folder / "constants.js": _constants_module(values) for folder, values in given.items()}
    )


def _constants_module(values: Mapping[str, Any]) -> str:
    return "".join(f"export const {name} = {json.dumps(value)};\n" for name, value in values.items())


def widget_css(style: Path) -> str:
    """Return the theme's colours as CSS variables, then the shared style, then a widget's own."""
    colours = f".course-widget{{{LIGHT.css()}}}\n.course-widget[data-theme=dark]{{{DARK.css()}}}"
    return "\n".join((colours, *(path.read_text(encoding="utf-8") for path in (_HERE / "common.css", style))))


# An exported page; what stands between %% is filled in by `fill_page`, or in the browser by `savePage`.
PAGE = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%%title%%</title>
<style>
body {{ margin: 0; padding: 1rem; font-family: system-ui, sans-serif }}
h1 {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }}
body:has(.course-widget[data-theme=dark]) {{ background: {DARK.paper} }}
</style>
</head>
<body>
<h1>%%title%%</h1>
<main id="widget"></main>
<noscript>%%picture%%</noscript>
<script type="application/json" id="content">%%content%%</script>
<script type="module">
{(_HERE / "standin.js").read_text(encoding="utf-8")}</script>
</body>
</html>
"""


def fill_page(title: str, picture: str, content: dict[str, Any]) -> str:
    """Fill in `PAGE`: its title as text, its picture as HTML, and what `standin.js` reads."""
    # "<" is the one character that could end the script element from inside a JSON string.
    text = json.dumps(content, allow_nan=False).replace("<", "\\u003c")
    parts = {"title": escape(title), "picture": picture, "content": text}
    return re.sub(r"%%(\w+)%%", lambda place: parts[place[1]], PAGE)


def frame(page: str, alt: str) -> str:
    """Put an exported page into another page."""
    return (
        f'<iframe title="{escape(alt)}" srcdoc="{escape(page)}" loading="lazy" '
        'style="width:100%;height:720px;border:0"></iframe>'
    )


Traces: TypeAlias = Trace | Mapping[str, Any]  # one, or several by name, each of which may be several again


def pack(traces: Traces) -> tuple[dict[str, Any], bytes]:
    """Turn a trace, or several with names, into JSON and one buffer, for the browser.

    Tokens become their labels. Arrays are laid out one after another, each starting at a multiple of 4
    bytes: float32, int32 or uint8 (for booleans and pictures). NaN stays a NaN in the buffer, and never is in
    the JSON.

    Returns:
        (fields, buffer): for each field its value, or {dtype, shape, offset} of an array in the buffer;
        of several traces, the fields of each under its name.
    """
    return _pack(traces, 0)


def _pack(traces: Traces, offset: int) -> tuple[dict[str, Any], bytes]:
    if isinstance(traces, Trace):
        return _pack_one(traces, offset)
    several: dict[str, Any] = {}
    buffer = b""
    for name, part in traces.items():
        several[name], more = _pack(part, offset + len(buffer))
        buffer += more
    return several, buffer


def _pack_one(trace: Trace, offset: int) -> tuple[dict[str, Any], bytes]:
    packed: dict[str, Any] = {}
    parts: list[bytes] = []
    for f in fields(trace):
        value = getattr(trace, f.name)
        if isinstance(value, np.ndarray):
            small = value.dtype == np.uint8  # a picture
            data = np.ascontiguousarray(value, np.uint8 if small else _BROWSER_TYPES[value.dtype.kind])
            raw = data.tobytes()
            packed[f.name] = {"dtype": data.dtype.name, "shape": data.shape, "offset": offset}
            parts.append(raw + bytes(-len(raw) % 4))
            offset += len(parts[-1])
        elif isinstance(value, float) and not np.isfinite(value):
            packed[f.name] = None
        else:
            packed[f.name] = _labels(value) if f.metadata.get("tokens") else value
    return packed, b"".join(parts)


def _labels(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_labels(item) for item in value]
    return value if value is None else token_label(value)


class TraceWidget(anywidget.AnyWidget):
    """Base of the teaching widgets.

    A subclass sets `_esm` (by `widget_module`), `_css` (by `widget_css`),
    `_default_view`, and writes `picture` and, where choices can be wrong, `_check_view`. Where the
    kernel can compute something new for the browser, it also writes `_answer`.
    """

    _default_view: ClassVar[dict[str, Any]] = {}
    # `dark` None follows the page; `large` is lecture mode.
    _shared_view: ClassVar[dict[str, Any]] = {"dark": None, "large": False}

    view = traitlets.Dict(help="What the reader has chosen; synchronised as one value.").tag(sync=True)
    _fields = traitlets.Dict(help="The packed trace without its arrays.").tag(sync=True)
    _buffer = traitlets.Bytes(help="The arrays of the packed trace.").tag(sync=True)
    _page = traitlets.Unicode(PAGE, help="What the browser fills in to save a page.").tag(sync=True)

    def __init__(self, trace: Trace, *, mode: Mode | None = None, **choices: Any) -> None:
        """Make the widget.

        Args:
            trace: what is shown.
            mode: "auto", "live", "static" or "page"; None takes the environment variable COURSE_WIDGETS.
            choices: first values of `view`.

        Raises:
            ValueError: a mode or a choice that does not exist.
        """
        self.trace = trace
        self.mode = display_mode(mode)
        packed, buffer = pack(self._content())
        super().__init__(view=self._complete(choices), _fields=packed, _buffer=buffer)
        self.on_msg(self._on_request)

    def select(self, **choices: Any) -> None:
        """Choose what is shown, as the reader could: one message, whatever the number of choices.

        Raises:
            ValueError: a choice that does not exist.
        """
        self.view = self._complete({**self.view, **choices})

    def picture(self) -> Picture:
        """Draw what is chosen now as a picture with alt text."""
        raise NotImplementedError

    def save_png(self, path: str | Path) -> Path:
        """Write the picture as a PNG file and return its path."""
        return self.picture().save(path)

    def export_html(self, path: str | Path) -> Path:
        """Write one HTML file that is this widget, without kernel or network, and return its path."""
        path = Path(path)
        path.write_text(self._exported(self.picture()), encoding="utf-8")
        return path

    def _exported(self, picture: Picture) -> str:
        content = {
            "module": self._esm,
            "style": self._css,
            "page": self._page,
            "view": self.view,
            "fields": self._fields,
            "buffer": base64.b64encode(self._buffer).decode(),
        }
        title = getattr(self.trace, "title", "") or type(self).__name__
        return fill_page(title, picture.html(), content)

    def _content(self) -> Traces:
        """Return what goes to the browser."""
        return self.trace

    def _answer(self, request: dict[str, Any]) -> Any:
        """Compute the trace, or traces by name, that a view asked for; it shows a ValueError to readers."""
        raise ValueError(f"{type(self).__name__} cannot answer the request {request!r}")

    def _keep_content(self) -> None:
        """Let new views and saved pages show what is there now; who asked for it gets it as the answer."""
        fields, buffer = pack(self._content())
        fields = json.loads(json.dumps(fields))  # as it comes to the browser
        with self._lock_property(_fields=fields, _buffer=buffer):  # so that it is not sent twice
            self._fields, self._buffer = fields, buffer

    def _check_view(self, view: dict[str, Any]) -> None:
        """Raise ValueError for a choice that does not exist."""

    def _complete(self, choices: dict[str, Any]) -> dict[str, Any]:
        allowed = {**self._shared_view, **self._default_view}
        for name in choices:
            if name not in allowed:
                raise ValueError(
                    f"{name} is not a choice of {type(self).__name__}; it has {', '.join(allowed)}"
                )
        view = {**allowed, **choices}
        self._check_view(view)
        return view

    @traitlets.validate("view")
    def _validate_view(self, proposal: Any) -> dict[str, Any]:
        return self._complete(proposal["value"])

    def _on_request(self, _widget: Any, request: dict[str, Any], _buffers: Any) -> None:
        try:
            packed, buffer = pack(self._answer(request))
        except ValueError as error:
            self.send({"reply": request.get("id"), "error": str(error)})
        else:
            self.send({"reply": request.get("id"), "fields": packed}, buffers=[buffer])

    def _ipython_display_(self, **_: Any) -> None:
        picture = self.picture() if self.mode != "live" else None
        if picture is not None and self.mode == "page":
            data = {
                "text/html": frame(self._exported(picture), picture.alt),
                "text/plain": picture.alt,
            }
        else:
            data, _metadata = self._repr_mimebundle_() or ({}, {})
        show(picture, data, self.mode)
