"""Colours, fonts and scales that every figure and widget shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

# Okabe and Ito (2008), "Color Universal Design": told apart with every common colour blindness.
OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")

# The second cue beside a colour of OKABE_ITO: marker shapes and line dashes of matplotlib.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 3)))

# Perceptually uniform and colour-blind safe; for weights from 0 to 1.
WEIGHT_SCALE = "cividis"
# Ends and middle of the colours of a difference, from -1 to 1: purple and green of ColorBrewer's PRGn
# (Harrower and Brewer 2003), told apart with every common colour blindness.
DIFFERENCE_SCALE = ("#762a83", "#f7f7f7", "#1b7837")

FONTS = ("DejaVu Sans", "Noto Sans", "Noto Color Emoji", "Noto Sans CJK JP", "Noto Sans Arabic")


@dataclass(frozen=True)
class Theme:
    """The colours of one background; the names are those of the CSS variables (`--ink`, …)."""

    paper: str
    panel: str
    ink: str
    muted: str
    line: str
    accent: str
    good: str
    bad: str
    masked: str

    def css(self) -> str:
        """Return the colours as CSS custom properties."""
        return "".join(f"--{name}:{value};" for name, value in asdict(self).items())


LIGHT = Theme(
    paper="#ffffff",
    panel="#f5f6f8",
    ink="#1b1f24",
    muted="#57606a",
    line="#c9ced6",
    accent="#0072B2",
    good="#007a59",
    bad="#b84a00",
    masked="#d9dde3",
)
DARK = Theme(
    paper="#14181d",
    panel="#1f252c",
    ink="#eef1f4",
    muted="#a5afba",
    line="#454f5b",
    accent="#56B4E9",
    good="#2fc596",
    bad="#f0883e",
    masked="#39424d",
)


def difference_colours() -> LinearSegmentedColormap:
    """Return the colours of numbers that may lie below 0: purple below, green above."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("difference", DIFFERENCE_SCALE)


@contextmanager
def drawing(theme: Theme = LIGHT) -> Iterator[None]:
    """Draw with the course's fonts and colours; matplotlib's own settings come back afterwards."""
    import matplotlib

    with matplotlib.rc_context(_settings(theme)):
        yield


def ink_on(colour: Sequence[float]) -> str:
    """Return "black" or "white", whichever stands out more: by at least 4.5 to 1.

    Args:
        colour: red, green and blue of the background, from 0 to 1.

    Source: relative luminance and contrast of the Web Content Accessibility Guidelines 2.1.
    """
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    luminance = sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return "black" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"


def heading(figure: Figure, title: str, left: float = 0.01) -> None:
    """Write a title above a figure, on as many lines as its width asks for: a long one squeezes nothing.

    Args:
        figure: as wide as it will be.
        title: what can be drawn (see `drawable`); its own lines stay.
        left: where it begins, from 0 to 1.
    """
    letters = int(9 * figure.get_figwidth())  # a bold letter of this size is a ninth of an inch wide
    lines = [line for part in title.split("\n") for line in wrap(part, letters) or [""]]
    figure.suptitle("\n".join(lines), x=left, ha="left", fontweight="bold")


def drawable(text: str) -> str:
    """Replace what no installed font of ours can draw by its code point, so that nothing is lost."""
    glyphs = _glyphs()
    return "".join(c if ord(c) in glyphs or c in "\u200d\ufe0f\n" else f"⟨U+{ord(c):04X}⟩" for c in text)


def _installed_fonts() -> list[str]:
    from matplotlib import font_manager

    installed = {entry.name for entry in font_manager.fontManager.ttflist}
    return [name for name in FONTS if name in installed]


def _glyphs() -> frozenset[int]:
    if not _GLYPHS:
        from matplotlib import font_manager

        for name in _installed_fonts():
            font = font_manager.get_font(font_manager.findfont(name))
            _GLYPHS.update(font.get_charmap())
    return frozenset(_GLYPHS)


_GLYPHS: set[int] = set()


def _settings(theme: Theme) -> Any:
    return {
        "font.family": _installed_fonts(),
        "font.size": 11,
        "axes.titlesize": 12,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.facecolor": theme.paper,
        "savefig.facecolor": theme.paper,
        "axes.facecolor": theme.paper,
        "axes.edgecolor": theme.line,
        "axes.labelcolor": theme.ink,
        "text.color": theme.ink,
        "xtick.color": theme.ink,
        "ytick.color": theme.ink,
        "grid.color": theme.line,
        "axes.unicode_minus": True,
        "text.usetex": False,
        "text.parse_math": False,
    }
