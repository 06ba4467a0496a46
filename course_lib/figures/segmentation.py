"""The picture of a text cut into pieces: a pure function of a `SegmentationTrace` and the text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from course_lib.figures.theme import DARK, LIGHT, Theme, drawable, drawing
from course_lib.figures.tokens import token_label
from course_lib.text.bpe import BYTES, BytePairEncoding, EncodingStep, words
from course_lib.traces.segmentation import SegmentationTrace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Neighbouring pieces have these two grounds in turn; a line around each is the second cue.
BLOCKS = {"light": ("#cfe2f3", "#fbe2b0"), "dark": ("#1d4463", "#5c4712")}
LADDER = 8  # steps of a word that are seen at once
_WIDTH, _FONT, _TITLE, _BLOCK, _ROW, _ID = 640, 12, 28, 20, 26, 11  # points
_PADDING, _WORD_GAP, _LADDER_LEFT = 8, 8, 96
_MOST_WORDS = 40  # more than these are not told in words

Place = tuple[float, int, float]
"""Where a block lies: x in points, its row, its width."""


def static_segmentation(
    trace: SegmentationTrace,
    text: str,
    *,
    merges: int | None = None,
    word: int = 0,
    step: int | None = None,
    ids: bool = False,
    theme: Theme = LIGHT,
) -> Figure:
    """Draw a text as blocks, one for each piece, and below it how one word came to its pieces.

    Args:
        trace: the encoding.
        text: what is cut; spaces are "▁", a character that is not known is its bytes, with a dashed line.
        merges: how many of the merges are applied; None for all.
        word: whose steps are drawn, from 0; beyond the end it is the last.
        step: how many of them, from 0; None, or more than there are, for all.
        ids: whether each piece's id is written below it.
        theme: colours of the background.

    Raises:
        ValueError: a number of merges that the trace does not have.
    """
    from matplotlib.figure import Figure

    encoding = trace.encoding(merges)
    cut = encoding.segment_words(text)
    with drawing(theme):
        measure = _ruler()
        numbers = dict(zip(encoding.segment(text), encoding.encode(text), strict=True)) if ids else {}
        wide = {piece: 6 + 4.6 * len(str(i)) for piece, i in numbers.items()}
        places, rows = place_blocks(cut, _WIDTH, lambda piece: max(measure(piece), wide.get(piece, 0)))
        pitch = _ROW + _ID * ids
        states = _ladder(encoding, text, word, step)
        laid = [place_blocks([state], _WIDTH - _LADDER_LEFT, measure) for _, state in states]
        ladder = _TITLE + 8 + _ROW * sum(count for _, count in laid) if states else 0
        tall = _TITLE + rows * pitch + ladder
        figure = Figure(figsize=(_WIDTH / 72, tall / 72))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, _WIDTH), ylim=(tall, 0))
        axes.axis("off")
        pieces = [piece for word_pieces in cut for piece in word_pieces]
        _write(axes, 0, _BLOCK / 2, _title(trace, encoding, text), weight="bold")
        _draw_blocks(axes, pieces, places, (0, _TITLE), pitch, theme)
        for piece, (x, row, size) in zip(pieces, places, strict=True):
            y = _TITLE + row * pitch + _BLOCK + _ID / 2
            _write(
                axes, x + size / 2, y, str(numbers.get(piece, "")), ha="center", fontsize=7, color=theme.muted
            )
        top = _TITLE + rows * pitch + 8
        if states:
            name = drawable(_labels(encoding.spell(_chosen(text, word))))
            _write(axes, 0, top + _BLOCK / 2, f"How “{name}” is joined", weight="bold")
            top += _TITLE
        before: Sequence[str] = ()
        for (name, state), (spots, count) in zip(states, laid, strict=True):
            _write(axes, 0, top + _BLOCK / 2, name, color=theme.muted)
            _draw_blocks(axes, state, spots, (_LADDER_LEFT, top), _ROW, theme, joined(before, state))
            top += _ROW * count
            before = state
    return figure


def describe_segmentation(
    trace: SegmentationTrace, text: str, *, merges: int | None = None, word: int = 0, step: int | None = None
) -> str:
    """Say in words what `static_segmentation` shows: the alt text of the picture.

    Raises:
        ValueError: a number of merges that the trace does not have.
    """
    encoding = trace.encoding(merges)
    cut = encoding.segment_words(text)
    told = " ".join("|".join(map(block_label, pieces)) for pieces in cut[:_MOST_WORDS])
    if not cut:
        return f"{_title(trace, encoding, text)}."
    chosen = _chosen(text, word)
    steps = list(encoding.steps(chosen))[:step]
    joins = ", ".join(
        f"{block_label(a)} + {block_label(b)} (merge {rank + 1:,})" for rank, (a, b), _ in steps
    )
    more = " …" if len(cut) > _MOST_WORDS else ""
    replay = f"“{_labels(encoding.spell(chosen))}” is joined by {joins or 'no merge'}"
    return f"{_title(trace, encoding, text)}: {told}{more}. {replay}."


def count_words(text: str) -> int:
    """Return how many words and marks a text has; spaces and ends of lines are none."""
    return sum(not word.isspace() for word in words(" " + text))


def joined(before: Sequence[str], after: Sequence[str]) -> set[int]:
    """Return the places in `after` of the pieces that were joined of two in `before`."""
    places: set[int] = set()
    i = 0
    for place, piece in enumerate(after):
        if i < len(before) and before[i] != piece:
            places.add(place)
            i += 1
        i += 1
    return places if before else set()


def place_blocks(
    cut: Sequence[Sequence[str]], width: float, measure: Callable[[str], float]
) -> tuple[list[Place], int]:
    """Lay blocks out in rows, a word in one row where it fits; a row ends with an end of line.

    Returns:
        (places, rows): of each piece its place, and how many rows there are.
    """
    places: list[Place] = []
    x, row = 0.0, 0
    for pieces in cut:
        sizes = [measure(piece) for piece in pieces]
        if x and x + sum(sizes) > width:
            x, row = 0.0, row + 1
        for size in sizes:
            if x and x + size > width:
                x, row = 0.0, row + 1
            places.append((x, row, size))
            x += size
        x += _WORD_GAP
        if pieces[-1] in ("\n", BYTES[ord("\n")]):
            x, row = 0.0, row + 1
    return places, places[-1][1] + 1 if places else 0


def block_label(piece: str) -> str:
    """Return what is written on a piece's block: a byte as 0xC3."""
    return piece[1:-1] if piece in BYTES else token_label(piece)


