import numpy as np
import pytest

from course_experiments.words import word_vectors
from course_experiments.words.word_vectors import (
    Trial,
    accuracy_results,
    shared_neighbours,
    ship,
    speed_results,
)
from course_lib.data.wiki_geo import Analogy, WordCorpus, WordVectors
from course_lib.words.storage import load_word_vectors


def vectors(words, *points):
    return WordVectors(tuple(words), np.array(points, np.float32), "", "")


SQUARE = vectors("abcde", [1, 0], [1, 1], [0, 1], [-1, 1], [0, -1])
QUESTIONS = {"right": (Analogy("a", "b", "c", "d"),), "wrong": (Analogy("a", "b", "c", "e"),)}


@pytest.fixture
def two_sections(monkeypatch):
    monkeypatch.setattr(word_vectors, "load_analogies", lambda: QUESTIONS)
    monkeypatch.setattr(word_vectors, "taught_share", lambda trained: 0.25 if trained is SQUARE else 0.75)


def test_each_section_gets_its_percent_and_the_seeds_their_spread(two_sections):
    mirrored = vectors("abcde", [-1, 0], [-1, 1], [0, 1], [1, 1], [0, -1])  # the same angles
    found = {r.id: r for r in accuracy_results("cbow", "ours", [SQUARE, mirrored])}
    assert found["word-vectors-cbow-ours-right"].value == 100
    assert found["word-vectors-cbow-ours-wrong"].value == 0
    taught = found["word-vectors-cbow-ours-taught"]
    assert (taught.value, taught.spread) == (50, pytest.approx(50 / 2**0.5, abs=1e-3))  # of 25 and 75


def test_words_a_second_count_every_pass():
    trials = {"ours": [Trial(SQUARE, 2.0, 4.0)], "gensim": [Trial(SQUARE, 6.0, 3.0)]}
    found = {r.id: r.value for r in speed_results("skip-gram", trials, words=30)}  # ten passes
    assert found["word-vectors-skip-gram-ours-words-a-cpu-second"] == 150
    assert found["word-vectors-skip-gram-gensim-words-a-wall-second"] == 100
    assert found["word-vectors-skip-gram-speed-cpu"] == 3
    assert found["word-vectors-skip-gram-speed-wall"] == 0.75


def test_shared_neighbours_are_counted_by_their_words():
    turned = vectors("dcba", [-1, 1], [0, 1], [1, 1], [1, 0])  # the same vectors in another order
    assert shared_neighbours(SQUARE, turned, ["a", "b"], count=2) == 1
    other = vectors("abcd", [1, 0], [0, 1], [1, 1], [-1, 1])  # b and c have changed places
    assert shared_neighbours(SQUARE, other, ["a"], count=1) == 0  # b is nearest to a here, c there


def test_frequent_words_ship_and_those_asked_for(two_sections, tmp_path, monkeypatch):
    monkeypatch.setattr(word_vectors, "SHIPPED_WORDS", 1)
    some = vectors(["the", "of", "a", "z", "d"], [1, 2], [3, 4], [5, 6], [7, 8], [9, 8])
    ship(tmp_path / "v.safetensors", some)
    shipped = load_word_vectors(tmp_path / "v.safetensors")
    assert shipped.words == ("the", "a", "d")
    np.testing.assert_allclose(shipped.vectors, some.vectors[[0, 2, 4]], atol=0.05)


def test_full_softmax_and_sub_sampling_are_measured_as_they_say(monkeypatch):
    """The trainer is replaced: what matters here is what it is asked for."""
    asked = []

    def train(sentences, kind="skip-gram", **options):
        asked.append((sorted({word for sentence in sentences for word in sentence}), kind, options))
        return SQUARE

    monkeypatch.setattr(word_vectors, "train_word_vectors", train)
    monkeypatch.setattr(word_vectors, "taught_share", lambda trained: 0.5)
    monkeypatch.setattr(word_vectors, "FREQUENT", 2)
    text = [list("aabbc")] * 6
    found = {r.id: r.value for r in word_vectors.softmax_results(text)}
    assert [(words, options["negatives"]) for words, _, options in asked] == [
        (["a", "b"], None),
        (["a", "b"], 8),
    ]
    assert found["word-vectors-softmax-full-taught"] == 50
    found = {r.id: r.value for r in word_vectors.sub_sampling_results(text, Trial(SQUARE, 7.0, 9.0))}
    assert asked[-1][2]["threshold"] == 1
    assert found["word-vectors-sub-sampling-on-cpu-seconds"] == 7


def test_all_is_trained_with_the_same_settings_and_recorded_once(two_sections, tmp_path, monkeypatch):
    """Both trainers are replaced by one that notes what it was asked for."""
    asked = []

    def trainer(who):
        def train(sentences, kind, **options):
            asked.append((who, kind, options.get("seed"), options["reach"], options["epochs"]))
            return SQUARE

        return train

    monkeypatch.setattr(word_vectors, "load_gensim", lambda: None)
    monkeypatch.setattr(word_vectors, "train_word_vectors", trainer("ours"))
    monkeypatch.setattr(word_vectors, "gensim_word_vectors", trainer("gensim"))
    monkeypatch.setattr(word_vectors, "shared_neighbours", lambda *vectors: 0.5)
    monkeypatch.setattr(word_vectors, "load_wiki_geo", lambda: WordCorpus((("a", "b"),) * 9))
    monkeypatch.setattr(
        word_vectors, "load_analogies", lambda: QUESTIONS | {"capital-common-countries": QUESTIONS["right"]}
    )
    results = word_vectors.learn_word_vectors(tmp_path / "v.safetensors")
    assert len({result.id for result in results}) == len(results)
    assert load_word_vectors(tmp_path / "v.safetensors").words == SQUARE.words
    compared = [entry for entry in asked if entry[2] is not None]
    for kind, (reach, epochs) in word_vectors.SETTINGS.items():
        for who, seeds in (("ours", word_vectors.OURS), ("gensim", word_vectors.THEIRS)):
            expected = [(who, kind, seed, reach, epochs) for seed in seeds]
            assert [entry for entry in compared if entry[:2] == (who, kind)] == expected
