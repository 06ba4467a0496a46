"""The glimpser: a trained recurrent attention model, and its eye's path over a picture as maps to look at."""

from collections.abc import Sequence
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from course_lib.checkpoints import FOLDER, load_model
from course_lib.traces.overlay import OverlayTrace
from course_lib.vision.pixels import to_images
from course_lib.visual_attention.ram import RecurrentAttentionModel
from course_lib.visual_attention.retina import first_pixels, glimpse

SHIPPED = FOLDER / "ram_translated.safetensors"
DOT = 3.0  # pixels: how wide a place is drawn
BEFORE = 0.5  # how bright a place that was left is drawn


def load_glimpser(path: Path = SHIPPED) -> RecurrentAttentionModel:
    """Load a trained model.

    Args:
        path: the checkpoint; the one that ships with the course unless you have trained your own.

    Raises:
        CheckpointError: it is missing or damaged.
    """
    return load_model(path, lambda config: RecurrentAttentionModel(**config))[0]


def seen_on(
    picture: Float[Tensor, "height width"], place: Float[Tensor, "2"], size: int, scales: int
) -> Float[Tensor, "height width"]:
    """Return what the retina sees, each number drawn over the pixels that it is the mean of; 0 elsewhere.

    Args:
        picture: grey.
        place: l.
        size, scales: of the retina.
    """
    height, width = picture.shape
    most = size * 2 ** (scales - 1)
    drawn = picture.new_zeros(height + 2 * most, width + 2 * most)  # room for squares across the border
    squares = glimpse(picture[None], place[None], size, scales)[0]
    for k in reversed(range(scales)):  # the sharp square last, on top
        side = size * 2**k
        corner = first_pixels(place[None], side, height, width)[0].clamp(min=-side)
        row, column = (corner.minimum(torch.tensor([height, width])) + most).tolist()
        blown = squares[k].repeat_interleave(2**k, dim=0).repeat_interleave(2**k, dim=1)
        drawn[row : row + side, column : column + side] = blown
    return drawn[most : most + height, most : most + width].clamp(min=0)


def eye_path(
    model: RecurrentAttentionModel,
    pictures: Float[Tensor, "pictures height width"],
    names: Sequence[str],
    generator: Generator,
    title: str = "",
) -> OverlayTrace:
    """Let a model look at pictures once; return its path, and what it saw, glimpse by glimpse.

    Args:
        model: after training.
        pictures: 0 to 1.
        names: what each shows.
        generator: draws the places.
        title: what the maps show, as a sentence.
    """
    height, width = pictures.shape[1:]
    with torch.no_grad():
        run = model(pictures, generator)
    middles = (run.places + 1) / 2 * torch.tensor([height, width]) - 0.5
    grid = torch.stack(torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij"), dim=-1)
    apart = (grid - middles[:, :, None, None]).square().sum(dim=-1)
    dots = torch.exp(-apart / (2 * DOT**2))  # (pictures, glimpses, height, width)
    maps, steps = [], []
    for i, picture in enumerate(pictures):
        best, said = run.logits[i].softmax(dim=1).max(dim=1)
        steps.append(
            tuple(
                f"{t + 1}: says {answer} ({chance:.0%})"
                for t, (answer, chance) in enumerate(zip(said.tolist(), best.tolist(), strict=True))
            )
        )
        for t, place in enumerate(run.places[i]):
            path = torch.cat([dots[i, t : t + 1], BEFORE * dots[i, :t]]).amax(dim=0)
            maps.append(torch.stack([path, seen_on(picture, place, model.size, model.scales)]))
    return OverlayTrace(
        to_images(pictures.unsqueeze(1)),
        tuple(names),
        torch.stack(maps).unflatten(0, (len(pictures), model.glimpses)).numpy(),
        tuple(steps),
        ("path", "seen"),
        title,
    )
