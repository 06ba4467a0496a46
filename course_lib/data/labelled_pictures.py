"""Small grey pictures with labels, in the files that MNIST began: how they are read and split."""

import gzip
from dataclasses import dataclass

import numpy as np

from course_lib.data.packaged import DATA_FOLDER, checksums, read_verified

TRAIN_SIZE = 8000


@dataclass(frozen=True, eq=False)
class LabelledPictures:
    """Pictures, and what each shows."""

    images: np.ndarray  # (pictures, 28, 28) uint8, 0 is the ground, 255 the brightest
    labels: np.ndarray  # (pictures,) int, 0 to 9


@dataclass(frozen=True, eq=False)
class PictureSet:
    """8,000 pictures to train on, 2,000 to test on, of the 10,000 of an official test set.

    Not comparable with results on the official split, which trains on 60,000 others.
    """

    train: LabelledPictures
    test: LabelledPictures
    names: tuple[str, ...]  # what label 0, 1, … means
    licence: str
    attribution: str


def read_picture_set(folder: str, names: tuple[str, ...], licence: str, attribution: str) -> PictureSet:
    """Read a data set and shuffle it before the split.

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
        pictures = LabelledPictures(images[chosen], labels[chosen])
        pictures.images.setflags(write=False)  # one copy serves every caller
        pictures.labels.setflags(write=False)
        return pictures

    return PictureSet(part(order[:TRAIN_SIZE]), part(order[TRAIN_SIZE:]), names, licence, attribution)
