"""Questions to word vectors: which words are near, and what is to c as b is to a?"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from course_lib.data.wiki_geo import Analogy, WordVectors


class Accuracy(NamedTuple):
    """How a section of questions was answered."""

    right: int
    asked: int  # questions whose four words all have a vector

    @property
    def share(self) -> float:
        """Right answers of those asked; 0 where none was."""
        return self.right / self.asked if self.asked else 0.0


class Answer(NamedTuple):
    """A question of analogy, and the word that the vectors answer."""

    question: Analogy
    word: str


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
        count: words to return, 1 or more.

    Raises:
        TypeError: `plus` or `minus` is a string instead of a list of words.
        ValueError: a word has no vector, none is given, or the count is below 1.

    Source: Levy and Goldberg 2014, Linguistic Regularities in Sparse and Explicit Representations, eq. 2.
    """
    for name, given in (("plus", plus), ("minus", minus)):
        if isinstance(given, str):
            raise TypeError(f"{name} is the str {given!r}; needed is a list of words, such as [{given!r}]")
    if count < 1:
        raise ValueError(f"count is {count}; allowed is 1 or more")
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


def answer_analogies(
    vectors: WordVectors, questions: Iterable[Analogy], exclude: bool = True
) -> list[Answer]:
    """Answer a : b = c : ? with the word of greatest cosine to b − a + c.

    Args:
        vectors: of the words; a question with a word that has no vector is not asked.
        questions: a, b, c and the right answer d.
        exclude: a, b and c are no answers, as is usual; otherwise they may be.
    """
    ids = {word: i for i, word in enumerate(vectors.words)}
    unit_vectors = unit(vectors.vectors)
    asked = [question for question in questions if all(word in ids for word in question)]
    answers: list[Answer] = []
    for start in range(0, len(asked), 500):
        part = asked[start : start + 500]
        a, b, c, _ = np.array([[ids[word] for word in question] for question in part]).T
        cosine = (unit_vectors[b] - unit_vectors[a] + unit_vectors[c]) @ unit_vectors.T
        if exclude:
            for given in (a, b, c):
                cosine[np.arange(len(part)), given] = -np.inf
        best = cosine.argmax(axis=1)
        answers += [Answer(question, vectors.words[i]) for question, i in zip(part, best, strict=True)]
    return answers


def analogy_accuracy(vectors: WordVectors, sections: Mapping[str, Sequence[Analogy]]) -> dict[str, Accuracy]:
    """Return for each section how many questions a : b = c : ? are answered with exactly d.

    Args:
        vectors: as for `answer_analogies`.
        sections: name -> questions.
    """
    answers = {name: answer_analogies(vectors, questions) for name, questions in sections.items()}
    return {
        name: Accuracy(sum(given.word == given.question.d for given in found), len(found))
        for name, found in answers.items()
    }
