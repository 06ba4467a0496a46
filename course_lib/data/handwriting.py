"""Lines of a French manuscript, by one writer (Peraire), with what is written on them."""

import csv
import lzma
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from course_lib.data.packaged import DATA_FOLDER, checksums, read_lines, read_verified

HEIGHT = 40  # pixels of every line
FOLDER = DATA_FOLDER / "peraire_lines"


@dataclass(frozen=True, eq=False)
class Line:
    """One line of a page."""

    picture: np.ndarray  # (HEIGHT, width) uint8, 0 is paper and 15 is ink
    text: str
    page: str
    series: str  # "B", in pencil, or "D"


@dataclass(frozen=True, eq=False)
class Handwriting:
    """Lines in the three official splits: no page is in two of them, and the writer is the same."""

    train: tuple[Line, ...]
    validation: tuple[Line, ...]
    test: tuple[Line, ...]
    licence: str = "CC BY 4.0"
    attribution: str = (
        "Peraire Ground Truth, A. Chagué and G. Pérez 2023, CC BY 4.0; manuscripts: Bibliothèque Sébert, "
        "Espéranto-France, Paris. Lines cut out, straightened and reduced to 40 pixels and 16 greys."
    )

    @property
    def characters(self) -> str:
        """Every character of the training lines once, sorted; the other lines have no more."""
        return "".join(sorted({character for line in self.train for character in line.text}))


@lru_cache
def load_handwriting() -> Handwriting:
    """Load 1,250 lines to train on (46 pages), 110 for validation (4 pages) and 233 to test on (8 pages).

    Raises:
        DataError: a file is missing or damaged.
    """
    expected = checksums(FOLDER)["lines40_u4.xz"]
    pixels = np.frombuffer(lzma.decompress(read_verified(FOLDER / "lines40_u4.xz", expected)), np.uint8)
    rows = csv.DictReader(read_lines(FOLDER, "index.tsv.xz"), delimiter="\t", quoting=csv.QUOTE_NONE)
    splits: dict[str, list[Line]] = {"train": [], "val": [], "test": []}
    start = 0
    for row in rows:
        end = start + HEIGHT * int(row["width"])
        picture = pixels[start:end].reshape(-1, HEIGHT).T
        splits[row["split"]].append(Line(picture, row["text"], row["page"], row["series"]))
        start = end
    return Handwriting(tuple(splits["train"]), tuple(splits["val"]), tuple(splits["test"]))
