import pytest
from matplotlib.figure import Figure

from course_lib.figures.icicle import icicle

ROWS = [[0.0, 0.6, 0.4], [0.4, 0.3, 0.3], [0.9, 0.06, 0.04]]
TOKENS = ("</s>", "ha", "ho")


def drawn(**settings):
    axes = Figure().subplots()
    icicle(axes, ROWS, TOKENS, "$x$", **settings)
    return axes


def test_heights_are_probabilities_and_nothing_follows_the_end():
    boxes = drawn(depth=2).patches
    columns = {left: [box.get_height() for box in boxes if box.get_x() == left] for left in (0, 1)}
    assert columns[0] == pytest.approx([0.6, 0.4])  # a string cannot begin with its end
    assert columns[1] == pytest.approx([0.24, 0.18, 0.18, 0.36, 0.024, 0.016])
    third = [box for box in drawn(depth=3).patches if box.get_x() == 2]
    assert sum(box.get_height() for box in third) == pytest.approx(1 - 0.24 - 0.36)


def test_boxes_lie_inside_the_box_of_their_beginning():
    ha, ho, *second = drawn(depth=2).patches
    boxes = sorted((ha, ho, *second), key=lambda box: (box.get_x(), -box.get_y()))
    below_ha = [box for box in boxes[2:] if box.get_y() >= boxes[0].get_y() - 1e-12]
    assert len(below_ha) == 3
    assert boxes[0].get_y() + boxes[0].get_height() == pytest.approx(1)
    assert boxes[-1].get_y() == pytest.approx(0)


def test_ends_are_hatched_and_large_boxes_named():
    axes = drawn(depth=2)
    assert [box.get_height() for box in axes.patches if box.get_hatch()] == pytest.approx([0.24, 0.36])
    names = [text.get_text() for text in axes.texts]
    assert names == ["ha  0.60", "</s>  0.24", "ha  0.18", "ho  0.18", "ho  0.40", "</s>  0.36"]
    assert axes.get_title(loc="left") == "$x$"


def test_a_path_goes_through_the_boxes_of_its_string():
    (first, second) = drawn(depth=2, paths=[((2, 0), {"color": "black"})]).lines
    assert first.get_ydata() == pytest.approx([0.2, 0.2])  # the middle of ho
    assert second.get_ydata() == pytest.approx([0.22, 0.22])  # the middle of ho </s>
    assert second.get_xdata() == pytest.approx([1.06, 1.94])


def test_rows_that_do_not_fit_the_tokens_are_refused():
    with pytest.raises(ValueError, match="rows are 3 and tokens 2"):
        icicle(Figure().subplots(), ROWS, TOKENS[:2], "x")
    with pytest.raises(ValueError, match="rows are 6 and tokens 6; allowed are as many, 5 at most"):
        icicle(Figure().subplots(), [[1.0] * 6] * 6, "abcdef", "x")
