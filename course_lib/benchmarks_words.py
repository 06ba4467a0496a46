"""The speed and the accuracy of our word vectors beside gensim's, in one run.

gensim comes with the `dev` extra; where it is missing, these functions say how to get it.
"""

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import version
from typing import Any

from course_lib.benchmarks import Benchmark, side_by_side
from course_lib.data import load_analogies, load_wiki_geo
from course_lib.data.words import WordVectors
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


def word_vectors(
    kind: Kind = "skip-gram", sentences: int = 12_000, epochs: int = 4, rounds: int = 1
) -> Benchmark:
    """Train on the same sentences, with the same settings, for as many passes.

    Half of gensim's words a second is asked for: twice its time.

    Args:
        kind: "cbow" or "skip-gram".
        sentences: of wiki_geo, evenly spread.
        epochs: passes over them.
        rounds: as in `side_by_side`.

    Raises:
        ModuleNotFoundError: gensim is not installed.
        RuntimeError: our vectors answer fewer questions: the times compare nothing.
    """
    every = max(1, len(load_wiki_geo().sentences) // sentences)
    text = load_wiki_geo().sentences[::every][:sentences]
    reach = 8 if kind == "skip-gram" else 5
    ours = partial(train_word_vectors, text, kind, reach=reach, epochs=epochs)
    theirs = partial(gensim_word_vectors, text, kind, reach=reach, epochs=epochs)
    right, expected = taught_share(ours()), taught_share(theirs())
    if right < 0.9 * expected:
        raise RuntimeError(f"our vectors answer {right:.1%} of the questions, gensim's {expected:.1%}")
    name = f"{kind} of {len(text)} sentences, {epochs} passes, 64 numbers a word, 8 rivals"
    against = f"gensim {version('gensim')}, {WORKERS} workers"
    return Benchmark(name, against, *side_by_side(ours, theirs, rounds), target=2.0)
