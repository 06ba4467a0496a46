"""A million characters of Shakespeare's plays (Tiny Shakespeare)."""

import lzma
from dataclasses import dataclass
from functools import lru_cache

from course_lib.data.packaged import DATA_FOLDER, checksums, read_verified

FILE = "input.txt.xz"


@dataclass(frozen=True)
class CharacterText:
    """A text in two splits, one after the other."""

    train: str  # the first 90 % of the characters
    validation: str  # the rest
    licence: str = "public domain"
    attribution: str = (
        "Tiny Shakespeare: plays by William Shakespeare, public domain; file by Andrej Karpathy."
    )

    @property
    def characters(self) -> str:
        """Every character of the text once, sorted."""
        return "".join(sorted({*self.train, *self.validation}))


@lru_cache
def load_tiny_shakespeare() -> CharacterText:
    """Load the plays: 1,003,854 characters to train on and 111,540 to validate on, 65 different ones.

    Raises:
        DataError: the file is missing or damaged.
    """
    folder = DATA_FOLDER / "tiny_shakespeare"
    text = lzma.decompress(read_verified(folder / FILE, checksums(folder)[FILE])).decode("utf8")
    border = len(text) * 9 // 10
    return CharacterText(text[:border], text[border:])
