"""Photographs of everyday scenes (COCO), 99, each with what five people said about it; seven have a name."""

import io
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from course_lib.data.packaged import DATA_FOLDER, checksums, read_verified

FOLDER = DATA_FOLDER / "coco_captions_cc"
# What stands on each, in a word, and its number in COCO.
NUMBERS = {
    "bear": 285,
    "bananas": 6012,
    "telephone": 12667,
    "pizza": 160012,
    "street": 423617,
    "dog": 427034,
    "clock": 551780,
}


@dataclass(frozen=True, eq=False)
class Photograph:
    """One photograph."""

    image: np.ndarray  # (height, width, 3) uint8; the longer side is 256
    captions: tuple[str, ...]  # five, by five people
    credit: str  # to be named where it is shown: its licence and its page


@dataclass(frozen=True, eq=False)
class Photographs:
    """Those that show one or two things that ImageNet has a class for, by a word for each."""

    by_name: dict[str, Photograph]
    licence: str = "photographs CC BY 2.0 and CC BY-SA 2.0, captions CC BY 4.0"
    attribution: str = (
        "Photographs by Flickr users, CC BY 2.0 or CC BY-SA 2.0, each linked to its page; "
        "captions by the COCO Consortium, CC BY 4.0."
    )


@lru_cache
def load_photographs() -> Photographs:
    """Load the photographs that have a name.

    Raises:
        DataError: a file is missing or damaged.
    """
    entries = _entries()
    return Photographs({name: _photograph(entries[number]) for name, number in NUMBERS.items()})


@lru_cache
def load_all_photographs() -> tuple[Photograph, ...]:
    """Load all 99 photographs, in the order of their numbers in COCO.

    Raises:
        DataError: a file is missing or damaged.
    """
    return tuple(_photograph(entry) for _, entry in sorted(_entries().items()))


def _entries() -> dict[int, dict[str, Any]]:
    """What is said of each photograph, by its number in COCO."""
    return {entry["coco_id"]: entry for entry in json.loads(_read("captions.json"))}


def _photograph(entry: dict[str, Any]) -> Photograph:
    image = np.array(Image.open(io.BytesIO(_read(entry["file"]))).convert("RGB"))
    image.setflags(write=False)  # one copy serves every caller
    return Photograph(image, tuple(entry["captions"]), f"{entry['license']}, {entry['flickr_page']}")


def _read(file: str) -> bytes:
    return read_verified(FOLDER / file, checksums(FOLDER)[file])
