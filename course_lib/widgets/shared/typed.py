"""What a reader types, and what a model reads of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Protocol, runtime_checkable
from unicodedata import category

from course_lib.text.bpe import BYTES, SPACE
from course_lib.text.typography import plain
from course_lib.traces import Trace
from course_lib.traces.base import names, tokens

MOST_PIECES = 50  # the sentences of the training data have a dozen words at most


@runtime_checkable
class TextReader(Protocol):
    """What is asked of a model to show how it reads a text."""

    def source_pieces(self, text: str) -> tuple[str, ...]:
        """Return what is read of a text."""

    def never_read(self, pieces: Sequence[str]) -> tuple[bool, ...]:
        """Say of each piece whether the model never read it in training."""


@dataclass(frozen=True, eq=False)
class Reading(Trace):
    """What a model reads of a text.

    Attributes:
        pieces: what the model is given, in order.
        unseen: places, from 0, of the pieces that it never read in training.
        unseen_texts: these pieces as a reader would write them, each once: the bytes of a character are it.
        read_as: names in the pieces in whose place the model was given others, each with the other.
    """

    pieces: tuple[str, ...] = field(metadata=tokens("pieces"))
    unseen: tuple[int, ...]
    unseen_texts: tuple[str, ...] = field(metadata=names("texts"))
    read_as: tuple[tuple[str, str], ...] = field(default=(), metadata=names("lent pair"))

    @classmethod
    def of_text(cls, model: TextReader, text: str) -> Reading:
        """Ask a model how it reads a text."""
        return cls.of(model, model.source_pieces(text))

    @classmethod
    def of(cls, model: TextReader, pieces: Sequence[str], read_as: Sequence[tuple[str, str]] = ()) -> Reading:
        """Ask a model which of these pieces it never read in training; a name read as another is none."""
        lent = {SPACE + name.replace(" ", SPACE) for name, _ in read_as}
        never = model.never_read(pieces)
        strange = [piece not in lent and one for piece, one in zip(pieces, never, strict=True)]
        runs = groupby(range(len(pieces)), key=lambda place: (strange[place], pieces[place] in BYTES))
        texts: dict[str, None] = {}
        for (is_strange, of_bytes), places in runs:
            run = [pieces[place] for place in places]
            if is_strange and of_bytes:
                spelled = bytes(BYTES.index(piece) for piece in run).decode("utf8", "replace")
                texts.update(dict.fromkeys(spelled))
            elif is_strange:
                texts.update(dict.fromkeys(piece.removeprefix(SPACE) for piece in run))
        unseen = tuple(place for place, is_strange in enumerate(strange) if is_strange)
        return cls(tuple(pieces), unseen, tuple(texts), tuple(read_as))


def typed_text(text: object, pieces_of: Callable[[str], Sequence[str]]) -> str:
    """Return a typed text in plain signs.

    Args:
        text: what the browser sent.
        pieces_of: (text) -> what the model is given.

    Raises:
        ValueError: in words for a reader, why there is nothing to read, or too much.
    """
    read = plain(text) if isinstance(text, str) else ""
    if not read:
        raise ValueError("Nothing is typed yet: write a sentence.")
    if not any(category(sign)[0] in "LN" for sign in read):
        raise ValueError(f"“{read}” holds no word: write a sentence with letters or digits.")
    if any(category(sign) == "Cs" for sign in read):
        raise ValueError("The sentence holds half a character, which cannot be read: type it again.")
    if (count := len(pieces_of(read))) > MOST_PIECES:
        raise ValueError(
            f"The sentence is too long: it has {count} pieces, and at most {MOST_PIECES} are read."
        )
    return read
