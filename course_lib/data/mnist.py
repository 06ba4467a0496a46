"""Handwritten digits (MNIST): the 10,000 pictures of its official test set, split anew."""

import gzip
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from course_lib.data.packaged import DATA_FOLDER, checksums, read_verified

TRAIN_SIZE = 8000


@dataclass(frozen=True, eq=False)
class Digits:
    """Pictures of digits, and which digit each shows."""

    images: np.ndarray  # (pictures, 28, 28) uint8, 0 is paper, 255 is ink
    labels: np.ndarray  # (pictures,) int, 0 to 9


@dataclass(frozen=True, eq=False)
class Mnist:
    """8,000 digits to train on, 2,000 to test on; not comparable with results on MNIST's own split."""

    train: Digits
    test: Digits
    licence: str = "CC BY-SA 3.0"
    attribution: str = "MNIST, Yann LeCun, Corinna Cortes and Christopher J. C. Burges, CC BY-SA 3.0."


@lru_cache
def load_mnist() -> Mnist:
    """Load the digits, shuffled before the split: MNIST's first 5,000 are cleaner than its last.

    Raises:
        DataError: a file is missing or damaged.
    """
    folder = DATA_FOLDER / "mnist10k"
    expected = checksums(folder)

    def read(name: str, header: int) -> np.ndarray:
        return np.frombuffer(
            gzip.decompress(read_verified(folder / name, expected[name])), np.uint8, offset=header
        )

    images = read("t10k-images-idx3-ubyte.gz", header=16).reshape(-1, 28, 28)
    labels = read("t10k-labels-idx1-ubyte.gz", header=8).astype(int)
    order = np.random.RandomState(0).permutation(len(labels))

    def part(chosen: np.ndarray) -> Digits:
        digits = Digits(images[chosen], labels[chosen])
        digits.images.setflags(write=False)  # one copy serves every caller
        digits.labels.setflags(write=False)
        return digits

    return Mnist(part(order[:TRAIN_SIZE]), part(order[TRAIN_SIZE:]))
