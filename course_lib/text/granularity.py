"""Characters, words, pieces or bytes: what each costs, counted on text that was not learned from.

Small units are few and know everything, but make long sequences; whole words make short ones, but there are
very many of them, and each text brings new ones. Byte-pair encoding lies between, wherever one likes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from course_lib.data import load_tatoeba
from course_lib.text.bpe import BytePairEncoding, words

# Long words of languages that put into one word what others say in a sentence.
LONG_WORDS = {
    "Finnish": (
        "lentokonesuihkuturbiinimoottoriapumekaanikkoaliupseerioppilas",
        "epäjärjestelmällistyttämättömyydelläänsäkään",
    ),
    "Turkish": ("Çekoslovakyalılaştıramadıklarımızdan",),
}
_TEXTS = {"eng": ("fra", "source"), "fra": ("fra", "target"), "tur": ("tur", "target")}


@dataclass(frozen=True)
class Units:
    """One way to cut text.

    Attributes:
        name: how a table calls it.
        cut: text -> its units, in order.
        vocabulary: the units that have a number.
    """

    name: str
    cut: Callable[[str], list[str]]
    vocabulary: frozenset[str]

    def unknown(self, text: str) -> list[str]:
        """Return the units of a text that have no number."""
        return [unit for unit in self.cut(text) if unit not in self.vocabulary]


class Granularity(NamedTuple):
    """What one way to cut text costs."""

    name: str
    vocabulary: int
    """How many units have a number."""
    unknown: float
    """Share of a text's units that have none (the out-of-vocabulary rate), from 0 to 1."""
    per_sentence: float
    """Units in a sentence, on average."""
    per_word: float
    """Units in a word or mark, on average over the text."""


def sentences(language: str, count: int = 30_000) -> tuple[list[str], list[str]]:
    """Return sentences of Tatoeba to learn from, and others to count on.

    Args:
        language: "eng", "fra" or "tur".
        count: how many to learn from at most, 1 or more.

    Returns:
        (to learn from, held out): each sentence once, and none in both.

    Raises:
        ValueError: another language, or a count below 1.
    """
    if language not in _TEXTS:
        raise ValueError(f"language is {language!r}; allowed are {', '.join(map(repr, _TEXTS))}")
    if count < 1:
        raise ValueError(f"count is {count}; allowed is 1 or more")
    code, side = _TEXTS[language]
    data = load_tatoeba(code)
    seen = dict.fromkeys(getattr(pair, side) for pair in data.train)
    held_out = dict.fromkeys(getattr(pair, side) for pair in data.test)
    return list(seen)[:count], [sentence for sentence in held_out if sentence not in seen]


def word_tokens(text: str) -> list[str]:
    """Return the words and marks of a text, without spaces and ends of lines."""
    return [word.strip() for word in words(text) if not word.isspace()]


def byte_tokens(text: str) -> list[str]:
    """Return the UTF-8 bytes of a text, each as two hexadecimal digits."""
    return [f"{byte:02X}" for byte in text.encode("utf8")]


def learn_units(
    texts: Iterable[str], merges: Sequence[int] = (500, 2000, 8000), most_frequent: int = 8000
) -> tuple[Units, ...]:
    """Learn every way to cut from the same text.

    Args:
        texts: sentences.
        merges: sizes of the byte-pair encodings; 0 or more.
        most_frequent: how many words the smaller word vocabulary keeps, 1 or more.

    Returns:
        characters; all words that occur; the most frequent; byte-pair encodings; bytes.

    Raises:
        ValueError: no merges to learn, or a number that is too small.
    """
    if not merges:
        raise ValueError("merges is empty; allowed is one size or more")
    if most_frequent < 1:
        raise ValueError(f"most_frequent is {most_frequent}; allowed is 1 or more")
    texts = list(texts)
    counts = Counter(word for text in texts for word in word_tokens(text))
    frequent = frozenset(word for word, _ in counts.most_common(most_frequent))
    largest = BytePairEncoding.train(texts, max(merges))
    encodings = [largest.with_merges(min(size, len(largest.merges))) for size in merges]
    return (
        Units("characters", list, frozenset("".join(texts))),
        Units("words", word_tokens, frozenset(counts)),
        Units(f"words, the {len(frequent):,} most frequent", word_tokens, frequent),
        *(
            Units(f"BPE, {len(encoding.merges):,} merges", encoding.segment, frozenset(encoding.pieces))
            for encoding in encodings
        ),
        Units("bytes", byte_tokens, frozenset(f"{byte:02X}" for byte in range(256))),
    )


def measure(units: Units, texts: Sequence[str]) -> Granularity:
    """Count what a way to cut costs on texts that it was not learned from.

    Raises:
        ValueError: the texts hold no word.
    """
    spoken = sum(len(word_tokens(text)) for text in texts)
    if not spoken:
        raise ValueError(f"texts hold no word; allowed is one or more, got {len(texts)} texts")
    total = sum(len(units.cut(text)) for text in texts)
    unknown = sum(len(units.unknown(text)) for text in texts)
    return Granularity(units.name, len(units.vocabulary), unknown / total, total / len(texts), total / spoken)