def _chosen(text: str, word: int) -> str:
    return list(words(" " + text))[: word + 1][-1]


def _ladder(
    encoding: BytePairEncoding, text: str, word: int, step: int | None
) -> list[tuple[str, Sequence[str]]]:
    """Return the last rows of a word's steps: (name, symbols), where the first row is the word as spelled."""
    if not text:
        return []
    chosen = _chosen(text, word)
    steps: list[EncodingStep] = list(encoding.steps(chosen))[:step]
    rows: list[tuple[str, Sequence[str]]] = [("spelled", encoding.spell(chosen))]
    rows += [(f"merge {rank + 1:,}", symbols) for rank, _, symbols in steps]
    return rows[-LADDER - 1 :]


def _labels(pieces: Sequence[str]) -> str:
    return "".join(map(block_label, pieces))


def _title(trace: SegmentationTrace, encoding: BytePairEncoding, text: str) -> str:
    pieces, whole = len(encoding.encode(text)), count_words(text)
    rate = f", {pieces / whole:.2f} each" if whole else ""
    total, used = len(trace), len(encoding.merges)
    which = f"the first {used:,} of {total:,} merges" if used else f"none of {total:,} merges"
    which = f"all {total:,} merges" if used == total else which
    name = ", ".join(filter(None, (drawable(trace.title), which)))
    return (
        f"{_counted(pieces, 'piece')} for {_counted(whole, 'word or mark', 'words and marks')}{rate} ({name})"
    )


def _counted(count: int, one: str, more: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def _ruler() -> Callable[[str], float]:
    """Return what measures a piece's block, in points."""
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.font_manager import FontProperties

    renderer, font = RendererAgg(1, 1, 72), FontProperties(size=_FONT)

    def measure(piece: str) -> float:
        label = drawable(block_label(piece))
        return _PADDING + renderer.get_text_width_height_descent(label, font, ismath=False)[0]

    return measure


def _write(axes: Axes, x: float, y: float, text: str, **look: Any) -> None:
    axes.text(x, y, text, **{"va": "center", "fontsize": _FONT, **look})


def _draw_blocks(
    axes: Axes,
    pieces: Sequence[str],
    places: Sequence[Place],
    corner: tuple[float, float],
    pitch: float,
    theme: Theme,
    marked: Collection[int] = (),
) -> None:
    from matplotlib.patches import Rectangle

    grounds = BLOCKS["dark" if theme == DARK else "light"]
    for i, (piece, (x, row, width)) in enumerate(zip(pieces, places, strict=True)):
        left, top = corner[0] + x, corner[1] + row * pitch
        line = {"edgecolor": theme.accent, "linewidth": 2.5} if i in marked else {"edgecolor": theme.ink}
        dash = "--" if piece in BYTES else "-"
        axes.add_patch(
            Rectangle((left + 1, top), width - 2, _BLOCK, facecolor=grounds[i % 2], linestyle=dash, **line)
        )
        _write(axes, left + width / 2, top + _BLOCK / 2, drawable(block_label(piece)), ha="center")
