"""aⁿbⁿ and aⁿbⁿcⁿ: the generator, the recogniser and brute force agree; a hand-made LSTM counts exactly."""

import itertools
import re

import pytest
import torch

from course_lib.data.counting import END, accepts, continuations, counting_word
from course_lib.recurrent import LSTM

LANGUAGES = ("ab", "abc", "xyzw")


def short_strings(letters, longest):
    for length in range(longest + 1):
        yield from map("".join, itertools.product(letters, repeat=length))


def test_words_by_hand():
    assert counting_word(3) == "aaabbb"
    assert counting_word(2, "abc") == "aabbcc"
    assert continuations("aab") == [{"a"}, {"a", "b"}, {"a", "b"}, {"b"}]
    assert continuations("abc", "abc") == [{"a"}, {"a", "b"}, {"c"}, {END}]
    assert continuations("ba") == [{"a"}, set(), set()]
    assert continuations("ab.a") == [{"a"}, {"a", "b"}, {END}, set(), set()]


@pytest.mark.parametrize("letters", LANGUAGES)
def test_every_word_is_accepted(letters):
    assert all(accepts(counting_word(n, letters), letters) for n in range(1, 40))


@pytest.mark.parametrize(("letters", "longest"), [("ab", 12), ("abc", 9)])
def test_of_all_short_strings_exactly_those_that_a_pattern_and_a_count_allow_are_accepted(letters, longest):
    pattern = re.compile("".join(f"({letter}+)" for letter in letters))

    def belongs(text):
        blocks = pattern.fullmatch(text)
        return bool(blocks) and len({len(block) for block in blocks.groups()}) == 1

    accepted = {text for text in short_strings(letters, longest) if accepts(text, letters)}
    assert accepted == {text for text in short_strings(letters, longest) if belongs(text)}
    assert accepted == {counting_word(n, letters) for n in range(1, longest // len(letters) + 1)}


@pytest.mark.parametrize(("letters", "longest"), [("ab", 9), ("abc", 7)])
def test_what_may_come_next_is_what_keeps_the_text_a_beginning_of_a_word(letters, longest):
    words = [counting_word(n, letters) + END for n in range(1, longest + 2)]
    beginnings = {word[:i] for word in words for i in range(len(word) + 1)}
    for text in short_strings(letters, longest):
        expected = [
            {symbol for symbol in letters + END if text[:i] + symbol in beginnings}
            for i in range(len(text) + 1)
        ]
        assert continuations(text, letters) == expected, text


@pytest.mark.parametrize("text", ["", "é", "aab😀", "AB", "a.b", "ab.", "\n"])
def test_other_strings_are_not_accepted(text):
    assert not accepts(text)


def test_what_is_no_language_is_refused():
    for n in (0, -3):
        with pytest.raises(ValueError, match=f"n is {n}; allowed is 1 or more"):
            counting_word(n)
    for letters in ("", "a", "aa", "a."):
        with pytest.raises(ValueError, match=r"letters are .* allowed are two or more different ones"):
            counting_word(1, letters)
        with pytest.raises(ValueError, match=r"letters are .* allowed are two or more different ones"):
            accepts("a", letters)


def test_an_lstm_with_hand_made_weights_is_the_counter():
    layer = LSTM(2, 1)
    with torch.no_grad():  # all gates open, the candidate is +1 at a and −1 at b
        layer.W_h.weight.zero_()
        layer.W_x.weight.copy_(torch.tensor([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [20.0, -20.0]]))
        layer.W_x.bias.copy_(torch.tensor([20.0, 20.0, 20.0, 0.0]))
    texts = ["".join(text) for text in itertools.product("ab", repeat=10)]
    inputs = torch.eye(2)[torch.tensor([["ab".index(symbol) for symbol in text] for text in texts])]
    for text, cells in zip(texts, layer.watch(inputs).cell[..., 0].tolist(), strict=True):
        assert cells == pytest.approx(
            list(itertools.accumulate(1 if s == "a" else -1 for s in text)), abs=1e-5
        )
        for end in range(1, len(text) + 1):
            in_order = re.fullmatch("a+b+", text[:end]) is not None
            assert accepts(text[:end]) == (in_order and abs(cells[end - 1]) < 0.5)
