"""Word vectors of wiki_geo: ours beside gensim's, full softmax beside negative sampling, and sub-sampling."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from course_experiments.protocol import Budget, Experiment, Outcome, over_seeds
from course_experiments.results import Measurement
from course_experiments.words.beside_gensim import (
    TAUGHT,
    WORKERS,
    gensim_word_vectors,
    load_gensim,
    taught_share,
)
from course_lib.data import load_analogies, load_wiki_geo
from course_lib.data.wiki_geo import WordVectors
from course_lib.words import analogy_accuracy, train_word_vectors
from course_lib.words.similarity import unit
from course_lib.words.storage import save_word_vectors
from course_lib.words.training import Kind, count_words

OURS, THEIRS = range(2), range(1)  # seeds
FREQUENT = 2_000  # words of the text on which the full softmax is trained
SOFTMAX_EPOCHS = 3
SHIPPED_WORDS = 3_000  # the most frequent; the words of the questions come besides


class Setting(NamedTuple):
    """What ours and gensim's share, beside 64 numbers a word, 8 negative samples and a threshold of 3e-4."""

    reach: int
    epochs: int


SETTINGS: dict[Kind, Setting] = {"skip-gram": Setting(8, 10), "cbow": Setting(5, 20)}


class Trial(NamedTuple):
    """Vectors and what it took to train them, counting the words included."""

    vectors: WordVectors
    cpu: float  # seconds of all threads
    wall: float  # seconds on the clock


def timed_trial(train: Callable[[], WordVectors]) -> Trial:
    """Train and look at both clocks."""
    cpu, wall = time.process_time(), time.perf_counter()
    vectors = train()
    return Trial(vectors, time.process_time() - cpu, time.perf_counter() - wall)


def compare(kind: Kind, sentences: Sequence[Sequence[str]]) -> dict[str, list[Trial]]:
    """Train ours and gensim's in turn, one seed after the other."""
    load_gensim()  # its time is not timed, and who lacks it need not wait
    reach, epochs = SETTINGS[kind]
    trials: dict[str, list[Trial]] = {"ours": [], "gensim": []}
    for seed in OURS:
        for who, train in (("ours", train_word_vectors), ("gensim", gensim_word_vectors)):
            if who == "ours" or seed in THEIRS:
                trial = timed_trial(partial(train, sentences, kind, reach=reach, epochs=epochs, seed=seed))
                trials[who].append(trial)
                print(
                    f"{kind} {who} {seed}: {taught_share(trial.vectors):.1%}, {trial.cpu:.0f} s", flush=True
                )
    return trials


def summary(id: str, metric: str, values: Sequence[float]) -> Measurement:
    """Return the mean over seeds, with its standard deviation where there are several."""
    seeds = f", {len(values)} seeds" if len(values) > 1 else ""
    return over_seeds(f"word-vectors-{id}", "word-vectors", metric + seeds, values)


def accuracy_results(kind: Kind, who: str, vectors: Sequence[WordVectors]) -> Iterator[Measurement]:
    """Percent of right answers in each section, and in those together that the text was chosen for."""
    what = f"wiki_geo, {kind}, {who}: % right of"
    found = [analogy_accuracy(trained, load_analogies()) for trained in vectors]
    for section, (_, asked) in found[0].items():
        shares = [100 * accuracy[section].share for accuracy in found]
        yield summary(f"{kind}-{who}-{section}", f"{what} {asked} questions of {section}", shares)
    shares = [100 * taught_share(trained) for trained in vectors]
    yield summary(f"{kind}-{who}-taught", f"{what} the questions of {', '.join(TAUGHT)} together", shares)


def speed_results(kind: Kind, trials: dict[str, list[Trial]], words: int) -> Iterator[Measurement]:
    """Words of the text a second: of processor time, and on the clock of a busy machine."""
    threads = {"ours": "one thread", "gensim": f"{WORKERS} workers"}
    read, speeds = words * SETTINGS[kind].epochs, {}
    for who, done in trials.items():
        for clock, what in (("cpu", "CPU second"), ("wall", "second of wall time on a busy machine")):
            speeds[who, clock] = [read / getattr(trial, clock) for trial in done]
            metric = f"wiki_geo, {kind}, {who} ({threads[who]}): words of the text a {what}"
            yield summary(f"{kind}-{who}-words-a-{clock}-second", metric, speeds[who, clock])
    for clock in ("cpu", "wall"):
        ratio = fmean(speeds["ours", clock]) / fmean(speeds["gensim", clock])
        metric = f"wiki_geo, {kind}: our words a second over gensim's, {clock} time, on the same busy machine"
        yield summary(f"{kind}-speed-{clock}", metric, [ratio])


