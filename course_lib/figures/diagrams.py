"""Diagrams of architectures: boxes and arrows on a grid, drawn as SVG whose text stays text.

In a label `_` lowers and `^` raises the next character, or all that stands in braces: `h_{t−1}`, `W^⊤`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from course_lib.figures.theme import DARK, LIGHT, OKABE_ITO, Theme

Point = tuple[float, float]

KINDS = ("input", "state", "operation", "output", "sign")
COLUMN, ROW = 100, 64  # pixels from a place on the grid to the next
FONT, LINE, MARGIN, HEAD = 18, 23, 13, 10  # pixels: letters, lines, around text, an arrow's head
# The second cue beside the colour is the shape: sharp corners, a pill, a double line.
COLOURS = {"input": OKABE_ITO[4], "state": OKABE_ITO[1], "output": OKABE_ITO[2]}
STYLE = f"""
.course-diagram{{{LIGHT.css()}max-width:100%;height:auto;font:{FONT}px system-ui,"DejaVu Sans",sans-serif}}
[data-jp-theme-light="false"] .course-diagram{{{DARK.css()}}}
.course-diagram text{{fill:var(--ink);text-anchor:middle}}
.course-diagram .halo{{paint-order:stroke;stroke:var(--paper);stroke-width:6px;stroke-linejoin:round}}
.course-diagram .box{{stroke:var(--ink);stroke-width:1.5px}}
.course-diagram .line{{fill:none;stroke:var(--ink);stroke-width:1.8px;stroke-linejoin:round}}
.course-diagram .frame{{fill:none;stroke:var(--muted);stroke-width:1.5px;stroke-dasharray:2 4}}
.course-diagram .frame-label{{fill:var(--muted);text-anchor:start}}
"""


@dataclass(frozen=True)
class Box:
    """Something that is computed or handed on.

    Args:
        name: what arrows call it.
        label: what stands in it; `\\n` begins a new line.
        x, y: its centre, in columns from the left and rows from the top.
        kind: "input", "state", "operation", "output", or "sign" for an operation in a circle.
        width: in columns, at least; it grows with the label.
        height: in rows, at least.

    Raises:
        ValueError: no such kind.
    """

    name: str
    label: str
    x: float
    y: float
    kind: str = "operation"
    width: float = 0.0
    height: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind of box {self.name!r} is {self.kind!r}; allowed are {', '.join(KINDS)}")

    @property
    def rectangle(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom, in pixels."""
        lines = self.label.split("\n")
        if self.kind == "sign":
            width = height = 34.0
        else:
            width = max(self.width * COLUMN, max(map(text_width, lines)) + 2 * MARGIN)
            height = max(self.height * ROW, LINE * len(lines) + MARGIN)
        x, y = self.x * COLUMN, self.y * ROW
        return x - width / 2, y - height / 2, x + width / 2, y + height / 2

    def is_level_with(self, point: Point) -> bool:
        """Say whether a point lies straight across from a side of the box."""
        left, top, right, bottom = self.rectangle
        return left <= point[0] <= right or top <= point[1] <= bottom

    def border(self, towards: Point) -> Point:
        """Return where an arrow to or from a point touches the box, straight across if it is level."""
        left, top, right, bottom = self.rectangle
        x, y = (left + right) / 2, (top + bottom) / 2
        dx, dy = towards[0] - x, towards[1] - y
        circle = self.kind == "state" and math.isclose(right - left, bottom - top)
        if circle or self.kind == "sign":
            share = (right - left) / 2 / math.hypot(dx, dy)
            return x + share * dx, y + share * dy
        if left <= towards[0] <= right:
            return towards[0], (bottom if dy > 0 else top)
        if top <= towards[1] <= bottom:
            return (right if dx > 0 else left), towards[1]
        share = min((right - x) / abs(dx), (bottom - y) / abs(dy))
        return x + share * dx, y + share * dy


@dataclass(frozen=True)
class Arrow:
    """What one box hands to another.

    Args:
        start, end: names of boxes.
        label: stands beside its longest piece.
        via: corners on the way, in columns and rows.
        dashed: for a way that is taken a step later, or only sometimes.
    """

    start: str
    end: str
    label: str = ""
    via: tuple[Point, ...] = ()
    dashed: bool = False


