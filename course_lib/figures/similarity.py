"""How alike words are, each with each: a picture small enough to be drawn while they are learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from course_lib.figures.theme import WEIGHT_SCALE, drawable

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_similarity(axes: Axes, words: Sequence[str], cosines: Float[np.ndarray, "words words"]) -> None:
    """Draw the cosine of each word with each, light where they point the same way.

    Args:
        axes: where it is drawn.
        words: in the order of rows and columns; words of a kind stand together.
        cosines: from −1 to 1; what is below 0 is drawn as 0.

    Raises:
        ValueError: there is not a row and a column for each word.
    """
    if cosines.shape != (len(words), len(words)):
        raise ValueError(f"cosines have shape {cosines.shape} for {len(words)} words")
    image = axes.imshow(cosines, cmap=WEIGHT_SCALE, vmin=0, vmax=1)
    names = [drawable(word) for word in words]
    axes.set_xticks(range(len(words)), names, rotation=90)
    axes.set_yticks(range(len(words)), names)
    axes.figure.colorbar(image, ax=axes, label="cosine")
