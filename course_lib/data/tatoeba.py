"""English sentences with their French or Turkish translations, written by people (Tatoeba)."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from course_lib.data.packaged import DATA_FOLDER, read_lines

Split = Literal["train", "validation", "test"]
FILES: dict[str, str] = {"train": "train.tsv.xz", "validation": "val.tsv.xz", "test": "test.tsv.xz"}


class SentencePair(NamedTuple):
    """One sentence and one translation of it."""

    source: str
    target: str


class ReferencedSentence(NamedTuple):
    """One sentence and every translation of it that the data set knows, in file order."""

    source: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class TranslationDataset:
    """Sentence pairs in three fixed splits; a source sentence is in one split only."""

    name: str
    train: tuple[SentencePair, ...]
    validation: tuple[SentencePair, ...]
    test: tuple[SentencePair, ...]
    licence: str
    attribution: str

    def references(self, split: Split) -> tuple[ReferencedSentence, ...]:
        """Group a split's pairs by source sentence, so that BLEU can use all the references.

        Raises:
            ValueError: no such split.
        """
        if split not in FILES:
            raise ValueError(f"split is {split!r}; allowed are {', '.join(map(repr, FILES))}")
        grouped: dict[str, list[str]] = {}
        for pair in getattr(self, split):
            grouped.setdefault(pair.source, []).append(pair.target)
        return tuple(ReferencedSentence(source, tuple(targets)) for source, targets in grouped.items())


LANGUAGES = {"fra": "French", "tur": "Turkish"}


@lru_cache
def load_tatoeba(language: str = "fra") -> TranslationDataset:
    """Load English pairs with another language; read once, then cached.

    Args:
        language: ISO 639-3 code of the target language, "fra" or "tur".

    Returns:
        French: 60,000 training pairs; 1,000 validation and 1,000 test sentences with all their references.
        Turkish: 39,281 pairs; 500 and 500 sentences.

    Raises:
        ValueError: the language is not packaged.
        DataError: a file is missing or damaged.
    """
    if language not in LANGUAGES:
        raise ValueError(f"language is {language!r}; allowed are {', '.join(map(repr, LANGUAGES))}")
    folder = DATA_FOLDER / f"tatoeba_eng_{language}"
    splits = {split: _read_pairs(folder, name) for split, name in FILES.items()}
    return TranslationDataset(
        name=f"Tatoeba English-{LANGUAGES[language]}",
        licence="CC BY 2.0 FR",
        attribution="Sentence pairs: Tatoeba contributors, via ManyThings.org/anki, CC BY 2.0 FR. "
        "Trimmed and split for this course.",
        **splits,
    )


@lru_cache
def load_more_tatoeba() -> tuple[SentencePair, ...]:
    """Load 100,088 further English-French pairs, longer ones too; for training only.

    No sentence of either side is in the validation or test set of `load_tatoeba("fra")`; licence and
    attribution are the same.

    Raises:
        DataError: the file is missing or damaged.
    """
    return _read_pairs(DATA_FOLDER / "tatoeba_eng_fra_more", FILES["train"])


def _read_pairs(folder: Path, name: str) -> tuple[SentencePair, ...]:
    return tuple(SentencePair(*line.split("\t")) for line in read_lines(folder, name))
