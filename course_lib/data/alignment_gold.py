"""Word links between English and French, drawn by hand: a gold standard for alignment."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from course_lib.data.letters import MARKS
from course_lib.data.packaged import DATA_FOLDER, DataError, checksums, read_verified
from course_lib.data.tatoeba import ReferencedSentence, load_tatoeba

Link = tuple[int, int]  # (French word, English word), counted from 0

CLASSES = {
    "noun": "noun",
    "verb": "verb",
    "pron": "pronoun",
    "det": "determiner",
    "adj": "adjective",
    "adv": "adverb",
    "prep": "preposition",
    "conj": "conjunction",
    "other": "other",  # punctuation, hyphens, interjections
}
PAIRS = 45
WORDS = range(5, 13)  # allowed length of either side, punctuation not counted


@dataclass(frozen=True)
class AlignedPair:
    """A sentence, its translation, and which words stand for which."""

    number: int  # place of the sentence in the test split, from 0
    source: str
    target: str
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    classes: tuple[str, ...]  # of each target word, a value of `CLASSES`
    sure: frozenset[Link]
    possible: frozenset[Link]  # without the sure ones


def split_english(text: str) -> list[str]:
    """Split text into words and punctuation marks; an apostrophe stays with what follows: don · 't."""
    return re.findall(rf"'?[\w{MARKS}]+|[^\w\s{MARKS}]", text)


def split_french(text: str) -> list[str]:
    """Split text into words and punctuation marks; an apostrophe stays with what is before it: l' · eau."""
    return re.findall(rf"[\w{MARKS}]+'?|[^\w\s{MARKS}]", text)


def sampled() -> dict[int, ReferencedSentence]:
    """Return the sentences that the sampling rule chooses, by their place in the test split.

    Of the test sentences whose English side and first reference have 5 to 12 words each, every n-th in file
    order, from the first one on, n as large as 45 sentences allow.
    """
    fitting = {
        number: sentence
        for number, sentence in enumerate(load_tatoeba("fra").references("test"))
        if all(
            sum(word.strip("'").isalnum() for word in words) in WORDS
            for words in (split_english(sentence.source), split_french(sentence.references[0]))
        )
    }
    every = len(fitting) // PAIRS
    return dict(list(fitting.items())[::every][:PAIRS])


@lru_cache
def load_alignment_gold() -> tuple[AlignedPair, ...]:
    """Load 45 English-French test sentences with hand-drawn links, in file order.

    Raises:
        DataError: the file is missing or damaged.
    """
    folder = DATA_FOLDER / "alignment_gold"
    entries = json.loads(read_verified(folder / "pairs.json", checksums(folder)["pairs.json"]))
    sentences = load_tatoeba("fra").references("test")
    return tuple(read_pair(entry, sentences[entry["number"]]) for entry in entries)


def read_pair(entry: dict[str, Any], sentence: ReferencedSentence) -> AlignedPair:
    """Read one entry of the file; in it, 3-4 links English word 3 surely to French word 4, 3?4 possibly.

    Args:
        entry: "number", "english", "french" (each word with its class, "soirée/noun") and "links".
        sentence: the test sentence that it annotates; its first reference is the French side.

    Raises:
        DataError: the words are not those of the sentence, a class is unknown, or a link is not written as
            above, stands there twice, or names a word that does not exist.
    """
    number, english = entry["number"], entry["english"].split()
    tagged = [word.rsplit("/", 1) for word in entry["french"].split()]
    french = [word for word, *_ in tagged]
    first = sentence.references[0]
    for words, cut, text in ((english, split_english, sentence.source), (french, split_french, first)):
        if words != cut(text):
            raise DataError(f"pair {number} has the words {words}, but the sentence is {text!r}")
    for word, *given in tagged:
        if len(given) != 1 or given[0] not in CLASSES:
            raise DataError(
                f"pair {number}: {word!r} has the class {given}; allowed are {', '.join(CLASSES)}"
            )
    links: dict[str, set[Link]] = {"-": set(), "?": set()}
    for written in entry["links"].split():
        parts = re.fullmatch(r"(\d+)([-?])(\d+)", written)
        if not parts:
            raise DataError(f"pair {number}: link {written!r} is not written like 3-4 or 3?4")
        link = (int(parts[3]), int(parts[1]))
        if link[0] >= len(french) or link[1] >= len(english):
            raise DataError(
                f"pair {number}: link {written!r} names a word that does not exist; "
                f"there are {len(english)} English and {len(french)} French ones"
            )
        if link in links["-"] | links["?"]:
            raise DataError(f"pair {number}: link {written!r} stands there twice")
        links[parts[2]].add(link)
    return AlignedPair(
        number=number,
        source=sentence.source,
        target=sentence.references[0],
        source_words=tuple(english),
        target_words=tuple(french),
        classes=tuple(CLASSES[given] for _, given in tagged),
        sure=frozenset(links["-"]),
        possible=frozenset(links["?"]),
    )
