"""The gradient flow's choices, its static picture and its page, without a browser."""

import re
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.colors import to_hex

from course_lib.figures import Picture, describe_gradient_flow, static_gradient_flow
from course_lib.figures.gradient_flow import arrow_width, window_around, written
from course_lib.figures.theme import DARK
from course_lib.traces import GradientTrace
from course_lib.widgets import GradientFlow

STRANGE = ("<s>", "<b>x</b>", "$x$", "$", "&amp;", "", " ", "\n", "\u200b", "😀", "سلام")


def make(steps=4, slopes=(0.5, -1.0), inputs=None, **others):
    """Models whose gradient changes by so many powers of ten a step; losses at the end and at all steps."""
    logs = np.array([[slope * np.arange(steps - 1, -1, -1.0) for _ in range(2)] for slope in slopes])
    names = tuple(f"slope {slope}" for slope in slopes)
    sizes = np.arange(3, 3 + len(slopes))
    inputs = inputs or tuple(map(str, range(steps)))
    return GradientTrace(logs, names, np.array([steps - 1, -1]), sizes, inputs, **others)


def texts(axes):
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize(
    ("norm", "text"),
    [
        (0, "0"),
        (1, "1"),
        (0.0123, "0.012"),
        (12.4, "12"),
        (345.6, "346"),
        (1e4, "1.0e4"),
        (3.14e-9, "3.1e−9"),
    ],
)
def test_norms_are_written_short(norm, text):
    with np.errstate(divide="ignore"):
        assert written(np.log10(norm)) == text


def test_a_norm_that_rounds_up_to_ten_takes_the_next_power():
    assert written(np.log10(9.97e-6)) == "1.0e−5"


def test_arrows_are_as_wide_as_the_gradient_is_large():
    assert arrow_width(-3, -3) == arrow_width(2, 2) == 11
    assert arrow_width(-1, 0) == 7.5
    assert arrow_width(1, 0) == 14.5
    assert (arrow_width(-300, 0), arrow_width(300, 0), arrow_width(-np.inf, 0)) == (1, 26, 1)
    assert arrow_width(-np.inf, -np.inf) == 1


def test_numbers_of_the_chosen_model_stand_in_the_picture():
    top, bottom = static_gradient_flow(make(), model=1).axes
    shown = texts(top)
    assert {"1", "0.1", "0.01", "0.001", "h₁", "h₄", "L₄", "step 4"} <= set(shown)
    assert "L₁" not in shown
    assert {"L₁", "L₄"} <= set(texts(static_gradient_flow(make(), loss=-1).axes[0]))
    for model, line in enumerate(bottom.lines):
        np.testing.assert_allclose(line.get_ydata(), make().log10_norms[model, 0])
    assert [line.get_linewidth() for line in bottom.lines] == [1.5, 3.2]


def test_a_loss_in_the_middle_sends_nothing_to_later_steps():
    logs = np.array([[[-1.0, 0.0, -np.inf]]])
    trace = GradientTrace(logs, ("RNN",), np.array([1]), np.array([2]), ("a", "b", "c"))
    figure = static_gradient_flow(trace)
    np.testing.assert_array_equal(figure.axes[1].lines[0].get_xdata(), [1, 2])
    assert "L₂" in texts(figure.axes[0])
    assert describe_gradient_flow(trace) == (
        "An unrolled network (RNN) of 3 steps; arrows back through time show the norm of the gradient of the "
        "loss at step 2 at each state. RNN: 1 at step 2, 0.1 at step 1 (× 0.1 a step)."
    )


@pytest.mark.parametrize(
    ("length", "time", "window"),
    [(10, 9, (0, 10)), (11, 0, (0, 10)), (100, 50, (45, 55)), (100, 99, (90, 100))],
)
def test_of_many_steps_those_around_the_chosen_one_are_drawn(length, time, window):
    assert window_around(length, time) == slice(*window)


def test_any_character_can_be_drawn():
    trace = make(len(STRANGE), inputs=STRANGE, targets=STRANGE, title="$ <s> \n 😀")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = static_gradient_flow(trace, loss=-1, time=4, theme=DARK)
        Picture.of(figure, describe_gradient_flow(trace, loss=-1))
    assert {"<s>", "$x$", "∅", "␣", "⏎", "⟨U+200B⟩", "😀"} <= set(texts(figure.axes[0]))
    assert to_hex(figure.get_facecolor()) == DARK.paper


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"model": 2}, "model must be a whole number from 0 to 1, got 2"),
        ({"model": True}, "model must be"),
        ({"time": 4}, "time must be a whole number from 0 to 3 or None, got 4"),
        ({"loss": 0}, "loss must be one of 3, -1, got 0"),
        ({"loss": "all"}, "loss must be a whole number or None, got 'all'"),
        ({"zoom": 2}, "zoom is not a choice of GradientFlow"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(choice, message):
    widget = GradientFlow(make())
    before = dict(widget.view)
    with pytest.raises(ValueError, match=message):
        widget.select(**choice)
    assert widget.view == before


def test_the_figure_refuses_them_too():
    with pytest.raises(ValueError, match="model must lie in 0 to 1, got 2"):
        static_gradient_flow(make(), model=2)
    with pytest.raises(ValueError, match="time must lie in 0 to 3, got 9"):
        static_gradient_flow(make(), time=9)


def test_the_picture_shows_what_is_chosen(tmp_path):
    widget = GradientFlow(make(), model=1)
    assert widget.picture().alt == describe_gradient_flow(make(), model=1)
    before = widget.picture().png
    widget.select(loss=-1)
    assert widget.picture().png != before
    page = ElementTree.parse(widget.save_svg(tmp_path / "flow.svg"))
    assert "losses of all steps" in "".join(page.getroot().itertext())


def test_the_exported_page_needs_nothing_and_runs_no_character(tmp_path):
    strange = ("</script><script>alert(1)</script>", "<b>x</b>", "$", "")
    trace = make(inputs=strange, title="</title><script>alert(2)")
    page = GradientFlow(trace).export_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(", page.replace("http://www.w3.org/2000/svg", ""))
    assert "<script>alert" not in page
    assert re.search(r"<noscript><figure.*<img alt=.*An unrolled network.*</noscript>", page, re.DOTALL)
