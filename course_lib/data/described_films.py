"""Films of two digits, one after the other, and what is to be said of them.

    the three moves left and the seven moves up

The lesser digit is named first, whichever is shown first. So who describes a film must find each digit's
frames, and see there which way it moves: no single frame shows that.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from course_lib.data.labelled_pictures import LabelledPictures
from course_lib.data.moving_digits import draw, half_size
from course_lib.data.special import BEGIN, END, SPECIAL
from course_lib.data.spoken_digits import WORDS as DIGITS

SIDE, SHOWN, SPEED = 24, 5, 2  # pixels of a frame, frames of each digit, pixels from one frame to the next
MOTIONS = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}  # (down, across)
WORDS = (*SPECIAL, "the", "moves", "and", *DIGITS, *MOTIONS)
DIGIT_PLACES, MOTION_PLACES = (2, 7), (4, 9)  # of the words that differ, in a sentence from <s> on


class DescribedFilms(NamedTuple):
    """Films and their descriptions."""

    frames: Float[Tensor, "films time 1 side side"]  # 0 is paper, 1 is ink
    sentences: Int[Tensor, "films words"]  # places in `WORDS`, from <s> to </s>
    firsts: Int[Tensor, "films"]  # the place in the sentence, 0 or 1, of the digit that is shown first


def sentence(digits: tuple[int, int], motions: tuple[str, str]) -> list[int]:
    """Return the description of a film as places in `WORDS`.

    Args:
        digits: the lesser first.
        motions: of each.

    Raises:
        ValueError: the digits are not in order, or there is no such motion.
    """
    if not 0 <= digits[0] < digits[1] <= 9:
        raise ValueError(f"digits are {digits}; allowed are two of 0 to 9, the lesser first")
    for motion in motions:
        if motion not in MOTIONS:
            raise ValueError(f"motion is {motion!r}; allowed are {', '.join(map(repr, MOTIONS))}")
    (one, other), (way, other_way) = (DIGITS[digit] for digit in digits), motions
    words = f"the {one} moves {way} and the {other} moves {other_way}".split()
    return [BEGIN, *map(WORDS.index, words), END]


def describe_films(pictures: LabelledPictures, count: int, generator: Generator) -> DescribedFilms:
    """Make films of two different digits and describe them.

    Args:
        pictures: digits, drawn at half their size.
        count: films, 1 or more.
        generator: draws digits, motions, order and places.

    Raises:
        ValueError: `count` is below 1.
    """
    if count < 1:
        raise ValueError(f"count is {count}; allowed is 1 or more")
    labels = torch.tensor(pictures.labels)
    chosen = torch.randint(len(labels), (count, 2), generator=generator)
    while (same := labels[chosen[:, 0]] == labels[chosen[:, 1]]).any():
        chosen[same, 1] = torch.randint(len(labels), (int(same.sum()),), generator=generator)
    moves = torch.randint(len(MOTIONS), (count, 2), generator=generator)
    shown = half_size(pictures.images[chosen.numpy()].reshape(-1, *pictures.images.shape[1:]))
    room = SIDE - shown.shape[-1]
    path = SPEED * (SHOWN - 1)
    if path > room:
        raise ValueError(f"pictures have a side of {pictures.images.shape[1]} pixels, too large to move")
    ways = torch.tensor(list(MOTIONS.values()))[moves]  # (films, 2, axis)
    spare = torch.where(ways != 0, room - path, room) + 1
    corners = (torch.rand(spare.shape, generator=generator) * spare).long() + path * (ways < 0)
    steps = SPEED * torch.arange(SHOWN)
    corners = corners.unsqueeze(2) + ways.unsqueeze(2) * steps[:, None]  # (films, 2, time, axis)
    shown = shown.unflatten(0, (count, 2))
    halves = [draw(shown[:, [which]], corners[:, [which]], SIDE) for which in (0, 1)]
    sentences, names = [], list(MOTIONS)
    for digits, ways_of_film in zip(labels[chosen].tolist(), moves.tolist(), strict=True):
        (low, way), (high, other) = sorted(zip(digits, ways_of_film, strict=True))
        sentences.append(sentence((low, high), (names[way], names[other])))
    firsts = (labels[chosen[:, 0]] > labels[chosen[:, 1]]).long()
    return DescribedFilms(torch.cat(halves, dim=1), torch.tensor(sentences), firsts)
