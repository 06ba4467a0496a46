"""The segmentation explorer's choices, its picture and its page, without a browser."""

import json
import re
from xml.etree import ElementTree

import pytest

from course_lib.figures import describe_segmentation
from course_lib.text import BytePairEncoding
from course_lib.traces import SegmentationTrace
from course_lib.widgets import SegmentationExplorer
from course_lib.widgets.segmentation_explorer import LONGEST_TEXT

HUGS = SegmentationTrace.of(BytePairEncoding("hugs", [("u", "g"), ("h", "ug"), ("▁", "hug")]), "Hugs")
PUGS = SegmentationTrace.of(BytePairEncoding("pugs", [("p", "u"), ("pu", "g")]))
BOTH = {"h": HUGS, "p": PUGS}


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"text": "a" * (LONGEST_TEXT + 1)}, "text must be at most 1,000 characters, got 1,001"),
        ({"text": None}, "text must be at most 1,000 characters, got NoneType"),
        ({"text": "a\ud83d"}, r"text must be whole characters, got the surrogate '\\ud83d'"),
        ({"encoding": "q"}, "encoding must be one of h, p or None, got 'q'"),
        ({"merges": -1}, "merges must be a whole number from 0 on or None, got -1"),
        ({"merges": True}, "merges must be"),
        ({"word": None}, "word must be a whole number from 0 on, got None"),
        ({"step": 1.0}, "step must be a whole number from 0 on or None, got 1.0"),
        ({"zoom": 2}, "zoom is not a choice of SegmentationExplorer"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(choice, message):
    with pytest.raises(ValueError, match=message):
        SegmentationExplorer(BOTH, **choice)
    widget = SegmentationExplorer(BOTH, text="hug")
    before = dict(widget.view)
    with pytest.raises(ValueError, match=message):
        widget.select(**choice)
    assert widget.view == before


def test_without_an_encoding_there_is_nothing_to_show():
    with pytest.raises(ValueError, match="trace must be a SegmentationTrace or a mapping with at least one"):
        SegmentationExplorer({})


def test_the_first_encoding_is_chosen_and_one_alone_has_its_title():
    assert SegmentationExplorer(BOTH).view["encoding"] == "h"
    assert SegmentationExplorer(BOTH, encoding="p").view["encoding"] == "p"
    assert SegmentationExplorer(HUGS).view["encoding"] == "Hugs"
    assert SegmentationExplorer(PUGS).view["encoding"] == "text"


def test_the_picture_shows_what_is_chosen():
    widget = SegmentationExplorer(BOTH, text="hugs pug", merges=1, word=1)
    assert widget.picture().alt == describe_segmentation(HUGS, "hugs pug", merges=1, word=1)
    widget.select(encoding="p", merges=99, word=99, step=1)  # more than there are: all, the last
    assert widget.picture().alt == describe_segmentation(PUGS, "hugs pug", merges=2, word=1, step=1)
    plain = widget.picture().png
    widget.select(ids=True)
    assert widget.picture().png != plain


def test_svg_holds_the_alt_text(tmp_path):
    page = ElementTree.parse(SegmentationExplorer(HUGS, text="<s>$").save_svg(tmp_path / "pieces.svg"))
    assert "▁|0x3C s 0x3E|0x24" in "".join(page.getroot().itertext())


def test_the_exported_page_needs_nothing_and_runs_no_character(tmp_path):
    title = "</title><script>alert(2)"
    strange = "</script><script>alert(1)</script><b>x</b>$"
    trace = SegmentationTrace.of(BytePairEncoding.train([strange], 20), title)
    widget = SegmentationExplorer({title: trace}, text=strange)
    page = widget.export_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(", page.replace("http://www.w3.org/2000/svg", ""))
    assert "<script>alert" not in page
    assert re.search(r"<noscript><figure.*<img alt=.*pieces for.*</noscript>", page, re.DOTALL)
    saved = json.loads(re.search(r'id="content">(.*?)</script>', page, re.DOTALL)[1])
    assert saved["view"]["text"] == strange


def test_a_page_of_three_encodings_stays_below_half_a_megabyte(tmp_path):
    chain = [(f"{'a' * i}", "a") for i in range(1, 400)]
    large = SegmentationTrace.of(BytePairEncoding("a", chain * 10))
    widget = SegmentationExplorer({"a": large, "b": large, "c": large})
    assert widget.export_html(tmp_path / "page.html").stat().st_size < 500_000
