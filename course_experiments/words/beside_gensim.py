"""The speed and the accuracy of our word vectors beside gensim's, in one run.

gensim comes with the `dev` extra; where it is missing, these functions say how to get it.
"""

import time
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any

from course_experiments.speed.harness import Benchmark
from course_lib.data import load_analogies, load_wiki_geo
from course_lib.data.wiki_geo import WordVectors
from course_lib.words import Accuracy, analogy_accuracy, train_word_vectors
from course_lib.words.training import Kind

WORKERS = 2
TAUGHT = (  # the sections that wiki_geo was chosen for
    "capital-common-countries",
    "capital-world",
    "gram6-nationality-adjective",
    "family",
)


def load_gensim() -> Any:
    """Import gensim's module; it takes seconds.

    Raises:
        ModuleNotFoundError: gensim is not installed.
    """
    try:
        return import_module("gensim.models.word2vec")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "gensim is not installed, and nothing was measured; "
            "it is only needed to compare with: pip install -e .[dev]"
        ) from error


def gensim_word_vectors(
    sentences: Sequence[Sequence[str]],
    kind: Kind = "skip-gram",
    size: int = 64,
    reach: int = 8,
    negatives: int = 8,
    epochs: int = 10,
    threshold: float = 3e-4,
    seed: int = 0,
) -> WordVectors:
    """Train with gensim; the arguments are those of `train_word_vectors`, gensim's own learning rate.

    With two workers the seed does not fix the vectors: they race.

    Raises:
        ModuleNotFoundError: gensim is not installed.
    """
    model = load_gensim().Word2Vec(
        [list(sentence) for sentence in sentences],
        sg=int(kind == "skip-gram"),
        vector_size=size,
        window=reach,
        negative=negatives,
        epochs=epochs,
        sample=threshold,
        min_count=5,
        seed=seed,
        workers=WORKERS,
    )
    return WordVectors(tuple(model.wv.index_to_key), model.wv.vectors, "", "")


def taught_share(vectors: WordVectors) -> float:
    """Return the share of right answers to the questions that wiki_geo was chosen for."""
    found = analogy_accuracy(vectors, {name: load_analogies()[name] for name in TAUGHT}).values()
    return Accuracy(*map(sum, zip(*found, strict=True))).share


def word_vectors(kind: Kind = "cbow", reach: int = 5, epochs: int = 20) -> Benchmark:
    """Train both once on all of wiki_geo: with fewer passes, ours are behind.

    The clock is the processor time of all threads. Half of gensim's words a second is asked for: twice its
    time.

    Args:
        kind: "cbow" or "skip-gram".
        reach: the largest distance of a neighbour.
        epochs: passes over the text.

    Raises:
        ModuleNotFoundError: gensim is not installed.
        RuntimeError: our vectors answer fewer questions: the times compare nothing.
    """
    load_gensim()
    seconds, shares = [], []
    for train in (train_word_vectors, gensim_word_vectors):
        started = time.process_time()
        vectors = train(load_wiki_geo().sentences, kind, reach=reach, epochs=epochs)
        seconds.append(time.process_time() - started)
        shares.append(taught_share(vectors))
    if shares[0] < 0.9 * shares[1]:
        raise RuntimeError(f"our vectors answer {shares[0]:.1%} of the questions, gensim's {shares[1]:.1%}")
    name = f"{kind} of wiki_geo, {epochs} passes, 64 numbers a word, 8 negative samples"
    against = f"gensim {version('gensim')}, {WORKERS} workers"
    return Benchmark(name, against, ours=seconds[0], theirs=seconds[1], target=2.0)