@dataclass(frozen=True)
class Frame:
    """A dotted line around what belongs together.

    Args:
        label: stands in its upper left corner.
        left, top, right, bottom: in columns and rows.
    """

    label: str
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class Diagram:
    """An architecture. In a notebook it shows itself, as SVG and with its words as plain text.

    Args:
        title: what is drawn.
        alt: what a sighted reader takes away from it.
        boxes, arrows, frames: what is drawn, frames below and arrows on top.

    Raises:
        ValueError: title or alt is empty, two boxes have one name, an arrow starts or ends at no box or
            leads to its own box without two corners.
    """

    title: str
    alt: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    frames: tuple[Frame, ...] = ()

    def __post_init__(self) -> None:
        if not self.title.strip() or not self.alt.strip():
            raise ValueError(f"title and alt must say what is drawn, got {self.title!r} and {self.alt!r}")
        names = [box.name for box in self.boxes]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"boxes share the names {twice}; each needs its own")
        for arrow in self.arrows:
            for name in (arrow.start, arrow.end):
                if name not in names:
                    way = f"arrow from {arrow.start!r} to {arrow.end!r}"
                    raise ValueError(f"{way}: there is no box {name!r}; the boxes are {names}")
            if arrow.start == arrow.end and len(arrow.via) < 2:
                raise ValueError(
                    f"arrow from {arrow.start!r} to itself: via is {arrow.via}; allowed are 2 or more"
                )

    def box(self, name: str) -> Box:
        """Return the box of this name."""
        return next(box for box in self.boxes if box.name == name)

    def way(self, arrow: Arrow) -> list[Point]:
        """Return the corners of an arrow in pixels, from border to border."""
        start, end = self.box(arrow.start), self.box(arrow.end)
        via = [(x * COLUMN, y * ROW) for x, y in arrow.via]
        if via:
            return [start.border(via[0]), *via, end.border(via[-1])]
        middle = start.x * COLUMN, start.y * ROW
        if end.is_level_with(middle):
            return [start.border(end.border(middle)), end.border(middle)]
        first = start.border((end.x * COLUMN, end.y * ROW))
        return [first, end.border(first)]

    def svg(self, theme: Theme = LIGHT) -> str:
        """Draw it in the colours of one background, for a file of its own."""
        return re.sub(r"var\(--(\w+)\)", lambda name: getattr(theme, name[1]), self._drawn())

    def html(self) -> str:
        """Return a `<figure>` with the SVG inside; its colours follow the page's."""
        return f'<figure style="margin:0">{self._drawn()}</figure>'

    def _drawn(self) -> str:
        drawn = [
            *map(_draw_frame, self.frames),
            *map(_draw_box, self.boxes),
            *(_draw_arrow(arrow, self.way(arrow)) for arrow in self.arrows),
        ]
        left, top, right, bottom = self.extent()
        width, height = right - left, bottom - top
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="course-diagram" role="img" width="{width:.0f}" '
            f'height="{height:.0f}" viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}">'
            f"<title>{escape(self.title)}</title><desc>{escape(self.alt)}</desc><style>{STYLE}</style>"
            f'<rect x="{left:.0f}" y="{top:.0f}" width="100%" height="100%" rx="6" fill="var(--paper)"/>'
            f"{''.join(drawn)}</svg>"
        )

    def extent(self) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of all that is drawn, in pixels, with a margin."""
        corners = [(f.left * COLUMN, f.top * ROW, f.right * COLUMN, f.bottom * ROW) for f in self.frames]
        corners += [box.rectangle for box in self.boxes]
        corners += [(x, y, x, y) for arrow in self.arrows for x, y in self.way(arrow)]
        corners += [label_rectangle(arrow.label, self.way(arrow)) for arrow in self.arrows if arrow.label]
        lefts, tops, rights, bottoms = zip(*corners, strict=True)
        return min(lefts) - MARGIN, min(tops) - MARGIN, max(rights) + MARGIN, max(bottoms) + MARGIN

    def save(self, path: str | Path) -> Path:
        """Write the SVG and return its path."""
        path = Path(path)
        path.write_text(self.svg(), encoding="utf8")
        return path

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        words = f"{self.title}. {self.alt}"
        return {"text/html": self.html(), "image/svg+xml": self.svg(), "text/plain": words}


def chain(*names: str) -> list[Arrow]:
    """Return arrows that lead from each box to the one named after it."""
    return [Arrow(start, end) for start, end in pairwise(names)]


def side_by_side(title: str, *parts: Diagram) -> Diagram:
    """Return diagrams as one, from left to right, each in a frame with its title.

    Args:
        title: of all.
        parts: the diagrams; the boxes of the first are then called "1.name", of the second "2.name", ….
    """
    boxes: list[Box] = []
    arrows: list[Arrow] = []
    frames: list[Frame] = []
    begin, lowest = 0.0, max(part.extent()[3] for part in parts) / ROW
    highest = min(part.extent()[1] for part in parts) / ROW - 0.5
    for number, part in enumerate(parts, start=1):
        left, _, right, _ = part.extent()
        dx, width = begin - left / COLUMN, (right - left) / COLUMN
        boxes += [replace(box, name=f"{number}.{box.name}", x=box.x + dx) for box in part.boxes]
        for arrow in part.arrows:
            start, end = f"{number}.{arrow.start}", f"{number}.{arrow.end}"
            via = tuple((x + dx, y) for x, y in arrow.via)
            arrows.append(replace(arrow, start=start, end=end, via=via))
        frames += [replace(frame, left=frame.left + dx, right=frame.right + dx) for frame in part.frames]
        frames.append(Frame(part.title, begin, highest, begin + width, lowest))
        begin += width + 0.15
    alt = " ".join(f"{part.title}: {part.alt}" for part in parts)
    return Diagram(title, alt, tuple(boxes), tuple(arrows), tuple(frames))


def text_width(text: str) -> float:
    """Estimate how wide a line of a label is drawn, in pixels; rather too wide than too narrow."""
    return sum(
        (FONT if shift == 0 else 0.72 * FONT) * sum(_share(character) for character in run)
        for run, shift in _runs(text)
    )


def label_rectangle(label: str, way: list[Point]) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of an arrow's label, above or to the right of its longest piece."""
    start, end = max(pairwise(way), key=lambda piece: math.dist(*piece))
    x, y, width = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2, text_width(label)
    steep = abs(end[1] - start[1]) > abs(end[0] - start[0])
    left, middle = (x + 6, y) if steep else (x - width / 2, y - LINE / 2 - 4)
    return left, middle - LINE / 2, left + width, middle + LINE / 2


