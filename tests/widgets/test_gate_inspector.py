"""The gate inspector's choices, its answers and its page, without a browser."""

import base64
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from course_lib.figures import describe_gates
from course_lib.figures.theme import DIFFERENCE_SCALE
from course_lib.traces import GateTrace
from course_lib.widgets import GateInspector
from course_lib.widgets.gate_inspector import LONGEST_TEXT


def read(text, units=3):
    """A made-up layer: what it holds at each character tells the character."""
    share = np.array([[ord(character) / 0x110000] * units for character in text])
    return GateTrace(np.stack([share, share * 9]), ("forget", "cell"), tuple(text), title="It reads")


@pytest.fixture
def asked(monkeypatch):
    """Ask a widget as the browser does: asked(widget, request) -> what it sends back."""

    def ask(widget, **request):
        sent = []
        monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append((content, buffers)))
        widget._on_request(widget, {"id": "7", **request}, [])
        ((content, buffers),) = sent
        assert content["reply"] == "7"
        return content, buffers

    return ask


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"unit": 3}, "unit must be a whole number from 0 to 2, got 3"),
        ({"unit": True}, "unit must be"),
        ({"time": -1}, "time must be a whole number from 0 on, got -1"),
        ({"time": 1.0}, "time must be"),
        ({"quantity": "reset"}, "quantity must be one of forget, cell or None, got 'reset'"),
        ({"zoom": 2}, "zoom is not a choice of GateInspector"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(choice, message):
    with pytest.raises(ValueError, match=message):
        GateInspector(read("abc"), **choice)
    widget = GateInspector(read("abc"))
    before = dict(widget.view)
    with pytest.raises(ValueError, match=message):
        widget.select(**choice)
    assert widget.view == before


def test_the_picture_shows_what_is_chosen():
    widget = GateInspector(read("abc"), unit=1, quantity="cell")
    assert widget.picture().alt == describe_gates(read("abc"), unit=1, quantity="cell")
    before = widget.picture().png
    widget.select(quantity="forget")
    assert widget.picture().png != before
    widget.select(time=99)  # left over from a longer text
    assert widget.picture().png.startswith(b"\x89PNG")


def test_a_new_text_is_read_and_is_then_what_is_shown_and_exported(asked, tmp_path):
    widget = GateInspector(read("abc"), read=read, time=2)
    content, (buffer,) = asked(widget, want="read", text="é\n")
    assert content["fields"]["characters"] == ["é", "⏎"]
    np.testing.assert_array_equal(np.frombuffer(buffer, np.float32), read("é\n").values.ravel())
    assert widget.trace == read("é\n")
    assert "2 characters" in widget.picture().alt
    page = widget.export_html(tmp_path / "page.html").read_text(encoding="utf-8")
    saved = json.loads(re.search(r'id="content">(.*?)</script>', page, re.DOTALL)[1])
    assert saved["fields"]["characters"] == ["é", "⏎"]
    assert base64.b64decode(saved["buffer"]) == buffer


def test_asking_whether_it_can_read_changes_nothing(asked):
    widget = GateInspector(read("abc"), read=read)
    content, _ = asked(widget, want="read")
    assert content["fields"]["characters"] == ["a", "b", "c"]
    content, _ = asked(GateInspector(read("abc")), want="read")
    assert "cannot answer" in content["error"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"Type 1 to {LONGEST_TEXT} characters; got 0."),
        ("a" * (LONGEST_TEXT + 1), f"Type 1 to {LONGEST_TEXT} characters; got {LONGEST_TEXT + 1}."),
        (None, f"Type 1 to {LONGEST_TEXT} characters; got NoneType."),
        ("§", "§ is not in the vocabulary"),
    ],
)
def test_a_text_that_cannot_be_read_says_why_and_changes_nothing(asked, text, message):
    def picky(text):
        if "§" in text:
            raise ValueError("§ is not in the vocabulary")
        return read(text)

    widget = GateInspector(read("abc"), read=picky)
    content, _ = asked(widget, want="read", text=text)
    assert content["error"] == message
    assert widget.trace == read("abc")


def test_a_run_of_another_layer_is_refused(asked):
    widget = GateInspector(read("abc"), read=lambda text: read(text, units=4))
    content, _ = asked(widget, want="read", text="x")
    assert content["error"].endswith("of the first trace, got forget, cell of 4 units")
    assert widget.trace == read("abc")


def test_colours_and_signs_are_those_of_the_figure():
    module = GateInspector._esm
    assert json.dumps(DIFFERENCE_SCALE) in module
    assert 'const SIGNED = ["candidate", "cell", "hidden"];' in module


def test_the_exported_page_needs_nothing_and_runs_no_character(tmp_path):
    strange = ("</script><script>alert(1)</script>", "<b>x</b>", "$")
    trace = GateTrace(np.full((1, 3, 2), 0.5), ("reset",), strange, title="</title><script>alert(2)")
    page = GateInspector(trace).export_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(", page.replace("http://www.w3.org/2000/svg", ""))
    assert "<script>alert" not in page
    assert re.search(r"<noscript><figure.*<img alt=.*Unit 0 of 2.*</noscript>", page, re.DOTALL)


def test_svg_holds_the_alt_text(tmp_path):
    page = ElementTree.parse(GateInspector(read("a$")).save_svg(tmp_path / "gates.svg"))
    assert "forget, cell at each of 2 characters" in "".join(page.getroot().itertext())


def test_a_page_of_400_characters_and_256_units_stays_below_four_megabytes(tmp_path):
    values = np.random.default_rng(0).uniform(size=(6, LONGEST_TEXT, 256))
    quantities = ("input", "forget", "output", "candidate", "cell", "hidden")
    trace = GateTrace(values, quantities, ("a",) * LONGEST_TEXT)
    assert GateInspector(trace).export_html(tmp_path / "page.html").stat().st_size < 4_000_000
