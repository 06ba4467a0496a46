"""Do vectors tell the senses of a word apart? Each occurrence asks its nearest other one for its sense."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from course_lib.applications.contextual_reader import ContextualReader
from course_lib.data.wiki_geo import WordVectors
from course_lib.data.word_senses import Occurrence, load_word_senses
from course_lib.words.similarity import unit

Vectors = Float[np.ndarray, "occurrences features"]

WINDOW = 5  # words on either side that the smaller bag holds
WAYS = {  # in the order of `contextual_ways` and `static_ways`
    "forward-1": "h→, layer 1",
    "backward-1": "h←, layer 1",
    "both-1": "[h→ ; h←], layer 1",
    "forward-2": "h→, layer 2",
    "backward-2": "h←, layer 2",
    "both-2": "[h→ ; h←], layer 2",
    "glove-window": f"mean GloVe vector of {WINDOW} words on either side",
    "glove-sentence": "mean GloVe vector of the rest of the sentence",
    "word2vec-window": f"mean word2vec vector of {WINDOW} words on either side",
    "word2vec-sentence": "mean word2vec vector of the rest of the sentence",
}


class Share(NamedTuple):
    """A share of occurrences, 0 to 1, and its standard error √(p (1 − p) / n)."""

    value: float
    error: float


def nearest_has_same_sense(vectors: Vectors, senses: Sequence[str]) -> Bool[np.ndarray, "occurrences"]:
    """Return for each occurrence whether the nearest other one (cosine) has its sense.

    Args:
        vectors: of two or more occurrences of one word.
        senses: of each.

    Raises:
        ValueError: there are fewer than two, or not one sense for each.
    """
    if len(vectors) < 2 or len(vectors) != len(senses):
        raise ValueError(
            f"vectors are {len(vectors)} for {len(senses)} senses; allowed is one each, 2 or more"
        )
    units = unit(vectors)
    likeness = units @ units.T
    np.fill_diagonal(likeness, -np.inf)
    labels = np.array(senses)
    return labels[likeness.argmax(axis=1)] == labels


def contextual_ways(reader: ContextualReader, occurrences: Sequence[Occurrence]) -> dict[str, Vectors]:
    """Return the vectors of a word in its sentences, from each layer and direction; names as in `WAYS`."""
    layers = np.stack([reader.vectors(o.sentence)[:, o.place] for o in occurrences], axis=1)
    size = layers.shape[-1] // 2
    sides = {"forward": slice(0, size), "backward": slice(size, None), "both": slice(None)}
    return {
        f"{side}-{number}": layer[:, features]
        for number, layer in enumerate(layers, start=1)
        for side, features in sides.items()
    }


def static_ways(name: str, vectors: WordVectors, occurrences: Sequence[Occurrence]) -> dict[str, Vectors]:
    """Return bags of context words, of a window and of the sentence; names as in `WAYS`."""
    return {
        f"{name}-window": bag_of_context(vectors, occurrences, WINDOW),
        f"{name}-sentence": bag_of_context(vectors, occurrences),
    }


def bag_of_context(
    vectors: WordVectors, occurrences: Sequence[Occurrence], window: int | None = None
) -> Vectors:
    """Return the mean static vector of the words around each occurrence, the word itself left out.

    Args:
        vectors: a vector a word; words without one are passed over.
        occurrences: words in sentences.
        window: words on either side; None takes the whole sentence.

    Raises:
        ValueError: no word around an occurrence has a vector.
    """
    rows = {word: row for row, word in enumerate(vectors.words)}
    bags = []
    for occurrence in occurrences:
        sentence, place = occurrence.sentence, occurrence.place
        reach = len(sentence) if window is None else window
        around = sentence[max(0, place - reach) : place] + sentence[place + 1 : place + 1 + reach]
        known = [rows[word] for word in around if word in rows]
        if not known:
            raise ValueError(f"occurrences hold {' '.join(sentence)!r}; none of its words has a vector")
        bags.append(vectors.vectors[known].mean(axis=0))
    return np.stack(bags)


def tell_senses(
    reader: ContextualReader, static: dict[str, WordVectors]
) -> dict[str, dict[str, Bool[np.ndarray, "occurrences"]]]:
    """Return which labelled occurrences are told right: by way, then by word.

    Args:
        reader: a trained model.
        static: name -> vectors for the bags of context words, "glove" or "word2vec".
    """
    told: dict[str, dict[str, np.ndarray]] = {}
    for word, occurrences in load_word_senses().items():
        ways = contextual_ways(reader, occurrences)
        for name, vectors in static.items():
            ways |= static_ways(name, vectors, occurrences)
        senses = [occurrence.sense for occurrence in occurrences]
        for name, way in ways.items():
            told.setdefault(name, {})[word] = nearest_has_same_sense(way, senses)
    return told


def share(told: dict[str, Bool[np.ndarray, "occurrences"]]) -> Share:
    """Return the share that is told right, all words together."""
    right = np.concatenate(list(told.values()))
    p = float(right.mean())
    return Share(p, math.sqrt(p * (1 - p) / len(right)))
