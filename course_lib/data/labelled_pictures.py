"""Pictures with labels; and how those are read that come in the files of MNIST."""

import gzip
from dataclasses import dataclass

import numpy as np

from course_lib.data.packaged import DATA_FOLDER, checksums, read_verified

TRAIN_SIZE = 8000


@dataclass(frozen=True, eq=False)
class LabelledPictures:
    """Pictures, and what each shows."""

    images: np.ndarray  # (pictures, height, width) or, in colour, (…, 3); uint8, 255 is the brightest
    labels: np.ndarray  # (pictures,) int, from 0

    def protected(self) -> "LabelledPictures":
        """Forbid writing, as one copy serves every caller; return the same pictures."""
        self.images.setflags(write=False)
        self.labels.setflags(write=False)
        return self


@dataclass(frozen=True, eq=False)
class PictureSet:
    """Pictures to train on and pictures to test on."""

    train: LabelledPictures
    test: LabelledPictures
    names: tuple[str, ...]  # what label 0, 1, … means
    licence: str
    attribution: str


def read_picture_set(folder: str, names: tuple[str, ...], licence: str, attribution: str) -> PictureSet:
    """Read the 10,000 pictures of an official test set, split anew: 8,000 to train on, 2,000 to test on.

    Results are not comparable with those on the official split, which trains on 60,000 others.

    Args:
        folder: its name under `course_lib/data`.
        names, licence, attribution: of the set.

    Raises:
        DataError: a file is missing or damaged.
    """
    path = DATA_FOLDER / folder
    expected = checksums(path)

    def read(name: str, header: int) -> np.ndarray:
        content = gzip.decompress(read_verified(path / name, expected[name]))
        return np.frombuffer(content, np.uint8, offset=header)

    images = read("t10k-images-idx3-ubyte.gz", header=16).reshape(-1, 28, 28)
    labels = read("t10k-labels-idx1-ubyte.gz", header=8).astype(int)
    order = np.random.RandomState(0).permutation(len(labels))

    def part(chosen: np.ndarray) -> LabelledPictures:
        return LabelledPictures(images[chosen], labels[chosen]).protected()

    return PictureSet(part(order[:TRAIN_SIZE]), part(order[TRAIN_SIZE:]), names, licence, attribution)
