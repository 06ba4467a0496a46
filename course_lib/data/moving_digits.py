"""Films of handwritten digits that fly in straight lines and bounce off the edges, made from real MNIST."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from course_lib.data.mnist import load_mnist

SIZE, PATCH = 32, 4  # pixels: side of a frame, and of the patches that a ConvLSTM reads as one
GIVEN, AHEAD = 6, 6  # frames that are seen, and frames that are foretold


class Films(NamedTuple):
    """Films, and what they were made from."""

    frames: Float[Tensor, "films time 1 size size"]  # 0 is paper, 1 is ink
    corners: Int[Tensor, "films digits time 2"]  # row and column of each digit's upper left pixel
    chosen: Int[Tensor, "films digits"]  # which picture each digit is


def half_size(images: np.ndarray) -> Float[Tensor, "pictures height width"]:
    """Return pictures at half their height and width, as numbers from 0 to 1: the mean of 2 × 2 pixels.

    Args:
        images: (pictures, height, width) uint8, height and width even.
    """
    return torch.nn.functional.avg_pool2d(torch.tensor(images, dtype=torch.float32) / 255, kernel_size=2)


def bounce(
    start: Int[Tensor, "*some"], speed: Int[Tensor, "*some"], room: int, steps: int
) -> Int[Tensor, "*some steps"]:
    """Return the places of a point that flies between two walls, at 0 and at `room`, and is thrown back.

    Unfold the walls: the point flies on without end, and its place is a triangle wave of period 2 · room,

        x_t = room − |(x_0 + v t) mod 2 room − room|

    Args:
        start: x_0, 0 to room.
        speed: v, a step.
        room: 1 or more.
        steps: t = 0 … steps − 1.

    Raises:
        ValueError: `room` is below 1, or a start outside it.
    """
    if room < 1 or bool(((start < 0) | (start > room)).any()):
        raise ValueError(f"room is {room} and start {start.tolist()}; allowed are 1 or more and 0 to room")
    unfolded = start.unsqueeze(-1) + speed.unsqueeze(-1) * torch.arange(steps)
    return room - (unfolded % (2 * room) - room).abs()


def moving_digits(
    images: Float[Tensor, "pictures height width"],
    count: int,
    steps: int,
    generator: Generator,
    digits: int = 2,
    size: int = 32,
    fastest: int = 3,
) -> Films:
    """Make films.

    Each digit starts anywhere, with a speed of −fastest … fastest pixels a step down and across, and stays
    in the frame. Digits pass through each other; where two overlap, the darker ink shows.

    Args:
        images: pictures to draw from, 0 to 1.
        count: films.
        steps: frames of a film.
        generator: where chance comes from.
        digits: in a film.
        size: height and width of a frame in pixels, larger than a picture's.
        fastest: largest speed, 1 or more; no digit stands still.

    Raises:
        ValueError: a number is below 1, or a picture does not fit into a frame with room to move.

    Source: after Srivastava, Mansimov and Salakhutdinov 2015, section 4.1, and Shi et al. 2015, section 4.1;
    whole pixels and smaller frames are ours.
    """
    for name, value in (("count", count), ("steps", steps), ("digits", digits), ("fastest", fastest)):
        if value < 1:
            raise ValueError(f"{name} is {value}; allowed is 1 or more")
    height, width = images.shape[1:]
    if size <= max(height, width):
        raise ValueError(f"size is {size}; allowed is more than {max(height, width)}, the size of a picture")
    chosen = torch.randint(len(images), (count, digits), generator=generator)
    velocities = torch.tensor(
        [(v, w) for v in range(-fastest, fastest + 1) for w in range(-fastest, fastest + 1) if v or w]
    )
    velocity = velocities[torch.randint(len(velocities), (count, digits), generator=generator)]
    corners = torch.stack(
        [
            bounce(
                torch.randint(room + 1, (count, digits), generator=generator),
                velocity[..., axis],
                room,
                steps,
            )
            for axis, room in enumerate((size - height, size - width))
        ],
        dim=-1,
    )
    return Films(draw(images[chosen], corners, size), corners, chosen)


def draw(
    pictures: Float[Tensor, "films digits height width"],
    corners: Int[Tensor, "films digits time 2"],
    size: int = SIZE,
) -> Float[Tensor, "films time 1 size size"]:
    """Return the frames of films; where two digits overlap, the darker ink shows.

    Args:
        pictures: of each digit, 0 to 1.
        corners: row and column of its upper left pixel at each time; it fits into the frame.
        size: height and width of a frame in pixels.
    """
    count, digits, steps = corners.shape[:3]
    height, width = pictures.shape[2:]
    frames = torch.zeros(count, steps, 1, size, size)
    for film, digit, time in np.ndindex(count, digits, steps):
        row, column = corners[film, digit, time].tolist()
        place = frames[film, time, 0, row : row + height, column : column + width]
        torch.maximum(place, pictures[film, digit], out=place)
    return frames


def futures(
    film: Films, pictures: Float[Tensor, "pictures height width"], one: int, unsure: int = 1
) -> Float[Tensor, "futures ahead 1 size size"]:
    """Return how a film of two digits could go on, if their speeds were known to a few pixels only.

    Args:
        film: films of two digits, `GIVEN` frames or more.
        pictures: those that they were made from.
        one: which film; neither digit bounces into its last given frame.
        unsure: pixels a frame by which each speed may be wrong, down and across, 0 or more.

    Returns:
        (2 · unsure + 1)⁴ futures of `AHEAD` frames, each as likely as another.
    """
    before, last = film.corners[one, :, GIVEN - 2], film.corners[one, :, GIVEN - 1]
    errors = torch.arange(-unsure, unsure + 1)
    wrong = torch.cartesian_prod(errors, errors, errors, errors).unflatten(1, (2, 2))  # digit, axis
    speeds = last - before + wrong
    room = SIZE - pictures.shape[1]
    paths = bounce(last.expand_as(speeds), speeds, room, AHEAD + 1)[..., 1:]
    shown = pictures[film.chosen[one]].expand(len(paths), -1, -1, -1)
    return draw(shown, paths.transpose(2, 3))


def films(part: str, count: int, seed: int, digits: int = 2, steps: int = GIVEN + AHEAD) -> Films:
    """Return films of digits from one part of MNIST, at half their size.

    Args:
        part: "train" or "test".
        count: films.
        seed: of all chance.
        digits: in a film.
        steps: frames of a film.
    """
    images = half_size(getattr(load_mnist(), part).images)
    return moving_digits(images, count, steps, Generator().manual_seed(seed), digits, SIZE)