def shared_neighbours(
    first: WordVectors, second: WordVectors, words: Sequence[str], count: int = 10
) -> float:
    """Return which share of the nearest words of each word is the same in both, on average.

    Args:
        first, second: vectors.
        words: the words asked for; each has a vector in both.
        count: nearest words of each.
    """

    def neighbours(vectors: WordVectors) -> list[set[str]]:
        ids = [vectors.words.index(word) for word in words]
        unit_vectors = unit(vectors.vectors)
        cosine = unit_vectors[ids] @ unit_vectors.T
        cosine[np.arange(len(ids)), ids] = -np.inf
        return [{vectors.words[i] for i in row} for row in np.argsort(-cosine, axis=1)[:, :count]]

    pairs = zip(neighbours(first), neighbours(second), strict=True)
    return fmean(len(one & two) / count for one, two in pairs)


def neighbour_results(kind: Kind, trials: dict[str, list[Trial]]) -> Iterator[Measurement]:
    """How alike the neighbours of countries are between ours and gensim's, and between two seeds of ours."""
    ours, theirs = ([trial.vectors for trial in trials[who]] for who in ("ours", "gensim"))
    countries = sorted({question.b for question in load_analogies()["capital-common-countries"]})
    others = {"gensim": ("gensim's", theirs[0]), "seeds": ("those of another seed", ours[1])}
    for name, (what, vectors) in others.items():
        both = f"in ours and in {what}"
        metric = f"wiki_geo, {kind}: share of the 10 nearest words of {len(countries)} countries {both}"
        yield summary(f"{kind}-neighbours-{name}", metric, [shared_neighbours(ours[0], vectors, countries)])


def softmax_results(sentences: Sequence[Sequence[str]]) -> Iterator[Measurement]:
    """CBOW with the full softmax beside eight negative samples, on a text of the frequent words alone."""
    frequent = set(list(count_words(sentences))[:FREQUENT])
    text = [[word for word in sentence if word in frequent] for sentence in sentences]
    for name, negatives in (("full", None), ("negative", 8)):
        options = {"reach": 5, "epochs": SOFTMAX_EPOCHS, "negatives": negatives}
        trial = timed_trial(partial(train_word_vectors, text, "cbow", **options))  # type: ignore[arg-type]
        loss = "full softmax" if negatives is None else f"{negatives} negative samples"
        what = f"wiki_geo, its {FREQUENT:,} most frequent words, CBOW, {SOFTMAX_EPOCHS} passes, {loss}"
        right = 100 * taught_share(trial.vectors)
        print(what, right, trial.cpu, flush=True)
        yield summary(f"softmax-{name}-taught", f"{what}: % right of {', '.join(TAUGHT)} together", [right])
        yield summary(f"softmax-{name}-cpu-seconds", f"{what}: CPU seconds", [trial.cpu])


def sub_sampling_results(sentences: Sequence[Sequence[str]], usual: Trial) -> Iterator[Measurement]:
    """CBOW that reads every word, beside the usual one."""
    reach, epochs = SETTINGS["cbow"]
    options = {"reach": reach, "epochs": epochs, "threshold": 1.0}
    every = timed_trial(partial(train_word_vectors, sentences, "cbow", **options))  # type: ignore[arg-type]
    for name, trial, what in (
        ("on", usual, "frequent words skipped"),
        ("off", every, "every word read, in smaller batches"),
    ):
        right = 100 * taught_share(trial.vectors)
        metric = f"wiki_geo, CBOW, {what}"
        print(metric, right, trial.cpu, flush=True)
        yield summary(f"sub-sampling-{name}-taught", f"{metric}: % right of the sections together", [right])
        yield summary(f"sub-sampling-{name}-cpu-seconds", f"{metric}: CPU seconds", [trial.cpu])


def ship(path: Path, vectors: WordVectors) -> None:
    """Write the vectors of the most frequent words, and of all words of the questions."""
    asked = set(chain.from_iterable(chain.from_iterable(load_analogies().values())))
    rows = [i for i, word in enumerate(vectors.words) if i < SHIPPED_WORDS or word in asked]
    save_word_vectors(path, WordVectors(tuple(vectors.words[i] for i in rows), vectors.vectors[rows], "", ""))


def learn_word_vectors(path: Path) -> list[Measurement]:
    """Train all, write our first skip-gram to a file, and return what is to be recorded.

    Args:
        path: of the file, ending in .safetensors.

    Raises:
        ModuleNotFoundError: gensim is not installed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    sentences = load_wiki_geo().sentences
    words = sum(map(len, sentences))
    found: list[Measurement] = []
    for kind in SETTINGS:
        trials = compare(kind, sentences)
        for who, done in trials.items():
            found += accuracy_results(kind, who, [trial.vectors for trial in done])
        found += (*speed_results(kind, trials, words), *neighbour_results(kind, trials))
        if kind == "skip-gram":
            ship(path, trials["ours"][0].vectors)
        else:
            found += sub_sampling_results(sentences, trials["ours"][0])
    return [*found, *softmax_results(sentences)]


def run(budget: Budget) -> Outcome:
    """Train all and measure them."""
    path = budget.folder / "word_vectors.safetensors"
    return Outcome(learn_word_vectors(path), [path])


EXPERIMENTS = [
    Experiment(
        "word_vectors",
        "word vectors of wiki_geo beside gensim's, which must be installed",
        8,
        run,
        ships=("word_vectors.safetensors",),
    )
]
