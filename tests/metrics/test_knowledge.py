import math

import pytest
import torch
from torch import nn

from course_experiments.recurrent.characters import pieces, samples
from course_lib.metrics.knowledge import (
    Brackets,
    brackets,
    estimate,
    fitting_brackets,
    letters,
    paired_quotes,
    real_words,
    speeches,
)
from course_lib.recurrent.language_model import LanguageModel
from course_lib.text.vocabulary import CharacterVocabulary


def test_real_words_are_counted_without_the_cut_one():
    assert real_words("The cat's zzyx, THE ca", {"the", "cat's", "ca"}) == 3 / 4
    assert math.isnan(real_words("the", {"the"})) and math.isnan(real_words("?!", {"the"}))


def test_a_speech_is_a_name_and_then_a_line():
    inner = ["ROMEO:\nAy me.", "Second Citizen:\nO.\nO.", "no name\nhere", "JULIET:", "ROMEO: in one line"]
    assert speeches("\n\n".join(["cut", *inner, "cut"])) == 2 / 5
    assert math.isnan(speeches("cut\n\ncut"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(a[i], {b: (c)})", (4, 0, 0)),
        ("(]", (0, 0, 1)),
        (")(", (0, 0, 1)),
        ("([)]", (0, 1, 1)),  # ) leaves [ open, so ] then has nothing to close
        ("{[()", (1, 0, 0)),  # what is still open at the end may be closed later
        ("", (0, 0, 0)),
    ],
)
def test_brackets_as_a_compiler_reads_them(text, expected):
    assert brackets(text) == Brackets(*expected)
    share = fitting_brackets(text)
    assert math.isnan(share) if sum(expected) == 0 else share == expected[0] / sum(expected)


def test_quotes_come_in_pairs_on_a_line():
    assert paired_quotes('a "b" c\nd "e\n"""f\n"" "\ncut "') == 1 / 3


def test_an_estimate_is_the_mean_and_its_standard_error():
    found = estimate(float, ["1", "2", "nan", "6"])
    assert (found.mean, found.texts) == (3, 3)
    assert found.error == pytest.approx(math.sqrt(7 / 3))  # squares 4, 1, 9 over 2, over 3 texts
    with pytest.raises(ValueError, match="texts with a value are 1; allowed is 2 or more"):
        estimate(float, ["1", "nan"])


def test_samples_are_as_cold_as_asked():
    torch.manual_seed(0)
    model, vocabulary = LanguageModel(3, 4).eval(), CharacterVocabulary("ab\n")
    nn.init.zeros_(model.head.weight)
    with torch.no_grad():
        model.head.bias.copy_(torch.tensor([1.0, 0.0, -1.0]))
    assert samples(model, vocabulary, 0.01, count=2, length=9) == ["a" * 9] * 2
    warm = samples(model, vocabulary, 1.0, count=3, length=50)
    assert len(set(warm)) == 3 and set("".join(warm)) == set("ab\n")
    assert warm == samples(model, vocabulary, 1.0, count=3, length=50)


def test_pieces_of_a_text_are_spread_over_it():
    assert pieces("abcdefghij", count=2, length=3) == ["abc", "fgh"]
    with pytest.raises(ValueError, match="text has 10 characters; 2 pieces need 12 or more"):
        pieces("abcdefghij", count=2, length=6)


def test_a_word_is_letters_of_any_script_with_their_marks():
    assert letters("Café, 'tis cafe\u0301 42 हिन्दी_x") == ["café", "tis", "cafe\u0301", "हिन्दी", "x"]
