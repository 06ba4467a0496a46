"""Flowers: 900 photographs of five kinds, the colour pictures on which networks are taken apart."""

import csv
import io
import lzma
from functools import lru_cache

import numpy as np
from PIL import Image

from course_lib.data.labelled_pictures import LabelledPictures, PictureSet
from course_lib.data.packaged import DATA_FOLDER, checksums, read_verified

NAMES = ("daisy", "dandelion", "roses", "sunflowers", "tulips")
FOLDER = DATA_FOLDER / "flowers96"
SIDE = 96  # pixels of a photograph
ROWS, COLUMNS = 9, 20  # of a contact sheet
TRAIN_TILES = 140  # of the 180 on a sheet


@lru_cache
def load_flowers() -> PictureSet:
    """Load the flowers in colour, 140 of each kind to train on and 40 to test on.

    Raises:
        DataError: a file is missing or damaged.
    """
    sheets = np.stack([_tiles(name) for name in NAMES])

    def part(chosen: slice) -> LabelledPictures:
        images = sheets[:, chosen]
        labels = np.repeat(np.arange(len(NAMES)), images.shape[1])
        return LabelledPictures(images.reshape(-1, SIDE, SIDE, 3), labels).protected()

    return PictureSet(
        part(slice(TRAIN_TILES)),
        part(slice(TRAIN_TILES, None)),
        NAMES,
        licence="CC BY 2.0",
        attribution="Flower photographs by the photographers named beside the file, "
        "collected by the TensorFlow team, CC BY 2.0; cut to 96x96.",
    )


@lru_cache
def flower_credits() -> dict[str, tuple[str, ...]]:
    """Return whom to name when a photograph is shown: for "train" and "test", one credit a picture.

    Raises:
        DataError: the list is missing or damaged.
    """
    listing = lzma.decompress(_read("attribution.csv.xz")).decode("utf8")
    rows = list(csv.DictReader(listing.splitlines()))
    rows.sort(key=lambda row: (NAMES.index(row["class"]), int(row["tile"])))
    return {
        split: tuple(f"{row['photographer']}, {row['flickr_url']}" for row in rows if row["split"] == split)
        for split in ("train", "test")
    }


def _tiles(name: str) -> np.ndarray:
    """The photographs of one contact sheet, (180, 96, 96, 3), row by row."""
    sheet = np.asarray(Image.open(io.BytesIO(_read(f"{name}.jpg"))).convert("RGB"))
    tiles = sheet.reshape(ROWS, SIDE, COLUMNS, SIDE, 3).swapaxes(1, 2)
    return tiles.reshape(-1, SIDE, SIDE, 3)


def _read(file: str) -> bytes:
    return read_verified(FOLDER / file, checksums(FOLDER)[file])
