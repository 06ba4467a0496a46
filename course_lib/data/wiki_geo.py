"""For word vectors: a small real corpus, questions of analogy, and vectors that far more text made."""

import io
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from course_lib.data.packaged import DATA_FOLDER, checksums, read_lines, read_verified


@dataclass(frozen=True, eq=False)
class WordCorpus:
    """Sentences of words in small letters, without marks."""

    sentences: tuple[tuple[str, ...], ...]
    licence: str = "CC BY-SA 3.0"
    attribution: str = (
        "Contributors of English Wikipedia, CC BY-SA 3.0 (pages listed beside the file); "
        "CIA World Factbook, public domain."
    )


class Analogy(NamedTuple):
    """a is to b as c is to d: Athens, Greece, Baghdad, Iraq."""

    a: str
    b: str
    c: str
    d: str


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A vector for each word, the most frequent word first."""

    words: tuple[str, ...]
    vectors: np.ndarray  # (words, size) float32
    licence: str = "ODC PDDL 1.0"
    attribution: str = (
        "GloVe 6B, 50 dimensions, Jeffrey Pennington, Richard Socher and Christopher D. Manning, "
        "public domain; 10,278 words, rounded to 8 bits."
    )


@lru_cache
def load_wiki_geo() -> WordCorpus:
    """Load 46,527 sentences, 961,837 words, 13,306 different ones.

    The sentences were chosen because they name countries, capitals, nationalities or kin: real text, but no
    fair sample of English.

    Raises:
        DataError: the file is missing or damaged.
    """
    lines = read_lines(DATA_FOLDER / "wiki_geo", "corpus.txt.xz")
    return WordCorpus(tuple(tuple(line.split()) for line in lines))


@lru_cache
def load_analogies() -> dict[str, tuple[Analogy, ...]]:
    """Load the 19,544 questions of word2vec: section -> its questions, words in small letters.

    Source: Mikolov et al. 2013, Efficient Estimation of Word Representations, section 4.1; Apache-2.0.

    Raises:
        DataError: the file is missing or damaged.
    """
    sections: dict[str, list[Analogy]] = {}
    for line in read_lines(DATA_FOLDER / "wiki_geo", "questions-words.txt.xz"):
        if line.startswith(": "):
            questions = sections.setdefault(line[2:], [])
        else:
            questions.append(Analogy(*line.lower().split()))
    return {name: tuple(questions) for name, questions in sections.items()}


@lru_cache
def load_glove() -> WordVectors:
    """Load 10,278 vectors of 50 numbers, learned from six billion words.

    Source: Pennington, Socher and Manning 2014, GloVe.

    Raises:
        DataError: the file is missing or damaged.
    """
    folder = DATA_FOLDER / "glove50_subset"
    content = read_verified(folder / "glove50_int8.npz", checksums(folder)["glove50_int8.npz"])
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        vectors = stored["q"].astype(np.float32) * stored["scale"].astype(np.float32)[:, None]
        words = tuple(stored["words"].item().decode("utf8").split("\n"))
    vectors.setflags(write=False)  # one copy serves every caller
    return WordVectors(words, vectors)
