"""A million characters of Shakespeare's plays (Tiny Shakespeare)."""

import lzma
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

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


class Exchange(NamedTuple):
    """Two speeches of a play, one after the other, by two people; each begins with its speaker's name."""

    said: str
    reply: str


def exchanges(play: str) -> list[Exchange]:
    """Return every two neighbouring speeches of different speakers.

    Args:
        play: speeches with an empty line between; the first line of each is a name and a colon.
    """
    speeches = [part for part in play.split("\n\n") if re.match(r".+:\n.", part)]
    return [Exchange(a, b) for a, b in pairwise(speeches) if a.partition("\n")[0] != b.partition("\n")[0]]
