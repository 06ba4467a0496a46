"""Pictures of memories: rows of digits, and how far two memories complete what they are shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.figures.picture import Picture
from course_lib.figures.theme import drawing, heading
from course_lib.memory.hopfield import modern_update, recall, share_wrong, store

SIDE = 28  # pixels


def gallery(
    rows: Mapping[str, Sequence[Tensor] | Tensor], columns: Sequence[str], title: str, alt: str
) -> Picture:
    """Draw rows of square pictures, −1 is paper and 1 is ink.

    Args:
        rows: name -> as many pictures as there are columns, each of 28 · 28 units.
        columns: their names.
        title: the answer that the picture gives.
        alt: what a sighted reader takes away.

    Raises:
        ValueError: a row has more or fewer pictures than there are columns.
    """
    from matplotlib.figure import Figure

    for name, pictures in rows.items():
        if len(pictures) != len(columns):
            raise ValueError(f"row {name!r} has {len(pictures)} pictures for {len(columns)} columns")
    with drawing():
        width, height = 1.15 * len(columns) + 1.8, 1.2 * len(rows) + 0.9  # inches
        figure = Figure(figsize=(width, height))
        # A layout engine would measure each of the many axes, which takes longer than to draw them.
        inside = {
            "left": 1.7 / width,
            "right": 1 - 0.1 / width,
            "bottom": 0.1 / height,
            "top": 1 - 0.8 / height,
        }
        grid = figure.subplots(
            len(rows), len(columns), squeeze=False, gridspec_kw={**inside, "wspace": 0.05, "hspace": 0.05}
        )
        for axes, column in zip(grid[0], columns, strict=True):
            axes.set_title(column, fontsize=10, loc="center", fontweight="normal")
        for axes_row, (name, pictures) in zip(grid, rows.items(), strict=True):
            for axes, picture in zip(axes_row, pictures, strict=True):
                axes.imshow(picture.reshape(SIDE, SIDE).numpy(), cmap="gray_r", vmin=-1, vmax=1)
                axes.set(xticks=[], yticks=[])
            axes_row[0].set_ylabel(name, rotation=0, ha="right", va="center")
        heading(figure, title, left=0)
        return Picture.of(figure, alt)


def recall_picture(
    memories: Float[Tensor, "count units"], hidden: int, noise: int, step: int, steps: int, seed: int
) -> Picture:
    """Draw up to four memories, what is shown of them, and what Hebb's network and the softmax make of it.

    Both start from the same, with paper in the place of the hidden rows; the softmax takes β = 20/√N.

    Args:
        memories: digits that are stored, of −1 and 1.
        hidden: rows of pixels that are not shown, from below, 0 to 28.
        noise: percent of the units that are turned, 0 to 100.
        step: how far both have come; Hebb's network has turned this share of the units that it turns.
        steps: of the whole way.
        seed: of the noise, and of the order in which Hebb's network visits its units.

    Raises:
        ValueError: the step lies outside 0 to steps, or as `store` and `recall`.
    """
    if not 0 <= step <= steps:
        raise ValueError(f"step is {step}; allowed are 0 to {steps}")
    wanted = memories[:4]
    dice = torch.Generator().manual_seed(seed)
    shown = torch.where(torch.rand(wanted.shape, generator=dice) < noise / 100, -wanted, wanted)
    shown[:, wanted.shape[1] - SIDE * hidden :] = -1
    rows = {"stored": wanted, "shown": shown}

    weights = store(memories)
    ways = [recall(weights, state, dice) for state in shown]
    hebb = torch.stack([way.after(len(way.turned) * step // steps) for way in ways])
    softmax = shown
    for _ in range(step):
        softmax = modern_update(softmax, memories, 20 / math.sqrt(wanted.shape[1]))
    rows |= {"Hebb": hebb, "softmax": softmax}

    says = (
        f"Hebb: {share_wrong(hebb, wanted).mean():.1%} of the units wrong; "
        f"softmax: {share_wrong(softmax, wanted).mean():.1%}"
    )
    title = f"{len(memories)} stored, step {step} of {steps}"
    alt = f"{title}, {hidden} rows hidden, {noise} % turned. {says}."
    return gallery(rows, [f"digit {number + 1}" for number in range(len(wanted))], f"{title}\n{says}", alt)
