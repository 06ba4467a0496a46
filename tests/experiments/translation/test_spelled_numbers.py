"""What is held out is never learned from, and yet made of what is."""

import pytest

from course_experiments.translation import spelled_numbers as module
from course_experiments.translation.spelled_numbers import (
    HELD_OUT,
    LEARNED,
    NUMBERS,
    SYMBOLS,
    learn_to_spell,
    share_spelled,
    spelled,
    spelling_results,
)
from course_lib.data.special import BEGIN, END, PAD


def test_every_digit_is_learned_in_both_places_and_no_number_held_out():
    assert len(NUMBERS) == 64 and len(HELD_OUT) == 16 and set(LEARNED) == set(NUMBERS) - set(HELD_OUT)
    for place in (0, 1):
        assert {number[place] for number in LEARNED} == set("23456789")
    assert NUMBERS["47"] == "siebenundvierzig"


def test_a_batch_holds_digits_and_letters():
    source, target = spelled(["47", "22"])
    read = [[SYMBOLS[token] for token in row] for row in source.tolist()]
    assert read == [["4", "7", "</s>"], ["2", "2", "</s>"]]
    long, short = target.tolist()
    assert long[0] == BEGIN and long[-1] == END and short[15:] == [END, PAD, PAD]
    assert "".join(SYMBOLS[token] for token in long[1:-1]) == "siebenundvierzig"


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("family", ["character", "gnmt"])
def test_numbers_that_were_never_seen_are_spelled(family):
    assert share_spelled(learn_to_spell(family, seed=1, updates=0), HELD_OUT) == 0
    assert share_spelled(learn_to_spell(family, seed=1, updates=120), HELD_OUT) > 50


@pytest.mark.usefixtures("unchecked")
def test_a_number_counts_if_every_letter_is_right_and_every_family_is_asked(monkeypatch):
    monkeypatch.setattr(module, "spell", lambda model, numbers: [NUMBERS[numbers[0]], "zwei", *numbers[2:]])
    assert share_spelled(None, LEARNED[:4]) == 25
    asked = []
    monkeypatch.setattr(module, "learn_to_spell", lambda family, seed: asked.append((family, seed)))
    found = {result.id: (result.value, result.spread) for result in spelling_results()}
    assert asked == [(family, seed) for family in ("character", "gnmt") for seed in range(3)]
    assert found == {f"spelled-numbers-{family}": (6.25, 0) for family in ("character", "gnmt")}
