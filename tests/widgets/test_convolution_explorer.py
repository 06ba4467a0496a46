"""The convolution explorer's choices, its static picture and its page, without a browser."""

import re

import numpy as np
import pytest
import torch
from torch.nn import functional

from course_lib.figures import describe_convolution, static_convolution
from course_lib.figures.convolution import look_at
from course_lib.traces import ConvolutionTrace
from course_lib.vision import Geometry
from course_lib.widgets import ConvolutionExplorer


def make(title=""):
    generator = np.random.default_rng(0)
    return ConvolutionTrace(
        generator.normal(size=(2, 12, 10)),
        ("noise", "<b>more</b>"),
        generator.normal(size=(2, 3, 3)),
        ("one kernel", "another"),
        title,
    )


@pytest.mark.parametrize("geometry", [Geometry(), Geometry(2, 1, 1), Geometry(3, 4, 2), Geometry(1, 0, 4)])
def test_outputs_are_torchs_and_what_one_sees_is_what_it_sums(geometry):
    trace = make()
    look = look_at(trace, 1, 0, geometry, (1, 0))
    image, weights = torch.tensor(trace.pictures[1]).double(), torch.tensor(trace.kernels[0]).double()
    expected = functional.conv2d(image[None, None], weights[None, None], None, *geometry[:3])[0, 0]
    torch.testing.assert_close(torch.tensor(look.outputs), expected)
    padded = np.pad(trace.pictures[1].astype(float), 12)
    seen = padded[np.ix_(look.rows + 12, look.columns + 12)]
    assert (seen * trace.kernels[0]).sum() == pytest.approx(expected[look.place].item())


def test_a_place_beyond_the_border_is_the_last_and_none_is_the_middle():
    assert look_at(make(), 0, 0, Geometry(), (50, 2)).place == (9, 2)
    assert look_at(make(), 0, 0, Geometry()).place == (5, 4)


def test_the_picture_marks_the_taps_and_writes_the_weights():
    trace = make("A title")
    figure = static_convolution(trace, geometry=Geometry(2, 1, 2), place=(0, 1))
    left, middle, right = figure.axes
    corners = {(patch.get_x() + 0.5, patch.get_y() + 0.5) for patch in left.patches}
    assert corners == {(x, y) for x in (2, 4, 6) for y in (0, 2, 4)}  # in the padded picture
    written = [text.get_text().replace("−", "-") for text in middle.texts]
    assert [float(text) for text in written] == pytest.approx(trace.kernels[0].ravel().tolist(), rel=6e-3)
    assert right.get_title(loc="left") == "output, 5 × 4"
    assert describe_convolution(trace, geometry=Geometry(2, 1, 2), place=(0, 1)).startswith(
        "noise, convolved with one kernel (stride 2, padding 1, dilation 2): 5 × 4 outputs. "
        "The one in row 1, column 2 is "
    )


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"picture": 2}, "picture must be a whole number from 0 to 1, got 2"),
        ({"kernel": -1}, "kernel must be a whole number from 0 to 1, got -1"),
        ({"stride": 0}, "stride must be a whole number from 1 to 4, got 0"),
        ({"padding": 5}, "padding must be a whole number from 0 to 4, got 5"),
        ({"dilation": True}, "dilation must be a whole number from 1 to 4, got True"),
        ({"row": 3}, "row and column must both be whole numbers from 0, or both None"),
        ({"row": 3, "column": -1}, "column must be a whole number from 0 or None, got -1"),
        ({"offsets": 1}, "offsets is not a choice of ConvolutionExplorer"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(choice, message):
    widget = ConvolutionExplorer(make())
    before = dict(widget.view)
    with pytest.raises(ValueError, match=message):
        widget.select(**choice)
    assert widget.view == before


def test_the_picture_shows_what_is_chosen():
    widget = ConvolutionExplorer(make(), stride=2, row=1, column=1)
    assert widget.picture().alt == describe_convolution(make(), geometry=Geometry(2, 1, 1), place=(1, 1))
    before = widget.picture().png
    widget.select(kernel=1)
    assert widget.picture().png != before


def test_the_exported_page_needs_nothing_and_runs_no_character(tmp_path):
    trace = make("</title><script>alert(2)")
    page = ConvolutionExplorer(trace).export_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(", page.replace("http://www.w3.org/2000/svg", ""))
    assert "<script>alert" not in page
    assert re.search(r"<noscript><figure.*<img alt=.*convolved with one kernel.*</noscript>", page, re.DOTALL)
