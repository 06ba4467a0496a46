import pytest

from course_lib.words import cbow_windows, skip_gram_pairs

FOX = ["the", "quick", "brown", "fox", "jumped", "over", "the", "lazy", "dog"]
ROAD = ["The", "wide", "road", "shimmered", "in", "the", "hot", "sun"]


def test_the_windows_of_the_quick_brown_fox():
    windows = cbow_windows(FOX, 1, edges=False)
    assert windows[:3] == [
        (("the", "brown"), "quick"),
        (("quick", "fox"), "brown"),
        (("brown", "jumped"), "fox"),
    ]
    assert len(windows) == 7


def test_the_windows_of_the_quick_brown_fox_to_the_end():
    assert [
        (f"{before} {after}", word) for (before, after), word in cbow_windows(FOX, 1, edges=False)[3:]
    ] == [
        ("fox over", "jumped"),
        ("jumped the", "over"),
        ("over lazy", "the"),
        ("the dog", "lazy"),
    ]


def test_the_pairs_of_the_quick_brown_fox():
    assert skip_gram_pairs(FOX, 1, edges=False)[:4] == [
        ("quick", "the"),
        ("quick", "brown"),
        ("brown", "quick"),
        ("brown", "fox"),
    ]


@pytest.mark.parametrize(
    ("reach", "word", "neighbours"),
    [
        (2, "wide", "The road shimmered"),
        (2, "shimmered", "wide road in the"),
        (2, "sun", "the hot"),
        (3, "wide", "The road shimmered in"),
        (3, "shimmered", "The wide road in the hot"),
        (3, "sun", "in the hot"),
    ],
)
def test_the_table_of_the_wide_road(reach, word, neighbours):
    pairs = skip_gram_pairs(ROAD, reach)
    assert [near for centre, near in pairs if centre == word] == neighbours.split()


def test_a_sentence_of_one_word_teaches_nothing():
    assert cbow_windows(["alone"], 2) == [] and cbow_windows([], 2) == []


def test_a_window_that_reaches_nowhere_is_refused():
    with pytest.raises(ValueError, match="reach is 0; allowed is 1 or more"):
        skip_gram_pairs(FOX, 0)


def test_a_string_is_no_sentence():
    with pytest.raises(TypeError, match=r"words is the str 'the wide'; needed is a sequence of words"):
        cbow_windows("the wide", 1)
