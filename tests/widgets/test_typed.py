"""Sentences that readers type, without a browser."""

import json

import numpy as np
import pytest

from course_lib.applications.translator import load_translator
from course_lib.traces import AttentionTrace
from course_lib.widgets import AttentionHeatmap, BeamTree
from course_lib.widgets.shared.typed import MOST_PIECES, Reading, typed_text

KINDS = ("cross", "encoder", "decoder")


@pytest.fixture(scope="module")
def transformer():
    return load_translator("transformer")


@pytest.fixture
def ask(monkeypatch):
    """Send a request as the browser does; return the one message that comes back."""

    def request(widget, **wanted):
        sent = []
        monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
        widget._handle_custom_msg({"id": "7", **wanted}, [])
        (answer,) = sent
        return answer

    return request


class Speller:
    """A model that reads letters, and never read an "x"."""

    def source_pieces(self, text):
        return (*text, "</s>")

    def never_read(self, pieces):
        return tuple(piece.strip("▁") in ("x", "x▁x") or piece.startswith("<0x") for piece in pieces)


class TestReading:
    def test_what_was_never_read_is_told_as_a_reader_would_write_it(self):
        pieces = ("▁a", "x", "<0xC4>", "<0xB0>", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "b", "x", "</s>")
        reading = Reading.of(Speller(), pieces)
        assert reading.unseen == (1, 2, 3, 4, 5, 6, 7, 9)
        assert reading.unseen_texts == ("x", "İ", "😀")

    def test_a_name_that_was_read_as_another_was_not_read_in_vain(self):
        reading = Reading.of(Speller(), ("▁x", "▁x▁x", "x", "</s>"), [("x", "a"), ("x x", "b")])
        assert reading.unseen == (2,) and reading.unseen_texts == ("x",)
        assert reading.read_as == (("x", "a"), ("x x", "b"))

    @pytest.mark.parametrize(
        ("typed", "message"),
        [
            (" \u200b\n", "Nothing is typed yet"),
            (None, "Nothing is typed yet"),
            ("?! …", r"“\?! \.\.\.” holds no word"),
            ("😀", "“😀” holds no word"),
            ("a\ud83d", "half a character"),
            ("a" * MOST_PIECES, f"it has {MOST_PIECES + 1} pieces, and at most {MOST_PIECES} are read"),
        ],
    )
    def test_what_cannot_be_read_is_refused_in_words(self, typed, message):
        with pytest.raises(ValueError, match=message):
            typed_text(typed, Speller().source_pieces)

    def test_what_is_read_is_in_plain_signs(self):
        assert typed_text("\u201ccafe\u0301\u201d\u00a0\t2 ", Speller().source_pieces) == '"café" 2'


@pytest.mark.usefixtures("unchecked")
class TestAttentionOfATypedSentence:
    def test_all_kinds_are_those_of_the_new_sentence(self, transformer, ask, tmp_path):
        first = transformer.attention_traces("I like cats.", KINDS)
        widget = AttentionHeatmap(first, translator=transformer, kind="encoder", layer=1, query=3, key=2)
        answer = ask(widget, want="text", text="I don\u2019t   know 😀.")
        text = "I don't know 😀."
        assert widget.traces == transformer.attention_traces(text, KINDS)
        reading = answer["fields"]["reading"]
        assert tuple(reading["pieces"]) == transformer.source_pieces(text)
        assert tuple(reading["unseen_texts"]) == ("😀",)
        chosen = [widget.view[name] for name in ("kind", "layer", "query", "key")]
        assert chosen == ["encoder", 1, 0, 0]
        assert f"{text} · encoder" in widget.picture().alt
        page = widget.export_html(tmp_path / "page.html").read_text(encoding="utf-8")
        assert json.dumps(transformer.source_pieces(text)[1])[1:-1] in page

    def test_the_reader_is_told_which_names_were_read_as_others(self, transformer, ask):
        widget = AttentionHeatmap(transformer.attention_trace("I like cats."), translator=transformer)
        assert widget._content()["reading"].read_as == ()
        reading = ask(widget, want="text", text="My name is Anna.")["fields"]["reading"]
        assert [tuple(names) for names in reading["read_as"]] == [("Anna", "Tom")]
        assert "▁Anna" in reading["pieces"] and tuple(reading["unseen_texts"]) == ()
        first = AttentionHeatmap(transformer.attention_trace("My name is Anna."), translator=transformer)
        assert first._content()["reading"].read_as == (("Anna", "Tom"),)

    def test_a_bad_sentence_changes_nothing(self, transformer, ask):
        widget = AttentionHeatmap(
            transformer.attention_trace("I like cats."), translator=transformer, query=1
        )
        before = widget.traces, widget.view, widget._fields
        for typed in ("", "?!", "word " * 200, 7):
            assert "error" in ask(widget, want="text", text=typed)
        assert (widget.traces, widget.view, widget._fields) == before

    def test_a_difference_of_kinds_that_need_not_fit_any_more_is_left(self, transformer, ask):
        trace = transformer.attention_trace("I like cats.", kind="encoder")
        traces = {"encoder": trace, "cross": trace}
        one = AttentionHeatmap(traces, translator=transformer, other={"kind": "cross"}, difference=True)
        ask(one, want="text", text="I like her very big cats.")
        assert one.view["difference"] is False
        two = AttentionHeatmap(traces, translator=transformer, other=1, difference=True)
        ask(two, want="text", text="I like her very big cats.")
        assert two.view["difference"] is True

    def test_without_a_translator_nobody_can_type(self, ask):
        trace = AttentionTrace(np.ones((1, 1, 1, 1)), ("a",), ("b",))
        assert "cannot answer" in ask(AttentionHeatmap(trace), want="text", text="a")["error"]

    def test_names_that_no_translator_fills_are_refused(self, transformer):
        trace = transformer.attention_trace("I like cats.")
        with pytest.raises(ValueError, match="named cross, encoder, decoder, got GRU"):
            AttentionHeatmap({"GRU": trace, "cross": trace}, translator=transformer)


@pytest.mark.usefixtures("unchecked")
def test_the_beam_tree_tells_what_is_read_and_refuses_what_cannot_be(transformer, ask):
    few = {"beam_sizes": (), "temperatures": (), "beam_size": 2, "max_length": 8}
    widget = BeamTree.from_translator(transformer, "I like être.", **few)
    assert tuple(widget._fields["reading"]["unseen_texts"]) == ("être",)
    settings = {"want": "text", "beam_size": 2, "kind": "average", "alpha": 1, "temperature": 1}
    before = widget.trace
    assert "holds no word" in ask(widget, text="…", **settings)["error"]
    assert widget.trace is before
    answer = ask(widget, text="I don\u2019t know.", **settings)["fields"]
    assert answer["tree"]["source"] == "I don't know."
    assert tuple(answer["reading"]["pieces"]) == transformer.source_pieces("I don't know.")
    assert answer["reading"]["unseen"] == ()
