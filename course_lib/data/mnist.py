"""Handwritten digits (MNIST): the 10,000 pictures of its official test set, split anew."""

from functools import lru_cache

from course_lib.data.labelled_pictures import PictureSet, read_picture_set


@lru_cache
def load_mnist() -> PictureSet:
    """Load the digits; 255 is ink. MNIST's first 5,000 are cleaner than its last, so they are shuffled.

    Raises:
        DataError: a file is missing or damaged.
    """
    return read_picture_set(
        "mnist10k",
        names=tuple("0123456789"),
        licence="CC BY-SA 3.0",
        attribution="MNIST, Yann LeCun, Corinna Cortes and Christopher J. C. Burges, CC BY-SA 3.0.",
    )
