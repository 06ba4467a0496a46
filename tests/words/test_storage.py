from collections import Counter
from itertools import chain

import numpy as np
import pytest
import torch
from torch import nn

from course_lib.checkpoints import CheckpointError, save_checkpoint
from course_lib.data import load_analogies, load_wiki_geo
from course_lib.data.wiki_geo import WordVectors
from course_lib.words import nearest
from course_lib.words.storage import load_word_vectors, save_word_vectors


def test_what_is_read_is_what_was_written_to_half_a_step(tmp_path):
    vectors = (
        np.random.default_rng(0).normal(size=(30, 8)).astype(np.float32) * np.logspace(-2, 2, 30)[:, None]
    )
    vectors = np.concatenate((vectors, np.zeros((1, 8)))).astype(np.float32)
    words = tuple(f"word{i}" for i in range(31))
    save_word_vectors(tmp_path / "some.safetensors", WordVectors(words, vectors, "", ""))
    found = load_word_vectors(tmp_path / "some.safetensors")
    assert found.words == words and found.vectors.dtype == np.float32
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    assert (
        np.abs(found.vectors - vectors) <= largest * (0.5 / 127 + 2**-10)
    ).all()  # and float16 of the scale
    assert not found.vectors[30].any()
    assert (tmp_path / "some.safetensors").stat().st_size < 31 * (8 + 2 + 7) + 300


def test_a_file_that_is_missing_is_named(tmp_path):
    with pytest.raises(CheckpointError, match=r"none\.safetensors is missing"):
        load_word_vectors(tmp_path / "none.safetensors")


def test_another_checkpoint_is_refused(tmp_path):
    torch.manual_seed(0)
    save_checkpoint(tmp_path / "other.safetensors", nn.Linear(2, 2), {"words": "a b"})
    with pytest.raises(CheckpointError, match="holds no word vectors, but bias, weight"):
        load_word_vectors(tmp_path / "other.safetensors")


def test_frequent_words_and_those_of_the_questions_ship():
    counted = Counter(chain.from_iterable(load_wiki_geo().sentences))
    asked = {word for questions in load_analogies().values() for word in chain.from_iterable(questions)}
    shipped = load_word_vectors()
    known = {word for word, count in counted.items() if count >= 5}
    rarest_of_the_frequent = sorted(counted.values(), reverse=True)[2999]
    frequent = {word for word, count in counted.items() if count > rarest_of_the_frequent}
    assert frequent | (asked & known) <= set(shipped.words)
    assert len(shipped.words) <= 3000 + len(asked & known)
    order = [counted[word] for word in shipped.words]
    assert order == sorted(order, reverse=True)


def test_shipped_vectors_have_learned():
    shipped = load_word_vectors()
    assert {"norway", "denmark", "finland"} <= {word for word, _ in nearest(shipped, ["sweden"])}
    assert nearest(shipped, ["paris", "germany"], ["france"], 1)[0][0] == "berlin"
