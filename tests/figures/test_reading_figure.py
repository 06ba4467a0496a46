import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgba

from course_lib.figures.reading import static_reading
from course_lib.figures.theme import LIGHT
from course_lib.traces import AttentionTrace

WORDS = ("<s>", "the", "cat")
WEIGHTS = np.array([[[[0, 0, 0], [1, 0, 0], [0.8, 0.2, 0]]]], np.float32)


def test_each_line_holds_what_is_read_and_marks_its_last_word():
    (axes,) = static_reading(AttentionTrace(WEIGHTS, WORDS, WORDS, title="$x$")).axes
    assert [text.get_text() for text in axes.texts] == ["<s>", "<s>", "the", "<s>", "the", "cat"]
    marked = [text.get_text() for text in axes.texts if to_hex(text.get_color()) == LIGHT.bad]
    assert marked == list(WORDS)
    assert axes.get_title(loc="left") == "$x$"


def test_boxes_carry_the_weights_and_the_heaviest_a_frame():
    (axes,) = static_reading(AttentionTrace(WEIGHTS, WORDS, WORDS)).axes
    filled = [p for p in axes.patches if p.get_fill()]
    assert [p.get_alpha() for p in filled] == pytest.approx([1, 0.8, 0.2])
    assert all(to_rgba(p.get_facecolor())[:3] == to_rgba(LIGHT.accent)[:3] for p in filled)
    frames = [p.get_xy() for p in axes.patches if not p.get_fill()]
    assert frames == [filled[0].get_xy(), filled[1].get_xy()]


def test_what_cannot_be_read_from_left_to_right_is_refused():
    with pytest.raises(ValueError, match=r"must be trace\.keys"):
        static_reading(AttentionTrace(WEIGHTS, WORDS, ("a", "b", "c")))
    with pytest.raises(ValueError, match="not read yet"):
        static_reading(AttentionTrace(WEIGHTS[..., ::-1, ::-1].copy(), WORDS, WORDS))
