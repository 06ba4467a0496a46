"""Without gensim the comparison must say so; with it, both read the same text and worse vectors stop it."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from course_experiments.words import beside_gensim
from course_experiments.words.beside_gensim import gensim_word_vectors, taught_share, word_vectors
from course_lib.data import load_analogies, load_wiki_geo
from course_lib.data.wiki_geo import WordVectors
from course_lib.words.training import count_words


def test_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gensim", "gensim.models.word2vec"):
        monkeypatch.setitem(sys.modules, name, None)  # an import of it fails
    with pytest.raises(ModuleNotFoundError, match=r"nothing was measured.*pip install -e"):
        word_vectors()


def test_gensim_knows_the_same_words_by_the_same_sizes() -> None:
    text = [list("abca"), list("abd")] * 5
    found = gensim_word_vectors(text, size=4, reach=2, epochs=1)
    assert set(found.words) == set(count_words(text)) and found.vectors.shape == (4, 4)


def test_worse_vectors_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    few = SimpleNamespace(sentences=load_wiki_geo().sentences[:200])
    shares = iter((0.5, 0.5, 0.4, 0.5))  # ours, gensim's, of two comparisons
    monkeypatch.setattr(beside_gensim, "load_wiki_geo", lambda: few)
    monkeypatch.setattr(beside_gensim, "taught_share", lambda vectors: next(shares))
    measured = word_vectors(epochs=1)
    assert measured.theirs > 0 and "gensim" in measured.against and measured.target == 2
    with pytest.raises(RuntimeError, match=r"40\.0% of the questions, gensim's 50\.0%"):
        word_vectors(epochs=1)


def test_the_share_counts_questions_and_not_sections() -> None:
    """Every word in the same place: the first other word is always the answer."""
    words = tuple(dict.fromkeys(w for q in load_analogies()["family"][:30] for w in q))
    vectors = WordVectors(words, np.ones((len(words), 2), np.float32), "", "")
    asked = [q for q in load_analogies()["family"] if set(q) <= set(words)]
    first = [next(word for word in words if word not in q[:3]) for q in asked]
    assert taught_share(vectors) == sum(w == q.d for w, q in zip(first, asked, strict=True)) / len(asked)
    assert taught_share(WordVectors(("a",), np.ones((1, 2), np.float32), "", "")) == 0
