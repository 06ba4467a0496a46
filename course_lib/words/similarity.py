"""Questions to word vectors: which words are near, and what is to c as b is to a?"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from course_lib.data.words import Analogy, WordVectors


class Accuracy(NamedTuple):
    """How a section of questions was answered."""

    right: int
    asked: int  # questions whose four words all have a vector

    @property
    def share(self) -> float:
        """Right answers of those asked; 0 where none was."""
        return self.right / self.asked if self.asked else 0.0


def unit(vectors: Float[np.ndarray, "words size"]) -> Float[np.ndarray, "words size"]:
    """Return vectors of length 1; a vector of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def nearest(
    vectors: WordVectors, plus: Sequence[str], minus: Sequence[str] = (), count: int = 10
) -> list[tuple[str, float]]:
    """Return the words whose vectors point most nearly where a sum of words points, and the cosines.

    nearest(v, ["king", "woman"], ["man"]) asks what is to woman as king is to man (3CosAdd).

    Args:
        vectors: of the words.
        plus, minus: words that are added and taken away, all of them of length 1; they are no answers.
        count: words to return.

    Raises:
        ValueError: a word has no vector, or none is given.

    Source: Levy and Goldberg 2014, Linguistic Regularities in Sparse and Explicit Representations, eq. 2.
    """
    ids = {word: i for i, word in enumerate(vectors.words)}
    strangers = [word for word in (*plus, *minus) if word not in ids]
    if strangers or not plus:
        raise ValueError(f"plus and minus are {plus}, {minus}; no vector for {strangers or 'an empty sum'}")
    unit_vectors = unit(vectors.vectors)
    asked = [ids[word] for word in (*plus, *minus)]
    signs = np.array([1.0] * len(plus) + [-1.0] * len(minus))
    target = signs @ unit_vectors[asked]
    cosine = unit_vectors @ target / max(float(np.linalg.norm(target)), 1e-12)
    cosine[asked] = -np.inf
    best = np.argsort(-cosine, kind="stable")[:count]
    return [(vectors.words[i], float(cosine[i])) for i in best if np.isfinite(cosine[i])]


def analogy_accuracy(vectors: WordVectors, sections: Mapping[str, Sequence[Analogy]]) -> dict[str, Accuracy]:
    """Return for each section how many questions a : b = c : ? are answered with exactly d.

    The answer is the word of greatest cosine to b − a + c, other than a, b and c.

    Args:
        vectors: of the words; a question with a word that has no vector is not asked.
        sections: name -> questions.
    """
    ids = {word: i for i, word in enumerate(vectors.words)}
    unit_vectors = unit(vectors.vectors)
    found = {}
    for name, questions in sections.items():
        asked = np.array([[ids[w] for w in q] for q in questions if all(w in ids for w in q)], int)
        right = 0
        for part in np.array_split(asked, max(1, len(asked) // 500)) if len(asked) else ():
            a, b, c, d = part.T
            cosine = (unit_vectors[b] - unit_vectors[a] + unit_vectors[c]) @ unit_vectors.T
            rows = np.arange(len(part))
            for given in (a, b, c):
                cosine[rows, given] = -np.inf
            right += int((cosine.argmax(axis=1) == d).sum())
        found[name] = Accuracy(right, len(asked))
    return found
