"""Clothes (Fashion-MNIST): the 10,000 pictures of its official test set, split anew."""

from functools import lru_cache

from course_lib.data.labelled_pictures import PictureSet, read_picture_set

NAMES = (
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
)


@lru_cache
def load_fashion_mnist() -> PictureSet:
    """Load the clothes (Xiao, Rasul and Vollgraf 2017), 1,000 of each kind.

    Raises:
        DataError: a file is missing or damaged.
    """
    return read_picture_set(
        "fashion_mnist10k",
        names=NAMES,
        licence="MIT",
        attribution="Fashion-MNIST (test images), © 2017 Zalando SE, MIT licence.",
    )
