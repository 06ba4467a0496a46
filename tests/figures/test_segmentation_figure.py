"""The static picture of a text's pieces, read back from the matplotlib figure."""

import warnings

import pytest
from matplotlib.colors import to_hex

from course_lib.figures import Picture, describe_segmentation, static_segmentation
from course_lib.figures.segmentation import BLOCKS, LADDER, count_words, joined, place_blocks
from course_lib.figures.theme import DARK
from course_lib.text import BytePairEncoding
from course_lib.traces import SegmentationTrace

HUGS = BytePairEncoding("hugsp\n", [("u", "g"), ("h", "ug"), ("▁", "hug")])
TRACE = SegmentationTrace.of(HUGS, "Hugs")
STRANGE = "<s> </s> <b>x</b> <script> %{z} $x$ &amp;  \n▁the Ġthe 😀 مرحبا \u200b İı"


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def blocks(figure):
    """Label, ground, dashed and left of each block, in order."""
    written = {
        (round(t.get_position()[0], 3), t.get_position()[1]): t.get_text() for t in figure.axes[0].texts
    }
    found = []
    for patch in figure.axes[0].patches:
        middle = (round(patch.get_x() + patch.get_width() / 2, 3), patch.get_y() + patch.get_height() / 2)
        found.append((written[middle], to_hex(patch.get_facecolor()), patch.get_linestyle() == "--", patch))
    return found


def test_one_block_is_one_piece_in_two_colours_by_turns():
    shown = blocks(static_segmentation(TRACE, "hugs pé", step=0))[:6]
    assert [label for label, *_ in shown] == ["▁hug", "s", "▁", "p", "0xC3", "0xA9"]
    assert [ground for _, ground, *_ in shown] == [*BLOCKS["light"]] * 3
    assert [dashed for _, _, dashed, _ in shown] == [False] * 4 + [True] * 2
    rights = [patch.get_x() + patch.get_width() for *_, patch in shown]
    lefts = [patch.get_x() for *_, patch in shown]
    assert all(right < left for right, left in zip(rights, lefts[1:], strict=False))


def test_the_title_says_how_many():
    title, *_ = texts(static_segmentation(TRACE, "hugs p!", merges=1))
    # ▁ h ug s, ▁ p and the byte of "!" for three words and marks
    assert title == "7 pieces for 3 words and marks, 2.33 each (Hugs, the first 1 of 3 merges)"
    assert texts(static_segmentation(TRACE, ""))[0] == "0 pieces for 0 words and marks (Hugs, all 3 merges)"


def test_the_steps_of_a_word_are_below():
    figure = static_segmentation(TRACE, "p hugs", word=1)
    written = texts(figure)
    assert "How “▁hugs” is joined" in written
    assert [text for text in written if text.startswith(("spelled", "merge "))] == [
        "spelled",
        "merge 1",
        "merge 2",
        "merge 3",
    ]
    ladder = blocks(figure)[4:]  # after ▁ p ▁hug s
    assert [label for label, *_ in ladder] == [
        "▁",
        *"hugs",
        "▁",
        "h",
        "ug",
        "s",
        "▁",
        "hug",
        "s",
        "▁hug",
        "s",
    ]
    thick = [label for label, *_, patch in ladder if patch.get_linewidth() > 2]
    assert thick == ["ug", "hug", "▁hug"]
    later = static_segmentation(TRACE, "p hugs", word=9, step=1)
    assert [text for text in texts(later) if text.startswith("merge ")] == ["merge 1"]


def test_of_many_steps_the_last_are_shown():
    letters = "abcdefghijklmn"
    merges = [(letters[:i], letters[i]) for i in range(1, len(letters))]
    trace = SegmentationTrace.of(BytePairEncoding(letters, merges))
    shown = [text for text in texts(static_segmentation(trace, letters)) if text.startswith("merge ")]
    assert shown == [f"merge {i}" for i in range(14 - LADDER - 1, 14)]


def test_ids_are_written_below():
    shown = texts(static_segmentation(TRACE, "hugs", ids=True))
    for number in HUGS.encode("hugs"):
        assert str(number) in shown
    assert str(HUGS.encode("hugs")[0]) not in texts(static_segmentation(TRACE, "hugs"))


def test_any_text_is_drawn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = static_segmentation(TRACE, STRANGE, theme=DARK, ids=True)
        Picture.of(figure, describe_segmentation(TRACE, STRANGE))
    assert to_hex(figure.get_facecolor()) == DARK.paper
    grounds = {ground for _, ground, *_ in blocks(figure)}
    assert grounds == set(BLOCKS["dark"])


def test_words_say_what_is_shown():
    assert describe_segmentation(TRACE, "p hugs", word=1, step=2) == (
        "4 pieces for 2 words and marks, 2.00 each (Hugs, all 3 merges): ▁|p ▁hug|s. "
        "“▁hugs” is joined by u + g (merge 1), h + ug (merge 2)."
    )
    none = describe_segmentation(TRACE, "p", merges=0)
    assert none.endswith("(Hugs, none of 3 merges): ▁|p. “▁p” is joined by no merge.")
    assert describe_segmentation(TRACE, "") == "0 pieces for 0 words and marks (Hugs, all 3 merges)."


def test_rows_keep_words_whole_and_end_with_a_line():
    places, rows = place_blocks([["aaa"], ["bb", "b"], ["\n"], ["c"]], 70, lambda piece: 10 * len(piece))
    # aaa ends at 30, a gap of 8, then bb and b would end at 68; the end of line is put below.
    assert [(x, row) for x, row, _ in places] == [(0, 0), (38, 0), (58, 0), (0, 1), (0, 2)]
    assert rows == 3
    places, rows = place_blocks([["aa"], ["bbb", "bb"]], 60, lambda piece: 10 * len(piece))
    assert [(x, row) for x, row, _ in places] == [(0, 0), (0, 1), (30, 1)]
    places, rows = place_blocks([["aaaaaaa", "bb"]], 60, lambda piece: 10 * len(piece))
    assert [(x, row) for x, row, _ in places] == [(0, 0), (0, 1)]
    assert place_blocks([], 60, len) == ([], 0)


@pytest.mark.parametrize(
    ("before", "after", "places"),
    [
        ("abab", ["ab", "ab"], {0, 1}),
        ("aaa", ["aa", "a"], {0}),
        ("xab", ["x", "ab"], {1}),
        ("", ["a"], set()),
    ],
)
def test_what_was_joined(before, after, places):
    assert joined(list(before), after) == places


@pytest.mark.parametrize(("text", "count"), [("", 0), ("  \n", 0), ("a b", 2), ("Ja, ja!", 4), ("▁", 1)])
def test_words_and_marks_are_counted(text, count):
    assert count_words(text) == count


def test_a_number_of_merges_that_there_is_not():
    with pytest.raises(ValueError, match="merges must be 0 to 3 or None, got 4"):
        static_segmentation(TRACE, "a", merges=4)
    with pytest.raises(ValueError, match="merges must be 0 to 3 or None, got -1"):
        describe_segmentation(TRACE, "a", merges=-1)
