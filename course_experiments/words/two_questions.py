"""Skip-gram for little text and rare words, CBOW faster and better for frequent ones? (Mikolov's claim)

Both read the same share of the text, equally often and with the same window; then CBOW once more, for about
as long as skip-gram takes. A word's vector is judged by its neighbourhood: its cosines with frequent words
should rank these as GloVe's vectors do, which six billion words have made.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome, over_seeds, sweep
from course_experiments.results import Measurement
from course_lib.data import load_glove, load_wiki_geo
from course_lib.data.wiki_geo import WordVectors
from course_lib.words import train_word_vectors
from course_lib.words.similarity import unit
from course_lib.words.training import Kind, count_words

SEEDS, REACH = 3, 5
WAYS: dict[str, tuple[Kind, int]] = {  # what is learnt, in how many passes
    "skip-gram": ("skip-gram", 10),
    "cbow": ("cbow", 10),
    "cbow-longer": ("cbow", 24),
}
PARTS = (16, 4, 1)  # every 16th sentence, every fourth, all
ANCHORS = 300  # every second of the frequent words in the smallest share of the text; the others are judged
BANDS = ((5, 9), (10, 29), (30, 99), (100, None))  # occurrences in the text that was read


def band_name(band: tuple[int, int | None]) -> str:
    """Return it as it stands in ids."""
    low, high = band
    return f"{low}-{high}" if high else f"{low}-up"


def ranks(values: Float[np.ndarray, "words anchors"]) -> Float[np.ndarray, "words anchors"]:
    """Return the place of each value in its row, from 0, scaled to mean 0 and length 1."""
    places = values.argsort(axis=1).argsort(axis=1).astype(float)
    places -= places.mean(axis=1, keepdims=True)
    return places / np.linalg.norm(places, axis=1, keepdims=True)


def agreement(
    first: WordVectors, second: WordVectors, words: Sequence[str], anchors: Sequence[str]
) -> Float[np.ndarray, "words"]:
    """Return for each word how alike two vector sets rank the anchors around it: Spearman's ρ, -1 to 1.

    Args:
        first, second: vectors of all the words and anchors.
        words: what is judged; none of them is an anchor.
        anchors: what is ranked.
    """

    def ranked(vectors: WordVectors) -> Float[np.ndarray, "words anchors"]:
        place = {word: i for i, word in enumerate(vectors.words)}
        rows = unit(vectors.vectors)
        return ranks(rows[[place[word] for word in words]] @ rows[[place[anchor] for anchor in anchors]].T)

    rho: Float[np.ndarray, words] = (ranked(first) * ranked(second)).sum(axis=1)
    return rho


def choose_anchors() -> tuple[str, ...]:
    """Return every second of the most frequent words in the smallest share of the text, as GloVe has them."""
    known, frequent = set(load_glove().words), count_words(load_wiki_geo().sentences[:: PARTS[0]])
    return tuple(word for word in frequent if word in known)[: 2 * ANCHORS : 2]


class Judged(NamedTuple):
    """One training."""

    seconds: float  # of the processor
    rho: dict[str, float]  # band -> mean over its words
    words: dict[str, int]  # band -> how many words were judged


def judge(way: str, part: int, seed: int) -> Judged:
    """Train one of `WAYS` on every `part`-th sentence; compare with GloVe, band by band."""
    sentences, glove, anchors = load_wiki_geo().sentences[::part], load_glove(), choose_anchors()
    kind, passes = WAYS[way]
    start = time.process_time()
    vectors = train_word_vectors(sentences, kind, reach=REACH, epochs=passes, seed=seed)
    seconds = time.process_time() - start
    known = set(glove.words) - set(anchors)
    rho, number = {}, {}
    for band in BANDS:
        low, high = band
        words = [
            word
            for word, count in count_words(sentences).items()
            if word in known and low <= count <= (high or count)
        ]
        rho[band_name(band)] = float(agreement(vectors, glove, words, anchors).mean())
        number[band_name(band)] = len(words)
    return Judged(seconds, rho, number)


def results(way: str, part: int, runs: Sequence[Judged]) -> list[Measurement]:
    """Return what is to be recorded of one share of the text."""
    share = "all of wiki_geo" if part == 1 else f"1/{part} of wiki_geo"
    kind, passes = WAYS[way]
    what = f"{kind}, {share}, window {REACH}, {passes} passes, {SEEDS} seeds"
    values = {
        f"rho-{band}": (
            f"{what}: rank correlation with GloVe's neighbours, {number} words that stand there {band} times",
            [run.rho[band] for run in runs],
        )
        for band, number in runs[0].words.items()
    }
    values["seconds"] = (f"{what}: CPU seconds", [run.seconds for run in runs])
    return [
        over_seeds(f"two-questions-{way}-{part}-{key}", "two-questions", metric, found)
        for key, (metric, found) in values.items()
    ]


def run(budget: Budget) -> Outcome:
    """Train both kinds on every share of the text with every seed; judge."""
    cases = {f"{way} {part}": (way, part) for part in PARTS for way in WAYS}
    judged = sweep(
        budget,
        [(case, seed) for case in cases for seed in range(SEEDS)],
        lambda case, seed, _: judge(*cases[case], seed),
    )
    if judged is None:
        return PAUSED
    return Outcome(
        [
            each
            for case, (way, part) in cases.items()
            for each in results(way, part, [Judged(*run) for run in judged[case]])
        ]
    )


EXPERIMENTS = [
    Experiment("two_questions", "skip-gram and CBOW by size of the text and frequency of the word", 8, run)
]
