import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data import load_wiki_geo
from course_lib.words import join_phrases, phrase_scores

TEXT = [
    *[["he", "left", "new", "york"]] * 4,
    *[["a", "new", "cat"]] * 2,
    ["york"],
    ["new", "york", "new", "york"],
]


def test_a_score_worked_by_hand():
    # 27 words: new 8, york 7; "new york" 6 times, "york new" once, "left new" 4 times, "he left" 4 times
    scores = phrase_scores(TEXT, discount=2)
    assert scores == {
        ("he", "left"): pytest.approx(27 * 2 / (4 * 4)),
        ("left", "new"): pytest.approx(27 * 2 / (4 * 8)),
        ("new", "york"): pytest.approx(27 * 4 / (8 * 7)),
    }


def test_words_that_know_nothing_of_each_other_score_about_one():
    words = [f"{a} {b}".split() for a in "abcdefgh" for b in "ABCDEFGH"] * 10
    assert set(phrase_scores(words, discount=0).values()) == {2.0}  # half of the words never stand first


def test_phrases_are_joined_from_the_left():
    phrases = {("new", "york"), ("york", "city")}
    assert join_phrases(["new", "york", "city", "in", "new", "new", "york"], phrases) == [
        "new_york",
        "city",
        "in",
        "new",
        "new_york",
    ]
    assert join_phrases(["york"], phrases) == ["york"] and join_phrases([], phrases) == []


@given(st.lists(st.sampled_from("abc"), max_size=12), st.sets(st.tuples(*[st.sampled_from("abc")] * 2)))
def test_joining_keeps_every_word_in_its_order(sentence, phrases):
    joined = join_phrases(sentence, phrases)
    assert [word for unit in joined for word in unit.split("_")] == sentence
    assert all(tuple(unit.split("_")) in phrases for unit in joined if "_" in unit)


def test_new_york_and_the_united_states_are_phrases_of_the_courses_text():
    scores = phrase_scores(load_wiki_geo().sentences)
    assert min(scores["new", "york"], scores["united", "states"]) > 200
    assert scores["of", "the"] < 20


def test_a_discount_below_zero_is_named():
    with pytest.raises(ValueError, match="discount is -1; allowed is 0 or more"):
        phrase_scores(TEXT, discount=-1)
