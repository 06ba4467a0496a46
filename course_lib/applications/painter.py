"""The painter: a trained DRAW, with attention, and its canvas step by step as maps to look at."""

from collections.abc import Sequence
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.checkpoints import FOLDER, load_model
from course_lib.traces.overlay import OverlayTrace
from course_lib.vision.pixels import to_images
from course_lib.visual_attention.draw import Draw, Painting

SHIPPED = FOLDER / "draw_windows.safetensors"


def load_painter(path: Path = SHIPPED) -> Draw:
    """Load a trained DRAW.

    Args:
        path: the checkpoint; the one that ships with the course unless you have trained your own.

    Raises:
        CheckpointError: it is missing or damaged.
    """
    return load_model(path, lambda config: Draw(**config))[0]


def canvas_film(
    painting: Painting,
    names: Sequence[str],
    title: str = "",
    pictures: Float[Tensor, "batch height width"] | None = None,
) -> OverlayTrace:
    """Return the canvas after each step, and where a step read and wrote if that was through windows.

    Args:
        painting: what a run left.
        names: what each picture shows.
        title: what the film shows, as a sentence.
        pictures: what was painted after, 0 to 1; None: new pictures, below them their last canvas.
    """
    canvases = torch.sigmoid(painting.canvases)
    kinds = {"canvas": canvases}
    for kind, windows in (("reads", painting.reads), ("writes", painting.writes)):
        seen = [at.seen() for at in windows if at is not None]
        if seen:
            kinds[kind] = torch.stack(seen, dim=1)
    below = canvases[:, -1] if pictures is None else pictures
    count, steps = canvases.shape[:2]
    return OverlayTrace(
        to_images(below.unsqueeze(1)),
        tuple(names),
        torch.stack(list(kinds.values()), dim=2).detach().numpy(),
        tuple(tuple(f"step {t + 1}" for t in range(steps)) for _ in range(count)),
        tuple(kinds),
        title,
    )
