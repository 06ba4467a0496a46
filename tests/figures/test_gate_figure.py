"""The static picture of gates, read back from the matplotlib figure."""

import warnings

import numpy as np
import pytest
from matplotlib.colors import to_hex

from course_lib.figures import Picture, describe_gates, static_gates
from course_lib.figures.gates import window_around
from course_lib.figures.theme import DARK, DIFFERENCE_SCALE, LIGHT
from course_lib.traces import GateTrace

STRANGE = (
    "<s>",
    "</s>",
    "<b>x</b>",
    "%{z}",
    "$x$",
    "$",
    "&amp;",
    "",
    " ",
    "\n",
    "\t",
    "\u200b",
    "😀",
    "سلام",
)


def make(time=5, units=3, characters=None, **others):
    generator = np.random.default_rng(0)
    values = generator.uniform(0.1, 0.9, size=(3, time, units))
    values[1] = generator.uniform(-4, 4, size=(time, units))
    values[2] -= 0.5
    characters = characters or tuple("abcdefghij"[i % 10] for i in range(time))
    return GateTrace(values, ("forget", "cell", "hidden"), characters, **others)


def labels(axes):
    return [text.get_text() for text in axes.get_xticklabels()]


def test_bars_are_the_values_of_the_chosen_unit():
    trace = make()
    *strips, _ = static_gates(trace, unit=2).axes
    for place, strip in enumerate(strips):
        heights = [bar.get_height() for bar in strip.patches]
        np.testing.assert_allclose(heights, trace.values[place, :, 2], rtol=1e-6)
    most = np.abs(trace.of("cell")[:, 2]).max()
    assert [strip.get_ylim() for strip in strips] == [(0, 1), pytest.approx((-most, most)), (-1, 1)]
    for bar in strips[1].patches:
        assert to_hex(bar.get_facecolor()) == (LIGHT.bad if bar.get_height() < 0 else LIGHT.good)


@pytest.mark.parametrize(("quantity", "signed"), [(None, False), ("cell", True), ("hidden", True)])
def test_the_map_is_one_quantity_of_all_units(quantity, signed):
    trace = make()
    name = quantity or "forget"
    plane = static_gates(trace, unit=1, quantity=quantity).axes[3]
    (image,) = plane.images
    np.testing.assert_array_equal(image.get_array(), trace.of(name).T)
    end = np.abs(trace.of("cell")).max() if name == "cell" else 1
    np.testing.assert_allclose(image.get_clim(), (-end if signed else 0, end))
    if signed:
        assert [to_hex(image.cmap(share)) for share in (0.0, 1.0)] == [
            DIFFERENCE_SCALE[0],
            DIFFERENCE_SCALE[2],
        ]
    assert [text.get_text() for text in plane.get_yticklabels()] == ["unit 1 ▸"]
    assert list(plane.get_yticks()) == [1]


def test_any_character_is_drawn_and_named():
    trace = make(len(STRANGE), characters=STRANGE, title="$5 & \\frac{ <s>")
    figure = static_gates(trace, theme=DARK)
    shown = labels(figure.axes[3])
    assert shown[:7] == ["<s>", "</s>", "<b>x</b>", "%{z}", "$x$", "$", "&amp;"]
    assert shown[7:13] == ["∅", "␣", "⏎", "⇥", "⟨U+200B⟩", "😀"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Picture.of(figure, "text")
    assert to_hex(figure.get_facecolor()) == DARK.paper


def test_nan_is_a_cross_and_no_bar():
    values = np.array([[[0.5], [np.nan]], [[np.nan], [np.nan]]])
    trace = GateTrace(values, ("forget", "hidden"), ("a", "b"))
    first, second, plane = static_gates(trace, quantity="hidden").axes[:3]
    crosses = [line for line in first.lines if line.get_marker() == "x"]
    np.testing.assert_allclose(crosses[0].get_xdata(), [1])
    assert [bar.get_height() for bar in second.patches] == [0, 0]
    assert to_hex(plane.images[0].cmap.get_bad()) == LIGHT.bad
    words = describe_gates(trace, quantity="hidden")
    assert "forget stays at 0.50; hidden has no numbers (NaN)." in words
    assert "Below it hidden of all units, without numbers." in words


@pytest.mark.parametrize(
    ("length", "time", "window"),
    [(64, 63, (0, 64)), (65, 0, (0, 64)), (65, 64, (1, 65)), (200, 100, (68, 132)), (200, 199, (136, 200))],
)
def test_of_a_long_text_what_is_around_the_chosen_character_is_drawn(length, time, window):
    assert window_around(length, time) == slice(*window)


def test_a_long_text_says_which_part_is_drawn():
    trace = make(200, characters=tuple(map(str, range(200))), title="Long.")
    figure = static_gates(trace, time=100)
    assert labels(figure.axes[3]) == [str(i) for i in range(68, 132)]
    assert figure.get_suptitle() == "Long. · characters 69–132 of 200"
    np.testing.assert_allclose(figure.axes[0].patches[0].get_height(), trace.values[0, 68, 0], rtol=1e-6)


def test_words_say_where_each_quantity_is_lowest_and_highest():
    values = np.array([[[0.1, 0.3], [0.9, 0.5]], [[-2.5, 0], [0.25, 0]]])
    trace = GateTrace(values, ("forget", "cell"), ("<s>", " "), title="A title.")
    assert describe_gates(trace) == (
        "A title. forget, cell at each of 2 characters. Unit 0 of 2: forget from 0.10 at “<s>” (1) to "
        "0.90 at “␣” (2); cell from −2.50 at “<s>” (1) to 0.25 at “␣” (2). Below it forget of all units, "
        "whose mean goes from 0.20 to 0.70."
    )


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"unit": 3}, "unit must lie in 0 to 2, got 3"),
        ({"time": -1}, "time must lie in 0 to 4, got -1"),
        ({"quantity": "reset"}, "quantity must be one of forget, cell, hidden, got 'reset'"),
    ],
)
def test_choices_that_do_not_exist(choice, message):
    with pytest.raises(ValueError, match=message):
        static_gates(make(), **choice)
