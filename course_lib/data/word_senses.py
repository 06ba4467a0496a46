"""Words of wiki_geo that mean two things: sentences in which each sense was told apart by hand.

Rule: the sentences of 8 words or more that hold the word once, in a random order (seed 0). Each was read and
kept if it has one of the two senses without doubt (a person called Georgia, the river Jordan, the left in
politics fall out; the West Bank counts as a bank of a river, the Jordan), until there were 12 of each. A
sentence less than 50 places from one that was kept is likely to be of the same article and was passed over.
"""

from functools import lru_cache
from typing import NamedTuple

from course_lib.data.wiki_geo import load_wiki_geo

NUMBERS: dict[str, dict[str, tuple[int, ...]]] = {  # word -> sense -> sentences of the corpus
    "georgia": {
        "the US state": (
            *(34274, 3126, 44416, 26399, 3709, 29697),
            *(31607, 30997, 32637, 38047, 3798, 16123),
        ),
        "the country": (
            *(21054, 8548, 24033, 18370, 36424, 10038),
            *(43107, 43021, 28565, 32794, 20198, 27189),
        ),
    },
    "jordan": {
        "a person": (33436, 1771, 26904, 38831, 527, 38123, 9073, 28723, 24603, 3369, 37407, 39786),
        "the country": (
            *(16748, 33123, 22184, 46521, 17058, 36890),
            *(31752, 11138, 45455, 45351, 20744, 35426),
        ),
    },
    "left": {
        "went away": (
            *(34977, 32520, 19480, 33933, 28730, 31426),
            *(12606, 39725, 38332, 2994, 29866, 42454),
        ),
        "not right": (
            *(13737, 35957, 22561, 36049, 4229, 39555),
            *(42797, 16820, 36404, 26991, 17562, 34561),
        ),
    },
    "bank": {
        "for money": (
            *(22898, 12427, 38115, 30216, 11836, 26746),
            *(40703, 20756, 1162, 36377, 15849, 5013),
        ),
        "of a river": (
            *(4477, 23883, 39902, 45368, 37429, 26427),
            *(162, 45437, 6931, 45279, 16087, 14409),
        ),
    },
}


class Occurrence(NamedTuple):
    """A word in a sentence, in a sense that a person chose."""

    word: str
    sense: str
    number: int  # place of the sentence in the corpus, from 0
    sentence: tuple[str, ...]

    @property
    def place(self) -> int:
        """Where the word stands in its sentence, from 0."""
        return self.sentence.index(self.word)


@lru_cache
def load_word_senses() -> dict[str, tuple[Occurrence, ...]]:
    """Load 24 occurrences of each of four words, 12 of each sense.

    Raises:
        DataError: the corpus is missing or damaged.
    """
    sentences = load_wiki_geo().sentences
    return {
        word: tuple(
            Occurrence(word, sense, number, sentences[number])
            for sense, numbers in senses.items()
            for number in numbers
        )
        for word, senses in NUMBERS.items()
    }
