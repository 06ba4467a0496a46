"""The lattice view's choices, its static picture and its page, without a browser."""

import math
import re
import warnings

import numpy as np
import pytest
import torch

from course_lib.decoding.lattice_record import record_lattice
from course_lib.figures import Picture, describe_lattice, static_lattice
from course_lib.figures.lattice import shares
from course_lib.widgets import LatticeView

STRANGE = ("∅", "<s>", "<b>x</b>", "$x$", "\n", "😀", "سلام")


def make(classes=("∅", "a"), title="", picture=None):
    """Blank .6, a label .4: the best path is empty, the best labelling is that label."""
    rest = (1 - 0.6) / (len(classes) - 1)
    log_probs = torch.tensor([[0.6, *[rest] * (len(classes) - 1)]] * 2).log()
    return record_lattice(log_probs, [*([k] for k in range(1, len(classes))), []], classes, picture, title)


def test_the_words_say_labelling_chance_and_best_path():
    words = describe_lattice(make(title="T"))
    assert words.startswith("T. A lattice of 2 steps and 3 states.") and "“a”, p = 0.64" in words
    assert words.endswith("Runs of the best path: ∅.")
    assert "for “∅”, p = 0.36" in describe_lattice(make(), labelling=1, kind="forward")
    long = record_lattice(torch.tensor([[0.6, 0.4]] * 30).log(), [[]], ("∅", "a"))
    assert f"for “∅”, log p = {30 * math.log(0.6):.1f}." in describe_lattice(long)


def test_the_picture_holds_what_was_seen_the_map_and_the_likeliest_path():
    seen = np.arange(24, dtype=np.uint8).reshape(3, 8)
    picture, strip, below = static_lattice(make(picture=seen)).axes
    np.testing.assert_array_equal(picture.images[0].get_array(), seen)
    assert picture.images[0].get_extent()[:2] == [-0.5, 1.5]
    np.testing.assert_array_equal(below.images[0].get_array(), shares(make(), 0, "posterior").T)
    assert below.lines[-1].get_ydata().tolist() == [1, 2]
    moves = {tuple(line.get_ydata()) for line in below.lines[:-2]}
    assert moves == {(0, 1), (1, 1), (1, 2)}  # ∅a, aa, a∅
    assert not strip.texts and len(static_lattice(make()).axes) == 2


def test_any_character_can_be_drawn():
    trace = make(STRANGE, title="$ <s> \n 😀")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for labelling in range(len(STRANGE)):
            Picture.of(
                static_lattice(trace, labelling=labelling), describe_lattice(trace, labelling=labelling)
            )


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"labelling": 2}, "labelling must be a whole number from 0 to 1, got 2"),
        ({"time": True}, "time must be a whole number from 0 to 1, got True"),
        ({"kind": "beta"}, "kind must be one of 'posterior', 'forward', 'backward', got 'beta'"),
        ({"state": 3}, "state must be a whole number from 0 to 2 or None, got 3"),
        ({"labelling": 1, "state": 1}, "state must be a whole number from 0 to 0 or None, got 1"),
        ({"step": 1}, "step is not a choice of LatticeView"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(choice, message):
    widget = LatticeView(make())
    before = dict(widget.view)
    with pytest.raises(ValueError, match=message):
        widget.select(**choice)
    assert widget.view == before


def test_the_picture_shows_what_is_chosen():
    widget = LatticeView(make(), labelling=1)
    assert widget.picture().alt == describe_lattice(make(), labelling=1)
    before = widget.picture().png
    widget.select(labelling=0, kind="forward")
    assert widget.picture().png != before


def test_the_exported_page_needs_nothing_and_runs_no_character(tmp_path):
    trace = make(("∅", "</script><script>alert(1)</script>"), title="</title><script>alert(2)")
    page = LatticeView(trace).export_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(", page.replace("http://www.w3.org/2000/svg", ""))
    assert "<script>alert" not in page
    assert re.search(r"<noscript><figure.*<img alt=.*A lattice of 2 steps.*</noscript>", page, re.DOTALL)
