"""The reservoir activity's choices, its static picture and its page, without a browser."""

import re
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.colors import to_hex

from course_lib.figures import Picture, describe_reservoir, static_reservoir
from course_lib.figures.reservoir import window_around
from course_lib.figures.theme import DARK
from course_lib.traces import ReservoirTrace
from course_lib.widgets import ReservoirActivity


def make(steps=6, units=3, signed=True, **others):
    generator = np.random.default_rng(0)
    activity = generator.uniform(-0.9 if signed else 0, 0.9, size=(steps, units))
    inputs = np.linspace(0, 1, steps)[:, None]
    return ReservoirTrace(activity, np.arange(units) * 10, inputs, **others)


def full(**others):
    outputs = np.arange(6.0)[:, None]
    return make(outputs=outputs, targets=outputs + 2, first_step=101, network_size=50, **others)


def test_strips_and_map_are_the_values():
    trace = full()
    heard, said, plane, line = static_reservoir(trace, unit=20).axes
    np.testing.assert_allclose(heard.lines[0].get_ydata(), trace.inputs[:, 0])
    np.testing.assert_allclose(said.lines[0].get_ydata(), trace.targets[:, 0])
    np.testing.assert_allclose(said.lines[1].get_ydata(), trace.outputs[:, 0])
    np.testing.assert_allclose(plane.images[0].get_array(), trace.activity.T)
    assert plane.images[0].get_clim() == (-1, 1)
    np.testing.assert_allclose(line.lines[0].get_ydata(), trace.activity[:, 2])
    np.testing.assert_array_equal(line.lines[0].get_xdata(), np.arange(101, 107))
    assert [text.get_text() for text in plane.get_yticklabels()] == ["unit 20 ▸"]


def test_without_a_readout_there_is_no_strip_for_it():
    assert len(static_reservoir(make()).axes) == 3


def test_colours_of_what_is_never_negative_start_at_zero():
    assert static_reservoir(make(signed=False)).axes[1].images[0].get_clim() == (0, 1)
    own = static_reservoir(make(signed=False), scale="own").axes[1].images[0]
    assert own.get_clim() == (-1, 1)
    assert own.get_array().min() < 0


def test_spikes_and_the_chosen_step_are_marked():
    spikes = np.zeros((6, 3), bool)
    spikes[4, 1] = True
    figure = static_reservoir(make(signed=False, spikes=spikes), time=2)
    ticks = figure.axes[1].lines[0]
    np.testing.assert_allclose((ticks.get_xdata(), ticks.get_ydata()), ([5], [1]))
    for axes in figure.axes:
        assert list(axes.lines[-1].get_xdata()) == [3, 3]


@pytest.mark.parametrize(
    ("time", "span", "window"),
    [
        (None, None, (0, 6)),
        (0, 4, (0, 4)),
        (3, 4, (1, 5)),
        (5, 4, (2, 6)),
        (5, 99, (0, 6)),
        (None, 2, (0, 2)),
    ],
)
def test_a_window_lies_around_the_chosen_step(time, span, window):
    assert window_around(make(), time, span) == slice(*window)


def test_words_say_what_is_drawn():
    activity = np.array([[0.5, -0.25], [0.25, 1]])
    outputs = np.array([[1.0], [2.0]])
    trace = ReservoirTrace(
        activity, np.array([7, 2]), np.array([[0], [3.0]]), outputs, outputs + 2, network_size=9,
        order="by name", free_from=1, input_names=("MG",), title="It hears",
    )  # fmt: skip
    assert describe_reservoir(trace, unit=2) == (
        "It hears. A reservoir over steps 1 to 2. MG from 0 to 3; output from 1 to 2; target from 3 to 4. "
        "Root mean square error: before it hears itself 2, after 2. Below, 2 of 9 units over time, sorted by "
        "name: activity from −0.25 to 1. Unit 2 as a line: from −0.25 to 1."
    )


def test_an_output_without_numbers_leaves_a_gap():
    trace = make(outputs=np.full((6, 1), np.nan))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Picture.of(static_reservoir(trace), describe_reservoir(trace))
    assert "output without numbers" in describe_reservoir(trace)


def test_any_character_can_be_drawn():
    names = ("<script>alert(1)</script>", "$x$", "سلام 😀\n$")
    trace = ReservoirTrace(
        np.eye(3), np.arange(3), np.eye(3), input_names=names, title="$ <s> \u200b", order="$"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = static_reservoir(trace, theme=DARK)
        Picture.of(figure, describe_reservoir(trace))
    shown = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert shown == ["<script>alert(1)</script>", "$x$", "سلام 😀 $"]
    assert to_hex(figure.get_facecolor()) == DARK.paper


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"time": 6}, "time must be a whole number from 0 to 5, got 6"),
        ({"time": True}, "time must be"),
        ({"span": 1}, "span must be a whole number from 2 on or None, got 1"),
        ({"unit": 1}, "unit must be one of the 3 that are shown, got 1"),
        ({"unit": "a"}, "unit must be a whole number or None, got 'a'"),
        ({"scale": "log"}, "scale must be one of fixed, largest, own, got 'log'"),
        ({"zoom": 2}, "zoom is not a choice of ReservoirActivity"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(choice, message):
    widget = ReservoirActivity(make())
    before = dict(widget.view)
    with pytest.raises(ValueError, match=message):
        widget.select(**choice)
    assert widget.view == before


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"time": -1}, "time must lie in 0 to 5 or be None, got -1"),
        ({"span": 1}, "span must be 2 or more, or None, got 1"),
        ({"scale": "log"}, "scale must be one of fixed, largest, own, got 'log'"),
    ],
)
def test_the_figure_refuses_them_too(choice, message):
    with pytest.raises(ValueError, match=message):
        static_reservoir(make(), **choice)


def test_the_picture_shows_what_is_chosen(tmp_path):
    widget = ReservoirActivity(full(free_from=3), unit=20)
    assert widget.picture().alt == describe_reservoir(full(free_from=3), unit=20)
    before = widget.picture().png
    widget.select(span=3, time=4)
    assert widget.picture().png != before
    page = ElementTree.parse(widget.save_svg(tmp_path / "reservoir.svg"))
    assert "Unit 20 as a line" in "".join(page.getroot().itertext())


def test_the_exported_page_needs_nothing_and_runs_no_character(tmp_path):
    strange = "</script><script>alert(1)</script>"
    trace = make(input_names=(strange,), title="</title><script>alert(2)")
    page = ReservoirActivity(trace).export_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(", page.replace("http://www.w3.org/2000/svg", ""))
    assert "<script>alert" not in page
    assert re.search(r"<noscript><figure.*<img alt=.*A reservoir over steps.*</noscript>", page, re.DOTALL)


def test_a_page_of_2000_steps_and_100_units_stays_below_two_megabytes(tmp_path):
    page = ReservoirActivity(make(2000, 100)).export_html(tmp_path / "page.html")
    assert page.stat().st_size < 2_000_000
