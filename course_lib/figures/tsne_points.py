"""What a t-SNE map can be made of: pictures, words, hidden states; and a map that says how far to believe it.

points = picture_points(digits.images[:1000], digits.labels[:1000])
points = word_points({"animal": ["cat", "dog"], "number": ["two", "three"]}, glove.words, glove.vectors)
points = state_points(states, text, ["vowel" if symbol in "aeiou" else "other" for symbol in text])
points = Points(vectors, labels=("bank",) * len(vectors), groups=senses, texts=sentences)

trace = embed_points(points, title="What is alike lies together")
TSNEMap(trace, points=points)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from course_lib.figures.tsne import embed_tsne, largest_perplexity
from course_lib.traces import EmbeddingTrace, Trace
from course_lib.traces.base import array, names, tokens
from course_lib.words.similarity import unit

COMPARISON_STEPS = 400  # enough for the last layout of a run that nobody watches
PIXEL_COMPONENTS = 50  # van der Maaten and Hinton 2008, section 4.1: less noise and faster
CONTEXT = 16  # symbols before and after a hidden state's own

Twin = Literal["noise", "permuted"]
_OTHER_FIELDS = (
    "other_kinds",
    "others",
    "other_perplexities",
    "other_kl",
    "other_kept",
    "other_trustworthiness",
)


@dataclass(frozen=True, eq=False)
class Points(Trace):
    """Vectors with what is known of each; `picture_points`, `word_points` and `state_points` make them.

    Args:
        vectors: float (points, features).
        labels: (points,) strings, one a point.
        groups: (points,) strings, the class of each point.
        pictures: uint8 (points, rows, columns), 0 is paper and 255 is ink, or None.
        texts: (points,) strings, more about each point, such as its sentence, or None.

    Raises:
        TypeError: a field of another kind.
        ValueError: sizes that disagree.
    """

    vectors: np.ndarray = field(metadata=array(np.float64, "points features"))
    labels: tuple[str, ...] = field(metadata=tokens("points"))
    groups: tuple[str, ...] = field(metadata=names("points"))
    pictures: np.ndarray | None = field(default=None, metadata=array(np.uint8, "points rows columns"))
    texts: tuple[str, ...] | None = field(default=None, metadata=names("points"))

    def __len__(self) -> int:
        return len(self.labels)


def picture_points(images: np.ndarray, groups: Iterable[object], vectors: np.ndarray | None = None) -> Points:
    """Make points of pictures; a point's label is its class and number: "7#12".

    Args:
        images: (points, rows, columns), uint8 from 0 to 255, or float from 0 to 1; large is ink.
        groups: (points,) the class of each picture; str() names it.
        vectors: float (points, features), what a network makes of each picture; None takes the pixels'
            first 50 principal components.

    Raises:
        ValueError: images of another shape or range.
    """
    images = np.asarray(images)
    if images.ndim != 3:
        raise ValueError(f"images has shape (points, rows, columns), got {images.shape}")
    if images.dtype != np.uint8:
        if not (images.min() >= 0 and images.max() <= 1):
            raise ValueError("images holds uint8, or floats from 0 to 1")
        images = np.round(images * 255).astype(np.uint8)
    named = tuple(map(str, groups))
    if vectors is None:
        vectors = _principal(images.reshape(len(images), -1) / 255)
    labels = tuple(f"{name}#{i}" for i, name in enumerate(named))
    return Points(vectors, labels, named, images)


def word_points(groups: Mapping[str, Iterable[str]], words: Sequence[str], vectors: np.ndarray) -> Points:
    """Make points of some words out of a vocabulary; vectors get length 1, so nearness is cosine similarity.

    Args:
        groups: class -> its words: {"animal": ["cat", "dog"], "number": ["two"]}.
        words: the vocabulary.
        vectors: float (words, features), a vector for each word of the vocabulary.

    Raises:
        ValueError: a word that the vocabulary lacks.
    """
    place = {word: i for i, word in enumerate(words)}
    chosen = [(word, group) for group, members in groups.items() for word in members]
    missing = [word for word, _ in chosen if word not in place]
    if missing:
        raise ValueError(f"groups names words without a vector: {', '.join(missing[:10])}")
    rows = np.asarray(vectors, dtype=np.float64)[[place[word] for word, _ in chosen]]
    return Points(unit(rows), tuple(word for word, _ in chosen), tuple(g for _, g in chosen))


def state_points(
    states: np.ndarray, symbols: Sequence[str], groups: Iterable[object], joint: str = "", start: int = 0
) -> Points:
    """Make points of a network's hidden states while it reads; hovering shows where in the text each one is.

    Args:
        states: float (points, hidden), the state after each symbol from ``start`` on.
        symbols: what is read, one string a step: characters, pieces or words.
        groups: (points,) the class of each state; str() names it.
        joint: what stands between symbols: " " for words.
        start: the step of the first state.

    Raises:
        ValueError: fewer symbols than states.
    """
    states = np.asarray(states)
    seen = [symbol.replace("\n", "⏎") for symbol in symbols]
    own = tuple(symbols[start : start + len(states)])
    if len(own) != len(states):
        raise ValueError(f"symbols has {len(own)} from step {start} on, but states has {len(states)}")
    steps = range(start, start + len(states))
    texts = tuple(
        joint.join((*seen[max(0, t - CONTEXT) : t], f"[{seen[t]}]", *seen[t + 1 : t + 1 + CONTEXT]))
        for t in steps
    )
    return Points(states, own, tuple(map(str, groups)), texts=texts)


def embed_points(
    points: Points,
    perplexity: float | None = None,
    *,
    compare: Sequence[float] | None = None,
    twin: Twin | None = "noise",
    seed: int = 0,
    iterations: int = 750,
    frames: int = 60,
    title: str = "",
) -> EmbeddingTrace:
    """Lay points out by t-SNE, with what makes the map honest: other perplexities, and a random twin.

    Each run beside the map's own takes 400 steps. The twin is laid out with the map's own perplexity and with
    the smallest of all, where noise forms clumps.

    Args:
        points: at least 4.
        perplexity: from 1 to (points - 1) / 3; None is 30, or the largest allowed.
        compare: perplexities to lay the same points out at once more; None takes 2 and ten thirds of the
            map's own (2 and 100 beside 30), as far as they are allowed; () takes none.
        twin: "noise" is Gaussian noise with the mean and the spread of each feature, "permuted" shuffles each
            feature among the points; None takes no twin.
        seed: of every run and of the twin.
        iterations, frames, title: of the map's own run, see `embed_tsne`.

    Raises:
        ValueError: as `embed_tsne`, or an unknown twin.
    """
    if twin not in ("noise", "permuted", None):
        raise ValueError(f"twin is 'noise', 'permuted' or None; got {twin!r}")
    largest = largest_perplexity(len(points))
    own = min(30.0, largest) if perplexity is None else float(perplexity)
    main = embed_tsne(
        points.vectors,
        points.labels,
        points.groups,
        own,
        seed,
        iterations,
        frames,
        title,
        points.pictures,
        points.texts,
    )
    if compare is None:
        wished = (min(largest, 2.0), min(largest, own * 10 / 3))
        compare = [float(f"{value:.3g}") for value in wished if not np.isclose(value, own, rtol=0.1)]
        compare = [min(value, largest) for value in compare]
    others = [Other.of("data", _last_layout(points.vectors, value, seed)) for value in compare]
    if twin is not None:
        vectors = random_twin(points.vectors, twin, seed)
        others += [
            Other.of(twin, _last_layout(vectors, value, seed))
            for value in sorted({min((own, *compare)), own})
        ]
    return with_others(main, others)


def embed_beside(points: Points, perplexity: float, before: EmbeddingTrace) -> EmbeddingTrace:
    """Lay the same points out with another perplexity, with the runs so far beside the new one.

    Args:
        points: what ``before`` was made of.
        perplexity: from 1 to (points - 1) / 3.
        before: the run so far; its seed, steps, number of frames and title are taken over.

    Raises:
        ValueError: a perplexity out of range.
    """
    new = embed_points(
        points,
        perplexity,
        compare=(),
        twin=None,
        seed=before.seed,
        iterations=int(before.iterations[-1]),
        frames=len(before.frames),
        title=before.title,
    )
    others = [Other.of("data", before), *others_of(before)]
    return with_others(new, [one for one in others if one.kind != "data" or one.perplexity != new.perplexity])


class Other(NamedTuple):
    """The last layout of a run beside the map's own; see `EmbeddingTrace` for the fields."""

    kind: str
    layout: np.ndarray
    perplexity: float
    kl: float
    kept: float
    trustworthiness: float

    @classmethod
    def of(cls, kind: str, run: EmbeddingTrace) -> Other:
        """Take what is shown of a run."""
        if run.trustworthiness is None:
            raise ValueError("run has no trustworthiness; a run by embed_tsne has one")
        return cls(
            kind, run.frames[-1], run.perplexity, float(run.kl[-1]), run.neighbours_kept, run.trustworthiness
        )


