"""Scenes with captions: coloured drawings on one canvas, what can be said of them, and where each thing lies.

    a red fish and a blue star          a fish in red next to a star in blue
    there is a red fish and a blue star          …

Things are named as one reads: from left to right, the upper row first. Some pairs of kind and colour are
held out, so that a caption can be right about what was never seen in training.
"""

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from course_lib.data.labelled_pictures import LabelledPictures
from course_lib.data.scenes import ROOM, set_scenes
from course_lib.data.sketches import Sketches

KINDS = (
    "bicycle",
    "bus",
    "butterfly",
    "envelope",
    "fish",
    "house",
    "ladder",
    "sailboat",
    "snail",
    "star",
    "t-shirt",
    "umbrella",
)
COLOURS = {
    "red": (230, 40, 40),
    "green": (40, 190, 60),
    "blue": (70, 110, 255),
    "yellow": (250, 225, 50),
    "pink": (255, 130, 200),
    "white": (255, 255, 255),
}
CELLS = 2  # a canvas of 2×2 cells, each with room for one drawing
MOST_THINGS = 3
OPENINGS = ("", "there is ", "here is ")
PHRASES = ("a {colour} {kind}", "a {kind} in {colour}")
JOINS = {1: ("",), 2: (" and ", " next to "), 3: (" and ",)}  # before the last thing; others follow a comma


class Thing(NamedTuple):
    """One thing on a scene."""

    kind: str
    colour: str
    corner: tuple[int, int]  # (y, x) of the first pixel of its box


@dataclass(frozen=True, eq=False)
class CaptionedScenes:
    """Coloured canvases, and what is on each."""

    images: np.ndarray  # (scenes, side, side, 3) uint8
    things: tuple[tuple[Thing, ...], ...]  # of each scene, in the order in which they are named
    size: int  # pixels along a side of a thing's box

    def __add__(self, other: "CaptionedScenes") -> "CaptionedScenes":
        """Return both, one after the other."""
        return CaptionedScenes(
            np.concatenate([self.images, other.images]), self.things + other.things, self.size
        )


def is_held_out(kind: str, colour: str) -> bool:
    """Return whether this pair is kept from training: one colour of each kind, two kinds of each colour."""
    return KINDS.index(kind) % len(COLOURS) == list(COLOURS).index(colour)


def captions_of(things: tuple[Thing, ...]) -> tuple[str, ...]:
    """Return every caption that the grammar has for a scene; words stand between spaces.

    Raises:
        ValueError: no things, or more than the grammar joins.
    """
    if len(things) not in JOINS:
        raise ValueError(f"a caption names 1 to {MOST_THINGS} things, got {len(things)}")
    captions = []
    for opening, phrase, join in product(OPENINGS, PHRASES, JOINS[len(things)]):
        *first, last = (phrase.format(kind=thing.kind, colour=thing.colour) for thing in things)
        captions.append(opening + " , ".join(first) + join + last)
    return tuple(captions)


def caption_words() -> tuple[str, ...]:
    """Return every word of the grammar, each once."""
    others = ("a", "in", "and", "next", "to", "there", "here", "is", ",")
    return (*others, *COLOURS, *KINDS)


def drawings(sketches: Sketches, part: str) -> LabelledPictures:
    """Return the drawings of the twelve kinds, whose labels are their places in `KINDS`.

    Args:
        sketches: all drawings.
        part: "train", "validation" or "test".
    """
    those: LabelledPictures = getattr(sketches, part)
    numbers = [sketches.names.index(kind) for kind in KINDS]
    chosen = np.isin(those.labels, numbers)
    labels = np.array([numbers.index(label) for label in those.labels[chosen]])
    return LabelledPictures(those.images[chosen], labels)


def make_captioned_scenes(
    pictures: LabelledPictures,
    count: int,
    things: int,
    generator: np.random.Generator,
    held_out: bool = False,
) -> CaptionedScenes:
    """Set coloured drawings at random places; kinds and colours differ on a scene.

    Args:
        pictures: grey and square, labelled by their place in `KINDS`.
        count: scenes.
        things: on each scene, 1 to 3.
        generator: draws kinds, colours, pictures and places.
        held_out: with only the pairs of kind and colour that are held out, or with only the others.

    Raises:
        ValueError: another number of things.
    """
    if things not in JOINS:
        raise ValueError(f"things must be 1 to {MOST_THINGS}, got {things}")
    names = list(COLOURS)
    pairs = np.array([_draw_pairs(things, generator, held_out) for _ in range(count)])
    scenes = set_scenes(pictures, pairs[..., 0], generator, CELLS)
    images = np.repeat(scenes.images[..., None], 3, axis=-1)
    cell = scenes.size + ROOM
    named = []
    for image, its_pairs, its_corners in zip(images, pairs, scenes.corners, strict=True):
        found = []
        for (kind, colour), (y, x) in zip(its_pairs.tolist(), its_corners.tolist(), strict=True):
            box = image[y : y + scenes.size, x : x + scenes.size]
            box[:] = box / 255 * COLOURS[names[colour]]
            found.append(Thing(KINDS[kind], names[colour], (y, x)))
        named.append(tuple(sorted(found, key=lambda thing: [place // cell for place in thing.corner])))
    return CaptionedScenes(images, tuple(named), scenes.size)


def _draw_pairs(things: int, generator: np.random.Generator, held_out: bool) -> list[tuple[int, int]]:
    """Return numbers of kinds and colours, drawn again until all differ and all pairs are allowed."""
    names = list(COLOURS)
    while True:
        kinds = generator.permutation(len(KINDS))[:things].tolist()
        colours = generator.permutation(len(names))[:things].tolist()
        pairs = list(zip(kinds, colours, strict=True))
        if all(is_held_out(KINDS[kind], names[colour]) == held_out for kind, colour in pairs):
            return pairs
