"""All strings of a small model as boxes: the height of a box is the probability of its beginning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from course_lib.figures.theme import OKABE_ITO

if TYPE_CHECKING:
    from matplotlib.axes import Axes

END = 0  # the token that ends a string; before the first token, the row that is read
FACES = (OKABE_ITO[4], OKABE_ITO[1], OKABE_ITO[2], OKABE_ITO[3])
LEGIBLE = 0.06  # a lower box has no room for its name


def icicle(
    axes: Axes,
    rows: Sequence[Sequence[float]],
    tokens: Sequence[str],
    title: str,
    depth: int = 4,
    paths: Iterable[tuple[Sequence[int], dict[str, Any]]] = (),
) -> None:
    """Draw the tree of all strings into axes, one column a token.

    Args:
        axes: of matplotlib, one unit wide for each token.
        rows: probabilities of the next token after each token; the first row is where strings begin.
        tokens: their names; the first one ends a string, and up to four others have a colour each.
        title: the answer that the picture gives.
        depth: columns.
        paths: (tokens of a string, style of the line through its boxes).

    Raises:
        ValueError: there is not one row for each token, or more than five tokens.
    """
    from matplotlib.patches import Rectangle

    if len(rows) != len(tokens) or len(tokens) > len(FACES) + 1:
        raise ValueError(
            f"rows are {len(rows)} and tokens {len(tokens)}; allowed are as many, {len(FACES) + 1} at most"
        )
    styles = [(tuple(path), style) for path, style in paths]

    def draw(string: tuple[int, ...], top: float, height: float) -> None:
        """Draw what may follow a string, from the top down, and what may follow after."""
        left = len(string)
        for token, probability in enumerate(rows[string[-1] if string else END]):
            size = float(probability) * height
            if size == 0:
                continue
            grown = (*string, token)
            face, hatch = ("white", "///") if token == END else (FACES[token - 1], "")
            box = Rectangle((left, top - size), 1, size, facecolor=face, edgecolor="black", hatch=hatch)
            box.set_linewidth(0.6)
            axes.add_patch(box)
            middle = top - size / 2
            for path, style in styles:
                if path[: len(grown)] == grown:
                    axes.plot([left + 0.06, left + 0.94], [middle, middle], **style)
            if size > LEGIBLE:
                paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
                name = f"{tokens[token]}  {size:.2f}"
                axes.text(left + 0.5, middle, name, ha="center", va="center", fontsize=10, bbox=paper)
            if token != END and len(grown) < depth:
                draw(grown, top, size)
            top -= size

    draw((), 1.0, 1.0)
    axes.set(xlim=(0, depth), ylim=(0, 1), xlabel="token", ylabel="share of all probability")
    axes.set_xticks([i + 0.5 for i in range(depth)], [str(i + 1) for i in range(depth)])
    axes.set_title(title, loc="left", fontsize=12)
