import numpy as np
import pytest

from course_lib.seq2seq import word_alignment
from course_lib.seq2seq.alignment import word_groups


def test_pieces_become_words():
    pieces = ["▁Un", "▁m", "'", "a", "▁télé", "phon", "é", ".", "</s>"]
    groups = word_groups(pieces, "French")
    assert [word for word, _ in groups] == ["Un", "m'", "a", "téléphoné", ".", "</s>"]
    assert [positions for _, positions in groups] == [[0], [1, 2], [3], [4, 5, 6], [7], [8]]


def test_an_english_apostrophe_begins_a_word():
    pieces = ["▁I", "▁do", "n", "'", "t", "▁par", "ents", "'", "▁dog", "</s>"]
    groups = word_groups(pieces, "English")
    assert [word for word, _ in groups] == ["I", "don", "'t", "parents", "'", "dog", "</s>"]
    assert [positions for _, positions in groups] == [[0], [1, 2], [3, 4], [5, 6], [7], [8], [9]]
    with pytest.raises(ValueError, match="language is 'eng'; allowed are 'English', 'French'"):
        word_groups(pieces, "eng")


def test_a_lone_word_start_belongs_to_what_follows():
    assert [word for word, _ in word_groups(["▁", "X", "▁Y", "▁?"], "French")] == ["X", "Y", "?"]


def test_weights_worked_by_hand():
    attention = np.array([[0.5, 0.1, 0.4], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]])
    found = word_alignment(attention, ["▁bl", "ue", "</s>"], ["▁bleu", "es", "</s>"])
    assert found.target == ("bleues", "</s>") and found.source == ("blue", "</s>")
    np.testing.assert_allclose(found.weights, [[0.4, 0.6], [0.6, 0.4]])
    assert found.strongest("bleues") == "</s>" and found.strongest("</s>") == "blue"


def test_layers_and_heads_are_put_together_one_by_one():
    attention = np.random.default_rng(0).dirichlet(np.ones(4), size=(3, 2, 3))
    sources, targets = ["▁bl", "ue", "▁sky", "</s>"], ["▁ciel", "▁bleu", "s"]
    together = word_alignment(attention, sources, targets).weights
    for layer, head in np.ndindex(3, 2):
        alone = word_alignment(attention[layer, head], sources, targets).weights
        np.testing.assert_array_equal(together[layer, head], alone)


def test_wrong_input_is_named():
    with pytest.raises(ValueError, match=r"attention has shape \(2, 3\); the pieces ask for \(1, 3\)"):
        word_alignment(np.zeros((2, 3)), ["a", "▁b", "▁c"], ["a"])
    found = word_alignment(np.full((2, 1), 1.0), ["▁a"], ["▁b", "▁b"])
    with pytest.raises(ValueError, match="target_word is 'b'; allowed is a word that occurs once"):
        found.strongest("b")