def _share(character: str) -> float:
    """Width of a character, as a share of the font's size."""
    if character in "ijltfr.,:;|()[]'’ 1":
        return 0.42
    if character in "mwMW√→←⊙Σ":
        return 1.0
    return 0.8 if character.isupper() else 0.68


def _runs(line: str) -> Iterator[tuple[str, int]]:
    """Cut a line into (text, 1 if lowered, −1 if raised, 0 if level)."""
    for found in re.finditer(r"([_^])(?:\{([^}]*)\}|(.))|([^_^]+)", line):
        mark, braced, single, level = found.groups()
        yield (level, 0) if mark is None else (single if braced is None else braced, 1 if mark == "_" else -1)


def _text(label: str, x: float, y: float, style: str = "") -> str:
    """Write a label around its middle; each line is one text element."""
    lines = label.split("\n")
    y += 0.36 * FONT - LINE * (len(lines) - 1) / 2
    written = []
    for number, line in enumerate(lines):
        spans, height = [], 0
        for run, shift in _runs(line):
            size = f' font-size="{0.72 * FONT:.0f}"' if shift else ""
            spans.append(f'<tspan dy="{5 * (shift - height)}"{size}>{escape(run)}</tspan>')
            height = shift
        written.append(f'<text x="{x:.1f}" y="{y + LINE * number:.1f}"{style}>{"".join(spans)}</text>')
    return "".join(written)


def _draw_frame(frame: Frame) -> str:
    left, top = frame.left * COLUMN, frame.top * ROW
    width, height = frame.right * COLUMN - left, frame.bottom * ROW - top
    around = (
        f'<rect class="frame" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8"/>'
    )
    return around + _text(frame.label, left + 10, top + LINE / 2 + 2, ' class="frame-label"')


def _draw_box(box: Box) -> str:
    left, top, right, bottom = box.rectangle
    round_by = {"input": 0, "output": 0, "operation": 7}.get(box.kind, (bottom - top) / 2)

    def rectangle(inset: float, fill: str) -> str:
        place = f'x="{left + inset:.1f}" y="{top + inset:.1f}" rx="{max(0, round_by - inset):.1f}"'
        size = f'width="{right - left - 2 * inset:.1f}" height="{bottom - top - 2 * inset:.1f}"'
        return f'<rect class="box" {place} {size} {fill}/>'

    colour = COLOURS.get(box.kind, "var(--panel)")
    shape = rectangle(0, f'fill="{colour}" fill-opacity="{0.3 if box.kind in COLOURS else 1}"')
    if box.kind == "output":
        shape += rectangle(3.5, 'fill="none"')
    return shape + _text(box.label, (left + right) / 2, (top + bottom) / 2)


def _draw_arrow(arrow: Arrow, way: list[Point]) -> str:
    (x, y), (x_end, y_end) = way[-2:]
    length = math.dist((x, y), (x_end, y_end))
    dx, dy = HEAD * (x_end - x) / length, HEAD * (y_end - y) / length
    neck = (x_end - dx, y_end - dy)
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (*way[:-1], neck))
    head = ((x_end, y_end), (neck[0] - dy / 2, neck[1] + dx / 2), (neck[0] + dy / 2, neck[1] - dx / 2))
    tip = " ".join(f"{x:.1f},{y:.1f}" for x, y in head)
    dashes = ' stroke-dasharray="7 5"' if arrow.dashed else ""
    drawn = f'<polyline class="line" points="{line}"{dashes}/><polygon points="{tip}" fill="var(--ink)"/>'
    if not arrow.label:
        return drawn
    left, top, right, bottom = label_rectangle(arrow.label, way)
    return drawn + _text(arrow.label, (left + right) / 2, (top + bottom) / 2, ' class="halo"')
