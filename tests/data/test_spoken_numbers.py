"""Numbers read out in German: words by hand, their value computed back, ids that mean what they say."""

import re

import pytest
import torch

from course_lib.data.spoken_numbers import SYMBOLS, number_batch, number_batches, read_out

VALUES = {
    "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "und": 0,
    "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70,
    "achtzig": 80, "neunzig": 90,
}  # fmt: skip


def test_words_by_hand():
    assert read_out("47") == ("sieben", "und", "vierzig")
    assert read_out("4728") == ("sieben", "und", "vierzig", "acht", "und", "zwanzig")


def test_the_words_of_every_pair_add_up_to_it():
    for number in range(22, 100):
        if re.fullmatch("[2-9]{2}", str(number)):
            words = read_out(str(number))
            assert sum(VALUES[word] for word in words) == number
            assert VALUES[words[0]] == number % 10  # the last digit first


@pytest.mark.parametrize("number", ["4", "472", "40", "14", "4x", "4 7"])
def test_what_has_words_of_its_own_is_refused(number):
    with pytest.raises(ValueError, match=f"number is '{number}'; allowed are pairs of the digits 23456789"):
        read_out(number)


def test_ids_spell_digits_and_words():
    batch = number_batch(["4728", "33"])
    spelled = [[" ".join(SYMBOLS[i] for i in row) for row in part.tolist()] for part in batch]
    assert spelled == [
        ["4 7 2 8 </s>", "3 3 </s> <pad> <pad>"],
        [
            "<s> sieben und vierzig acht und zwanzig </s>",
            "<s> drei und dreißig </s> <pad> <pad> <pad>",
        ],
    ]


def test_batches_are_drawn_anew_and_again_from_the_same_seed():
    stream, again, other = number_batches(16, 3, 0), number_batches(16, 3, 0), number_batches(16, 3, 1)
    batches = [next(stream) for _ in range(60)]
    assert {(batch.source.shape[1] - 1) // 2 for batch in batches} == {1, 2, 3}
    assert all(len(batch.source) == 16 for batch in batches)
    assert all(torch.equal(batch.source, next(again).source) for batch in batches)
    assert not all(torch.equal(batch.source, next(other).source) for batch in batches)
    assert (
        len({tuple(row) for batch in batches for row in batch.source.tolist()}) > 400
    )  # not one over and over
