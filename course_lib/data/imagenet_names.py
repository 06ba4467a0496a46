"""What the 1,000 classes of ImageNet are called."""

from dataclasses import dataclass
from functools import lru_cache

from course_lib.data.packaged import DATA_FOLDER, checksums, read_verified


@dataclass(frozen=True)
class ImagenetNames:
    """Short English names, in the order in which networks number the classes."""

    names: tuple[str, ...]
    licence: str = "public domain"
    attribution: str = "Names of the ImageNet classes: Anish Athalye, public domain."


@lru_cache
def load_imagenet_names() -> ImagenetNames:
    """Load the 1,000 names.

    Raises:
        DataError: the file is missing or damaged.
    """
    folder, file = DATA_FOLDER / "imagenet_names", "imagenet_names.txt"
    return ImagenetNames(tuple(read_verified(folder / file, checksums(folder)[file]).decode().splitlines()))
