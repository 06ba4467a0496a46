import numpy as np
import pytest

from course_lib.figures.unrolled import static_kinds, static_steps


def texts(figure):
    (axes,) = figure.axes
    return {text.get_text(): text.get_position() for text in axes.texts if text.get_text()}


def test_each_kind_has_its_inputs_below_and_its_answers_above_the_right_step():
    picture = np.eye(3)
    kinds = {
        "one": ({0: picture}, {0: "nine"}),
        "apart": ({0: "It", 1: "snowed"}, {1: "Il", 3: "neigé"}),
    }
    figure = static_kinds(kinds)
    (axes,) = figure.axes
    assert len(axes.patches) == 1 + 4  # states, one a step
    np.testing.assert_array_equal(axes.images[0].get_array(), picture)
    where = texts(figure)
    first = where["It"][0]
    places = [where[word][0] - first for word in ("snowed", "Il", "neigé")]
    assert places == pytest.approx([1, 1, 3])
    assert where["snowed"][1] < 1 < where["Il"][1]
    assert where["nine"][0] == sum(axes.images[0].get_extent()[:2]) / 2
    with pytest.raises(ValueError, match="'none' has no inputs and no answers"):
        static_kinds({"none": ({}, {})})


def test_every_number_of_an_unrolled_network_is_written_and_the_wanted_letter_marked():
    states = np.array([[0.5, -0.25], [1, 0]])
    probabilities = np.array([[0.1, 0.7, 0.2], [0.3, 0.3, 0.4]])
    where = texts(static_steps("abc", "ab", "bc", states, probabilities))
    first = ["“a”", "+0.50", "−0.25", "a 0.10", "b 0.70  ◂", "c 0.20", "wanted: “b”"]
    second = ["“b”", "+1.00", "+0.00", "a 0.30", "b 0.30", "c 0.40  ◂", "wanted: “c”"]
    assert {where[text][0] for text in first} == {0}
    assert {where[text][0] for text in second} == {1.5}
    assert where["+0.50"][1] > where["−0.25"][1]  # from top to bottom


def test_one_thing_in_and_nothing_asked_is_drawn():
    figure = static_kinds({"listen": ({0: "a"}, {})})
    assert "a" in [text.get_text() for text in figure.axes[0].texts]
