"""Byte-pair encoding of text (Sennrich, Haddow and Birch 2016, section 3.2).

Start from characters. Again and again, join the pair of neighbouring symbols that is most frequent.
Frequent words end as one symbol, rare words as several, and no word is unknown:
a character that was never seen is spelled as its UTF-8 bytes.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from course_lib.data.letters import MARKS
from course_lib.data.special import BEGIN, END, PAD, SPECIAL
from course_lib.text.fast_merges import learn_merges
from course_lib.text.merges import Pair, merge

SPACE = "▁"
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))


class EncodingStep(NamedTuple):
    """One merge as it is applied to a word."""

    rank: int
    """The place of the pair among the merges, from 0: the smaller, the earlier it was learned."""
    pair: Pair
    symbols: tuple[str, ...]
    """How the word is spelled after it."""


_WORDS = re.compile(rf" ?[\w{MARKS}]+| ?[^\w\s{MARKS}]+|\s")


def words(text: str) -> Iterator[str]:
    """Cut text into words, each with the space before it, and runs of punctuation; nothing is lost."""
    return (match.group() for match in _WORDS.finditer(text))


class BytePairEncoding:
    """A trained encoding: text <-> ids.

    `decode(encode(text)) == text` for every string.

    Args:
        alphabet: the single characters known; "▁", the mark of a space, is always one.
        merges: pairs in the order learned; the earlier, the stronger.

    Raises:
        ValueError: something longer in the alphabet, or a merge of what is neither a character nor joined
            by an earlier merge.
    """

    pad_id, bos_id, eos_id = PAD, BEGIN, END

    def __init__(self, alphabet: Iterable[str], merges: Iterable[Pair]) -> None:
        self.alphabet = tuple(sorted({*alphabet, SPACE}))
        self.merges = tuple((left, right) for left, right in merges)
        joins = dict.fromkeys(left + right for left, right in self.merges)
        self._check()
        self.pieces = (*SPECIAL, *BYTES, *self.alphabet, *joins)
        self._characters = frozenset(self.alphabet) - {SPACE}  # a "▁" in a text is not our mark of a space
        self._rank = {pair: i for i, pair in enumerate(self.merges)}
        self._id = {piece: i for i, piece in enumerate(self.pieces)}
        self._cache: dict[str, tuple[int, ...]] = {}

    def _check(self) -> None:
        known = set(self.alphabet)
        for character in known:
            if len(character) != 1:
                raise ValueError(f"alphabet holds {character!r}; allowed are single characters")
        for rank, (left, right) in enumerate(self.merges):
            for side in (left, right):
                if side not in known:
                    raise ValueError(
                        f"merges[{rank}] joins {side!r}; allowed are characters and what earlier merges join"
                    )
            known.add(left + right)

    def __len__(self) -> int:
        """Return the number of pieces: specials, bytes, characters and joins."""
        return len(self.pieces)

    @classmethod
    def train(cls, texts: Iterable[str], merges: int) -> "BytePairEncoding":
        """Learn merges from texts.

        Args:
            texts: sentences.
            merges: how many pairs to join, at least 0.

        Raises:
            ValueError: `merges` is negative.
        """
        if merges < 0:
            raise ValueError(f"merges is {merges}; allowed is 0 or more")
        counts: Counter[str] = Counter()
        for token, times in Counter(token for text in texts for token in text.split(" ")).items():
            for word in words(" " + token):
                if SPACE not in word:
                    counts[word.replace(" ", SPACE)] += times
        alphabet = {symbol for word in counts for symbol in word} | {SPACE}
        return cls(alphabet, learn_merges(counts, merges))

    def with_merges(self, count: int) -> "BytePairEncoding":
        """Return the encoding as it was after its first `count` merges; the ids stay the same.

        Raises:
            ValueError: there are not so many.
        """
        if not 0 <= count <= len(self.merges):
            raise ValueError(f"count is {count}; allowed are 0 to {len(self.merges)}")
        return BytePairEncoding(self.alphabet, self.merges[:count])

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text's pieces; an empty text has none.

        Raises:
            UnicodeEncodeError: a lone surrogate, which is no character and has no bytes.
        """
        return [i for word in words(" " + text) for i in self._encode_word(word)] if text else []

    def segment(self, text: str) -> list[str]:
        """Return a text's pieces; "▁" stands for a space, "<0xC3>" for a byte."""
        return [self.pieces[i] for i in self.encode(text)]

    def pieces_in(self, texts: Iterable[str]) -> set[str]:
        """Return the pieces of all texts together; what stands between two spaces is cut once."""
        tokens = {token for text in texts if text for token in text.split(" ")}
        found = {word for token in tokens for word in words(" " + token)}
        return {self.pieces[i] for word in found for i in self._encode_word(word)}

    def segment_words(self, text: str) -> list[list[str]]:
        """Return the pieces of each word of a text; joined they are what `segment` returns."""
        cut = [self._encode_word(word) for word in words(" " + text)] if text else []
        return [[self.pieces[i] for i in ids] for ids in cut]

    def spell(self, word: str) -> list[str]:
        """Return a word's symbols before any is joined: its characters, or the bytes of those not known.

        Args:
            word: one of `words(" " + text)`, so with the space before it.
        """
        symbols: list[str] = []
        for character in word:
            if character == " ":
                symbols.append(SPACE)
            elif character in self._characters:
                symbols.append(character)
            else:
                symbols.extend(BYTES[byte] for byte in character.encode("utf8"))
        return symbols

    def steps(self, word: str) -> Iterator[EncodingStep]:
        """Join a word's symbols pair by pair: of all pairs in it the one that was learned first, everywhere.

        Args:
            word: one of `words(" " + text)`, so with the space before it.

        Yields:
            each merge in the order in which it is applied; none where nothing can be joined.
        """
        symbols = self.spell(word)
        while pairs := [pair for pair in pairwise(symbols) if pair in self._rank]:
            best = min(pairs, key=self._rank.__getitem__)
            symbols = merge(symbols, best)
            yield EncodingStep(self._rank[best], best, tuple(symbols))

    def _encode_word(self, word: str) -> tuple[int, ...]:
        if word not in self._cache:
            symbols: Sequence[str] = self.spell(word)
            for step in self.steps(word):
                symbols = step.symbols
            self._cache[word] = tuple(self._id[symbol] for symbol in symbols)
        return self._cache[word]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids; special symbols are left out, bytes that are no UTF-8 become U+FFFD.

        Raises:
            ValueError: an id is outside the vocabulary.
        """
        content = bytearray()
        for i in ids:
            if not 0 <= i < len(self):
                raise ValueError(f"id is {i}; allowed are 0 to {len(self) - 1}")
            byte = i - len(SPECIAL)
            if 0 <= byte < len(BYTES):
                content.append(byte)
            elif byte >= len(BYTES):
                content.extend(self.pieces[i].replace(SPACE, " ").encode("utf8"))
        return content.decode("utf8", "replace").removeprefix(" ")

    def save(self, path: Path) -> None:
        """Write the alphabet and the merges as JSON."""
        state = {"alphabet": "".join(self.alphabet), "merges": self.merges}
        path.write_text(json.dumps(state, ensure_ascii=False, indent=0) + "\n", encoding="utf8")

    @classmethod
    def load(cls, path: Path) -> "BytePairEncoding":
        """Read what `save` wrote."""
        state = json.loads(path.read_text(encoding="utf8"))
        return cls(state["alphabet"], [(left, right) for left, right in state["merges"]])
