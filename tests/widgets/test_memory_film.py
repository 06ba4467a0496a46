"""The memory film's choices, its static picture and its page, without a browser."""

import re
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.colors import to_hex

from course_lib.figures import Picture, describe_memory, static_memory
from course_lib.figures.theme import DARK
from course_lib.traces import MemoryTrace
from course_lib.widgets import MemoryFilm

STRANGE = ("<s>", "<b>x</b>", "$x$", "$", "&amp;", "", " ", "\n", "\u200b", "😀", "سلام")


def make(steps=4, rows=5, labels=None, **others):
    """Row t is written at step t and read at the next one."""
    write = np.eye(rows)[np.arange(steps) % rows]
    read = np.roll(write, 1, axis=1)
    held = np.cumsum(write, axis=0)[..., None] * np.array([1.0, -2.0])
    seen = np.arange(2.0 * steps).reshape(steps, 2)
    return MemoryTrace(
        write, read, held, seen, seen[:, :1] * 0, labels or tuple("abcd" * steps)[:steps], **others
    )


def test_the_picture_shows_each_map_and_the_memory_at_a_step():
    figure = static_memory(make(), time=1)
    seen, said, write, read, memory = figure.axes
    np.testing.assert_array_equal(seen.images[0].get_array(), make().inputs.T)
    np.testing.assert_array_equal(said.images[0].get_array(), make().outputs.T)
    np.testing.assert_array_equal(write.images[0].get_array(), make().write.T)
    np.testing.assert_array_equal(read.images[0].get_array(), make().read.T)
    np.testing.assert_array_equal(memory.images[0].get_array(), make().rows[1])
    assert memory.images[0].get_clim() == (-2, 2)
    assert [label.get_text() for label in read.get_xticklabels()] == list("abcd")
    assert memory.get_title(loc="left") == "memory after step 2"


def test_its_words_name_rows():
    assert describe_memory(make(title="A run")) == (
        "A run. A memory of 5 rows over 4 steps; step by step it writes most at rows 0, 1, 2, 3 (mean weight "
        "there 1.00); it reads most at rows 1, 2, 3, 4 (mean weight there 1.00)."
    )


def test_any_character_can_be_drawn():
    trace = make(len(STRANGE), labels=STRANGE, title="$ <s> \n 😀")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = static_memory(trace, theme=DARK)
        Picture.of(figure, describe_memory(trace))
    assert to_hex(figure.get_facecolor()) == DARK.paper


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"time": 4}, "time must be a whole number from 0 to 3 or None, got 4"),
        ({"time": True}, "time must be a whole number"),
        ({"row": -1}, "row must be a whole number from 0 to 4 or None, got -1"),
        ({"head": 1}, "head is not a choice of MemoryFilm"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(choice, message):
    widget = MemoryFilm(make())
    before = dict(widget.view)
    with pytest.raises(ValueError, match=message):
        widget.select(**choice)
    assert widget.view == before


def test_the_figure_refuses_it_too():
    with pytest.raises(ValueError, match="time must be a whole number from 0 to 3 or None, got 9"):
        static_memory(make(), time=9)


def test_the_picture_shows_what_is_chosen(tmp_path):
    widget = MemoryFilm(make(), time=0)
    assert widget.picture().alt == describe_memory(make())
    before = widget.picture().png
    widget.select(time=2)
    assert widget.picture().png != before
    page = ElementTree.parse(widget.save_svg(tmp_path / "memory.svg"))
    assert describe_memory(make()) in "".join(page.getroot().itertext())


def test_the_exported_page_needs_nothing_and_runs_no_character(tmp_path):
    strange = ("</script><script>alert(1)</script>", "<b>x</b>", "$", "")
    trace = make(labels=strange, title="</title><script>alert(2)")
    page = MemoryFilm(trace).export_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(", page.replace("http://www.w3.org/2000/svg", ""))
    assert "<script>alert" not in page
    assert re.search(r"<noscript><figure.*<img alt=.*A memory of 5 rows.*</noscript>", page, re.DOTALL)
