import numpy as np
import pytest

from course_experiments.attention.pronouns import HELD_OUT, PROBES, pronoun_weight
from course_lib.applications.translator import load_translator


def test_the_weight_of_a_noun_is_that_of_all_its_pieces():
    translator = load_translator("transformer")
    text = "Don't count your chickens before they hatch."
    trace = translator.attention_trace(text, target="", kind="encoder")
    row = trace.keys.index("▁they")
    first = trace.keys.index("▁before") - 1
    while not trace.keys[first].startswith("▁"):
        first -= 1
    noun = trace.weights[:, :, row, first : trace.keys.index("▁before")].sum(axis=-1)
    np.testing.assert_allclose(pronoun_weight(translator, text, "they", "chickens"), noun)


def test_a_word_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="has no word 'cow'; it has Eat, your"):
        pronoun_weight(load_translator("transformer"), HELD_OUT[0][0], "it", "cow")


def test_every_probe_has_two_nouns_before_its_pronoun():
    for text, right, wrong in PROBES:
        words = text.strip(".").split()
        assert max(words.index(right), words.index(wrong)) < words.index("it")
