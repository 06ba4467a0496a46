import numpy as np
import pytest

from course_lib.data.wiki_geo import Analogy, WordVectors
from course_lib.words import analogy_accuracy, nearest
from course_lib.words.similarity import answer_analogies

PLANE = WordVectors(
    ("man", "king", "woman", "queen", "river"),
    np.array([[1, 0], [1, 1], [-1, 0.1], [-0.9, 1], [0, -1]], np.float32),
)


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_neighbours_are_ordered_by_their_angle():
    found = nearest(PLANE, ["queen"], count=4)
    v = dict(zip(PLANE.words, PLANE.vectors, strict=True))
    expected = sorted(((w, cosine(v[w], v["queen"])) for w in v if w != "queen"), key=lambda x: -x[1])
    assert [w for w, _ in found] == [w for w, _ in expected]
    assert [c for _, c in found] == pytest.approx([c for _, c in expected], abs=1e-6)


def test_king_and_woman_without_man():
    assert nearest(PLANE, ["king", "woman"], ["man"])[0][0] == "queen"
    assert "king" not in [word for word, _ in nearest(PLANE, ["king", "woman"], ["man"])]


def test_accuracy_counts_only_questions_that_can_be_asked():
    questions = {
        "royal": (Analogy("man", "king", "woman", "queen"), Analogy("man", "king", "woman", "river")),
        "unknown": (Analogy("man", "king", "duke", "queen"),),
    }
    found = analogy_accuracy(PLANE, questions)
    assert found["royal"] == (1, 2) and found["royal"].share == 0.5
    assert found["unknown"] == (0, 0) and found["unknown"].share == 0


def test_accuracy_equals_asking_one_by_one():
    generator = np.random.default_rng(0)
    words = tuple("abcdefghij")
    vectors = WordVectors(words, generator.normal(size=(10, 4)).astype(np.float32))
    questions = [Analogy(*generator.choice(words, 4, replace=False)) for _ in range(700)]
    right = sum(nearest(vectors, [q.b, q.c], [q.a], 1)[0][0] == q.d for q in questions)
    assert analogy_accuracy(vectors, {"all": questions})["all"] == (right, 700)


def test_a_word_without_a_vector_is_named():
    with pytest.raises(ValueError, match=r"no vector for \['duke'\]"):
        nearest(PLANE, ["king", "duke"])


def test_without_exclusion_the_word_one_started_from_is_nearest():
    """girl and boy are close, so brother + (girl - boy) is nearest to brother."""
    family = WordVectors(
        ("boy", "girl", "brother", "sister"),
        np.array([[1, 0], [1, 0.1], [0, 1], [-0.3, 1]], np.float32),
    )
    question = Analogy("boy", "girl", "brother", "sister")
    assert answer_analogies(family, [question]) == [(question, "sister")]
    assert answer_analogies(family, [question], exclude=False) == [(question, "brother")]


def test_a_string_is_no_list_of_words():
    with pytest.raises(TypeError, match="plus is the str 'king'; needed is a list of words"):
        nearest(PLANE, "king")


def test_no_neighbours_cannot_be_asked_for():
    with pytest.raises(ValueError, match="count is 0; allowed is 1 or more"):
        nearest(PLANE, ["king"], count=0)
