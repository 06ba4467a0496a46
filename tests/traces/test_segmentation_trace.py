"""What the trace of an encoding accepts, refuses and keeps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.text import BytePairEncoding
from course_lib.traces import SegmentationTrace
from course_lib.traces.segmentation import FIRST_CHARACTER

HUGS = BytePairEncoding("hugsp", [("u", "g"), ("h", "ug"), ("▁", "hug")])


def test_ids_are_those_of_the_encoding():
    trace = SegmentationTrace.of(HUGS, "hugs")
    assert trace.characters.tolist() == sorted(map(ord, "hugsp▁"))
    sides = [[HUGS.pieces[i] for i in pair] for pair in trace.merges]
    assert sides == [["u", "g"], ["h", "ug"], ["▁", "hug"]]
    assert trace.pieces() == HUGS.pieces
    assert len(trace) == 3 and trace.title == "hugs"


@given(st.dictionaries(st.text(max_size=6), st.none(), max_size=8), st.integers(0, 30), st.text())
def test_any_encoding_comes_back(texts, merges, title):
    encoding = BytePairEncoding.train(texts, merges)
    back = SegmentationTrace.of(encoding, title).encoding()
    assert (back.alphabet, back.merges, back.pieces) == (encoding.alphabet, encoding.merges, encoding.pieces)


def test_two_ways_to_the_same_piece_have_one_id():
    encoding = BytePairEncoding("abc", [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "bc"), ("abc", "a")])
    trace = SegmentationTrace.of(encoding)
    assert trace.pieces() == encoding.pieces
    assert trace.encoding().merges == encoding.merges


def test_fewer_merges():
    trace = SegmentationTrace.of(HUGS)
    assert trace.encoding(2).segment("hug") == ["▁", "hug"]
    assert trace.encoding(0).segment("hug") == list("▁hug")
    for merges in (-1, 4):
        with pytest.raises(ValueError, match=f"merges must be 0 to 3 or None, got {merges}"):
            trace.encoding(merges)


def test_it_survives_saving(tmp_path):
    trace = SegmentationTrace.of(HUGS, "</s>\n")
    assert SegmentationTrace.load(trace.save(tmp_path / "pieces")) == trace


@pytest.mark.parametrize(
    ("characters", "merges", "message"),
    [
        ([97, 98], [], "characters must ascend and hold 9601, the code point of '▁'"),
        ([98, 97, 9601], [], "characters must ascend"),
        ([97, 97, 9601], [], "characters must ascend"),
        ([9601, 0xD800], [], "without surrogates"),
        ([-1, 9601], [], "characters must be code points"),
        ([9601, 0x110000], [], "characters must be code points"),
        ([97, 9601], [[FIRST_CHARACTER, 3]], r"merges\[0\] joins id 3, which is no piece before it"),
        ([97, 9601], [[FIRST_CHARACTER, FIRST_CHARACTER + 2]], r"merges\[0\] joins id 261"),
        ([97, 9601], [[FIRST_CHARACTER] * 3], "merges must be pairs, got 3 ids each"),
    ],
)
def test_what_is_no_encoding_is_refused(characters, merges, message):
    with pytest.raises(ValueError, match=message):
        SegmentationTrace(
            np.array(characters), np.array(merges, np.int32).reshape(len(merges), -1 if merges else 2)
        )
