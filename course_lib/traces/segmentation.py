"""What a byte-pair encoding has learned, as numbers: enough to cut any text without the encoding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from course_lib.data.special import SPECIAL
from course_lib.text.bpe import BYTES, SPACE, BytePairEncoding
from course_lib.traces.base import Trace, array

FIRST_BYTE = len(SPECIAL)
FIRST_CHARACTER = FIRST_BYTE + len(BYTES)


@dataclass(frozen=True, eq=False)
class SegmentationTrace(Trace):
    """A byte-pair encoding: its alphabet and its merges.

    Ids are those of `BytePairEncoding`: special symbols, 256 bytes, characters, then what merges join.

    Attributes:
        characters: (characters,); the code points of the alphabet, ascending; that of "▁" is one of them.
        merges: (merges, 2); the ids of the two pieces that each merge joins, in the order learned.
        title: what the pieces were learned from.
    """

    characters: np.ndarray = field(metadata=array(np.int32, "characters"))
    merges: np.ndarray = field(metadata=array(np.int32, "merges sides"))
    title: str = ""

    def __len__(self) -> int:
        """Return the number of merges."""
        return len(self.merges)

    def validate(self) -> None:
        """Check that characters ascend and that each merge joins two pieces known before it.

        Raises:
            ValueError: naming the field at fault, and where.
        """
        codes = self.characters
        if not (np.diff(codes) > 0).all() or ord(SPACE) not in codes:
            raise ValueError(f"characters must ascend and hold {ord(SPACE)}, the code point of {SPACE!r}")
        if codes[0] < 0 or codes[-1] > 0x10FFFF or ((codes >= 0xD800) & (codes < 0xE000)).any():
            raise ValueError(
                "characters must be code points of characters, so 0 to 1114111 without surrogates"
            )
        if self.merges.shape[1] != 2:
            raise ValueError(f"merges must be pairs, got {self.merges.shape[1]} ids each")
        self.pieces()

    @classmethod
    def of(cls, encoding: BytePairEncoding, title: str = "") -> Self:
        """Make the trace of an encoding."""
        ids = {piece: i for i, piece in enumerate(encoding.pieces) if i >= FIRST_CHARACTER}
        pairs = [[ids[left], ids[right]] for left, right in encoding.merges]
        codes = [ord(character) for character in encoding.alphabet]
        return cls(np.array(codes), np.array(pairs, np.int32).reshape(-1, 2), title)

    def pieces(self) -> tuple[str, ...]:
        """Return every piece; its place is its id."""
        joins: dict[str, None] = {}
        characters = [chr(code) for code in self.characters]
        known = dict(enumerate(characters, FIRST_CHARACTER))
        for rank, sides in enumerate(self.merges.tolist()):
            for side in sides:
                if side not in known:
                    raise ValueError(f"merges[{rank}] joins id {side}, which is no piece before it")
            joined = known[sides[0]] + known[sides[1]]
            if joined not in joins:
                known[FIRST_CHARACTER + len(characters) + len(joins)] = joined
                joins[joined] = None
        return (*SPECIAL, *BYTES, *characters, *joins)

    def encoding(self, merges: int | None = None) -> BytePairEncoding:
        """Return the encoding, with its first `merges` merges or all.

        Raises:
            ValueError: there are not so many merges.
        """
        count = len(self) if merges is None else merges
        if not 0 <= count <= len(self):
            raise ValueError(f"merges must be 0 to {len(self)} or None, got {merges}")
        pieces = self.pieces()
        pairs = [(pieces[left], pieces[right]) for left, right in self.merges[:count].tolist()]
        return BytePairEncoding(map(chr, self.characters.tolist()), pairs)
