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
    rows, columns = (look.places + 12).astype(int).T
    assert (padded[rows, columns] * trace.kernels[0].ravel()).sum() == pytest.approx(
        expected[look.place].item()
    )


def test_turned_by_a_right_angle_it_is_the_turned_kernel_and_in_between_it_reads_means():
    trace = make()
    image, weights = torch.tensor(trace.pictures[0]).double(), torch.tensor(trace.kernels[0]).double()
    look = look_at(trace, 0, 0, Geometry(1, 1, 2), (4, 3), turn=90)
    expected = functional.conv2d(image[None, None], weights.rot90(-1)[None, None], None, 1, 1, 2)[0, 0]
    torch.testing.assert_close(torch.tensor(look.outputs), expected)
    look = look_at(trace, 0, 0, Geometry(), (4, 3), turn=30)
    y, x = look.places[1]  # the tap above the middle goes to the right: by sin 30°, and down by 1 − cos 30°
    assert (y, x) == pytest.approx((5 - np.cos(np.pi / 6), 4 + 0.5), abs=1e-6)
    near = torch.tensor([[2 * x / 9 - 1, 2 * y / 11 - 1]])[None, None]
    mean = functional.grid_sample(image[None, None], near, align_corners=True).item()
    above = np.eye(9)[1].reshape(1, 3, 3)
    alone = ConvolutionTrace(trace.pictures, trace.picture_names, above, ("the tap above",))
    assert look_at(alone, 0, 0, Geometry(), turn=30).outputs[4, 3] == pytest.approx(mean, abs=1e-6)
    assert "turned by 30°" in describe_convolution(trace, turn=30)


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
        ({"turn": 105}, "turn must be a whole number from 0 to 90, got 105"),
        ({"turn": 20}, "turn must be a multiple of 15 degrees, got 20"),
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
