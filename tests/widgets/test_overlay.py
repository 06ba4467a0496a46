"""The overlay view's choices, its static picture and its page, without a browser."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional

from course_lib.figures import Picture, describe_overlay, static_overlay
from course_lib.figures.overlay import laid_over, largest_places
from course_lib.traces import OverlayTrace
from course_lib.widgets import OverlayView

STRANGE = ("<s>", "<b>x</b>", "$x$", "", "\n", "😀", "سلام")


def make(steps=("cat", "dog"), title=""):
    """Of the second picture's first step, the first kind is largest below on the right; the second is 0."""
    maps = np.random.default_rng(0).random((2, len(steps), 2, 3, 4))
    maps[1, 0] = 0
    maps[1, 0, 0, 2, 3] = 5
    pictures = np.zeros((2, 30, 40, 3), np.uint8)
    return OverlayTrace(pictures, ("one", "<b>two</b>"), maps, (steps, steps), ("CAM", "Grad-CAM"), title)


def test_a_map_grows_as_torch_lets_it_grow():
    trace = make()
    grown = functional.interpolate(
        torch.tensor(trace.maps[0, 1]).double()[None], (30, 40), mode="bilinear", align_corners=False
    )[0].numpy()
    np.testing.assert_allclose(
        laid_over(trace, 0, 1), grown / grown.max(axis=(1, 2), keepdims=True), atol=1e-6
    )


def test_the_largest_place_is_found_and_nothing_is_nowhere():
    first, second = largest_places(laid_over(make(), 1, 0))
    assert first == (25, 35) and second is None  # it is as large from there on, but for rounding
    assert describe_overlay(make(title="T"), picture=1).startswith(
        "T. <b>two</b>; for “cat”, CAM is largest at 8"
    )
    assert describe_overlay(make(), picture=1).endswith("Grad-CAM is 0 everywhere.")


def test_the_picture_holds_each_map_above_the_photograph():
    trace = make()
    figure = static_overlay(trace, picture=1, strength=0.3)
    alone, cam, grad_cam = figure.axes
    assert len(alone.images) == 1 and len(cam.images) == len(grad_cam.images) == 2
    np.testing.assert_array_equal(cam.images[1].get_array(), laid_over(trace, 1, 0)[0])
    assert cam.images[1].get_alpha() == 0.3
    (row, column), _ = largest_places(laid_over(trace, 1, 0))
    assert [line.get_xydata().tolist() for line in cam.lines] == [[[column, row]]] * 2
    assert not grad_cam.lines


def test_any_character_can_be_drawn():
    trace = make(STRANGE, title="$ <s> \n 😀")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for step in range(len(STRANGE)):
            Picture.of(static_overlay(trace, step=step), describe_overlay(trace, step=step))


def with_candidates():
    trace = make()
    chances = np.array([[[0.75, 0.25], [0.5, 0.125]]] * 2)
    words = ((("cat", "<b>"), ("dog", "$")),) * 2
    return replace(trace, candidates=words, candidate_probabilities=chances)


def test_the_picture_holds_what_the_network_would_say():
    trace = with_candidates()
    figure = static_overlay(trace, step=1)
    *_, answers = figure.axes
    assert [bar.get_width() for bar in answers.patches] == [0.5, 0.125]
    assert [label.get_text() for label in answers.get_yticklabels()] == ["dog", "$"]
    assert len(figure.axes) == 4
    assert describe_overlay(trace, step=1).endswith("; likeliest “dog” 0.50, “$” 0.12.")
    Picture.of(static_overlay(trace), describe_overlay(trace))


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"picture": 2}, "picture must be a whole number from 0 to 1, got 2"),
        ({"step": -1}, "step must be a whole number from 0 to 1, got -1"),
        ({"step": True}, "step must be a whole number"),
        ({"strength": 1.1}, "strength must be a number from 0 to 1, got 1.1"),
        ({"strength": "all"}, "strength must be a number from 0 to 1, got 'all'"),
        ({"kind": 1}, "kind is not a choice of OverlayView"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(choice, message):
    widget = OverlayView(make())
    before = dict(widget.view)
    with pytest.raises(ValueError, match=message):
        widget.select(**choice)
    assert widget.view == before


def test_the_picture_shows_what_is_chosen():
    widget = OverlayView(make(), picture=1)
    assert widget.picture().alt == describe_overlay(make(), picture=1)
    before = widget.picture().png
    widget.select(strength=0)
    assert widget.picture().png != before


def test_the_exported_page_needs_nothing_and_runs_no_character(tmp_path):
    trace = make(("</script><script>alert(1)</script>", "$"), title="</title><script>alert(2)")
    page = OverlayView(trace).export_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(", page.replace("http://www.w3.org/2000/svg", ""))
    assert "<script>alert" not in page
    assert re.search(r"<noscript><figure.*<img alt=.*CAM is largest.*</noscript>", page, re.DOTALL)