def others_of(trace: EmbeddingTrace) -> list[Other]:
    """Return the runs beside a trace's own."""
    columns = [getattr(trace, name) for name in _OTHER_FIELDS]
    return [] if columns[0] is None else [Other(*row) for row in zip(*columns, strict=True)]


def with_others(main: EmbeddingTrace, others: Sequence[Other]) -> EmbeddingTrace:
    """Return a trace with these runs beside it, the same points first, by perplexity."""
    if not others:
        return replace(main, **dict.fromkeys(_OTHER_FIELDS))
    ordered = sorted(others, key=lambda one: (one.kind != "data", one.perplexity))
    columns = [list(column) for column in zip(*ordered, strict=True)]
    return replace(main, **dict(zip(_OTHER_FIELDS, columns, strict=True)))


def random_twin(vectors: np.ndarray, kind: Twin, seed: int = 0) -> np.ndarray:
    """Return random data of the same size, (points, features): each feature as before, nothing between them.

    Args:
        vectors: float (points, features).
        kind: "noise" or "permuted", see `embed_points`.
        seed: of the draw.
    """
    generator = np.random.default_rng(seed)
    if kind == "permuted":
        return generator.permuted(vectors, axis=0)
    return vectors.mean(axis=0) + vectors.std(axis=0) * generator.standard_normal(vectors.shape)


def _last_layout(vectors: np.ndarray, perplexity: float, seed: int) -> EmbeddingTrace:
    nameless = ("",) * len(vectors)
    return embed_tsne(vectors, nameless, nameless, perplexity, seed, COMPARISON_STEPS, frames=2)


def _principal(pixels: np.ndarray) -> np.ndarray:
    from sklearn.decomposition import PCA

    components = min(PIXEL_COMPONENTS, *pixels.shape)
    return PCA(components, svd_solver="full").fit_transform(pixels)
