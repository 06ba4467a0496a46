"""The shell that the widgets share, and the heatmap's choices, without a browser."""

import base64
import gc
import json
import re
import weakref
from xml.etree import ElementTree

import numpy as np
import pytest

from course_lib.figures import Chart, display
from course_lib.traces import AttentionTrace
from course_lib.widgets import AttentionHeatmap
from course_lib.widgets.shared.base import pack

VIEW_TYPE = "application/vnd.jupyter.widget-view+json"


def make(shape=(2, 3, 4, 5), **others):
    scores = np.random.default_rng(0).normal(size=shape)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    queries, keys = (
        tuple(f"{letter}{i}" for i in range(n)) for letter, n in zip("qk", shape[2:], strict=True)
    )
    return AttentionTrace(weights, queries, keys, **others)


@pytest.fixture
def published(monkeypatch):
    """What a notebook would get, in order."""
    outputs = []
    monkeypatch.setattr(display, "publish_display_data", lambda data, metadata=None: outputs.append(data))
    return outputs


class TestModes:
    def test_static_is_the_picture_only(self, published):
        AttentionHeatmap(make(), mode="static")._ipython_display_()
        (output,) = published
        assert set(output) == {"text/html", "image/png", "text/plain"}
        assert "course-twin" not in output["text/html"]

    def test_live_is_the_widget_only(self, published):
        widget = AttentionHeatmap(make(), mode="live")
        widget._ipython_display_()
        (output,) = published
        assert output[VIEW_TYPE]["model_id"] == widget.model_id

    def test_auto_is_the_picture_and_then_the_widget(self, published):
        AttentionHeatmap(make())._ipython_display_()
        picture, widget = published
        assert "image/png" in picture
        assert "course-twin" in picture["text/html"]
        # Text beside the picture would say nothing to a reader.
        assert widget["text/plain"] == ""
        assert VIEW_TYPE in widget

    def test_page_is_the_exported_page_in_a_frame(self, published, tmp_path):
        widget = AttentionHeatmap(make(), mode="page")
        widget._ipython_display_()
        (output,) = published
        assert set(output) == {"text/html", "text/plain"}
        frame = ElementTree.fromstring(output["text/html"])
        page = widget.export_html(tmp_path / "page.html").read_text(encoding="utf-8")
        assert frame.get("srcdoc").split() == page.split()  # an attribute's line ends are read as spaces
        assert frame.get("title") == output["text/plain"] == widget.picture().alt

    def test_the_variable_sets_the_default(self, monkeypatch):
        monkeypatch.setenv("COURSE_WIDGETS", "static")
        assert AttentionHeatmap(make()).mode == "static"
        assert AttentionHeatmap(make(), mode="live").mode == "live"

    def test_a_bad_variable_is_named(self, monkeypatch):
        monkeypatch.setenv("COURSE_WIDGETS", "none")
        with pytest.raises(
            ValueError, match="COURSE_WIDGETS must be one of auto, live, static, page, got 'none'"
        ):
            AttentionHeatmap(make())

    @pytest.mark.usefixtures("unchecked")
    def test_a_bad_argument_is_named(self):
        with pytest.raises(ValueError, match="mode must be one of auto, live, static, page, got 'png'"):
            AttentionHeatmap(make(), mode="png")


class TestChoices:
    def test_several_choices_are_one_message(self):
        widget = AttentionHeatmap(make())
        changes = []
        widget.observe(changes.append, "view")
        widget.select(layer=1, head=2, other=0, query=3, key=4, grid=True)
        assert len(changes) == 1
        assert (widget.view["layer"], widget.view["grid"]) == (1, True)
        assert widget.view["other"] == {"kind": "attention", "layer": 1, "head": 0}

    @pytest.mark.parametrize(
        ("choice", "message"),
        [
            ({"layer": 2}, "layer must be a whole number from 0 to 1, got 2"),
            ({"head": -1}, "head must be a whole number from 0 to 2, got -1"),
            ({"other": 3}, "other head must be a whole number from 0 to 2, got 3"),
            ({"other": "Luong"}, "other must be a head, a dictionary or None, got 'Luong'"),
            ({"other": {"layer": 2}}, "other layer must be a whole number from 0 to 1, got 2"),
            ({"other": {"row": 2}}, "other must hold kind, layer and head, got kind, layer, head, row"),
            ({"other": {"kind": "cross"}}, "other kind must be one of attention, got 'cross'"),
            ({"kind": "cross"}, "kind must be one of attention, got 'cross'"),
            ({"difference": True}, "difference needs a second map: choose other"),
            ({"span": 0}, "span must be a whole number above 0 or None, got 0"),
            ({"query": 4}, "query must be"),
            ({"key": 1.5}, "key must be"),
            ({"scale": "log"}, "scale must be"),
            ({"lines": True}, "lines must be 'all', 'row' or None, got True"),
            ({"colour": "red"}, "colour is not a choice of AttentionHeatmap; it has dark, large, kind"),
        ],
    )
    def test_choices_that_do_not_exist(self, choice, message):
        with pytest.raises(ValueError, match=message):
            AttentionHeatmap(make(), **choice)
        widget = AttentionHeatmap(make())
        before = dict(widget.view)
        with pytest.raises(ValueError, match=message):
            widget.select(**choice)
        assert widget.view == before

    def test_the_picture_shows_what_is_chosen(self):
        widget = AttentionHeatmap(make(head_names=("dot", "general", "concat")), head=1)
        assert "Layer 1: general." in widget.picture().alt
        widget.select(layer=1, other={"head": 2, "layer": 0}, difference=True)
        alt = widget.picture().alt
        assert "Layer 2 · general." in alt
        assert "Beside it: Attention weights, 4 rows by 5 columns, Layer 1: Layer 1 · concat." in alt
        assert "They differ most where" in alt
        widget.select(grid=True)
        assert "2 layers: dot, general, concat." in widget.picture().alt

    def test_lines_are_for_the_browser_a_picture_is_the_map(self):
        widget = AttentionHeatmap(make())
        picture = widget.picture()
        widget.select(lines="row", query=2)
        assert widget.picture() == picture


class TestSeveralTraces:
    def test_a_kind_is_chosen_by_its_name(self):
        widget = AttentionHeatmap(
            {"encoder": make((2, 3, 5, 5)), "cross": make((1, 2, 4, 5))}, layer=1, query=4
        )
        assert widget.view["kind"] == "encoder"
        widget.select(kind="cross", head=1)
        assert [widget.view[name] for name in ("layer", "head", "query", "key")] == [0, 1, 0, 0]
        assert "4 rows by 5 columns, Layer 1: Head 2." in widget.picture().alt
        with pytest.raises(ValueError, match="kind must be one of encoder, cross, got 'decoder'"):
            widget.select(kind="decoder")

    def test_two_models_beside_each_other_carry_their_names(self):
        one, other = make((1, 1, 4, 5)), make((1, 2, 4, 5), head_names=("a", "b"))
        widget = AttentionHeatmap(
            {"GRU": one, "LSTM": other}, other={"kind": "LSTM", "head": 1}, difference=True
        )
        alt = widget.picture().alt
        assert "Layer 1: GRU." in alt
        assert "Layer 1: LSTM · b." in alt

    def test_a_difference_needs_the_same_words(self):
        traces = {"encoder": make((1, 1, 5, 5)), "cross": make((1, 1, 4, 5))}
        assert AttentionHeatmap(traces, other={"kind": "cross"}).picture().png
        with pytest.raises(ValueError, match="the same queries and the same keys"):
            AttentionHeatmap(traces, other={"kind": "cross"}, difference=True)

    def test_no_trace_is_refused(self):
        with pytest.raises(ValueError, match="at least one, got none"):
            AttentionHeatmap({})

    def test_all_arrays_come_back_from_one_buffer(self):
        traces = {"a": make((1, 2, 3, 3), keep=np.ones((3, 3), bool)), "b": make((2, 1, 4, 5))}
        packed, buffer = pack(traces)
        for name, trace in traces.items():
            place = packed[name]["weights"]
            values = np.frombuffer(buffer, np.float32, trace.weights.size, place["offset"])
            np.testing.assert_array_equal(values, trace.weights.ravel())


class TestPacking:
    def test_arrays_come_back_from_the_buffer(self):
        trace = make(keep=np.ones((4, 5), bool), layer_names=("a", "b"))
        fields, buffer = pack(trace)
        for name, kind in (("weights", np.float32), ("keep", np.uint8)):
            place = fields[name]
            assert place["offset"] % 4 == 0
            count = int(np.prod(place["shape"]))
            values = np.frombuffer(buffer, kind, count, place["offset"]).reshape(place["shape"])
            np.testing.assert_array_equal(values, getattr(trace, name))
        assert fields["layer_names"] == ("a", "b")
        assert fields["head_names"] is None

    def test_tokens_become_labels_and_json_stays_valid(self):
        weights = np.full((1, 1, 1, 3), np.nan)
        fields, buffer = pack(AttentionTrace(weights, ("",), ("\ud83d", "\n", "</script>")))
        assert fields["queries"] == ["∅"]
        assert fields["keys"] == ["⟨U+D83D⟩", "⏎", "</script>"]
        json.dumps(fields, allow_nan=False).encode()
        assert np.isnan(np.frombuffer(buffer, np.float32)).all()

    def test_the_state_is_the_trace_once_and_the_code(self):
        """48 heads of 32 tokens: what a front end that saves widget state would add to a notebook."""
        trace = make((4, 12, 32, 32))
        state = AttentionHeatmap(trace).get_state()
        sizes = {name: len(value) for name, value in state.items() if isinstance(value, bytes | str)}
        assert sizes.pop("_buffer") == trace.weights.nbytes
        assert sum(sizes.values()) < 80_000


class TestMemory:
    def test_a_closed_widget_is_freed(self):
        widget, trace = AttentionHeatmap(make()), make()
        other = AttentionHeatmap(trace)
        gone = [weakref.ref(widget), weakref.ref(widget.trace)]
        widget.close()
        del widget
        gc.collect()
        assert [ref() for ref in gone] == [None, None]
        assert other.trace is trace


class TestRequests:
    def test_an_answer_is_one_message(self, monkeypatch):
        widget = AttentionHeatmap(make())
        sent = []
        monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append((content, buffers)))
        monkeypatch.setattr(widget, "_answer", lambda request: make((1, 1, 1, request["width"])))
        widget._on_request(widget, {"id": "7", "width": 3}, [])
        ((content, (buffer,)),) = sent
        assert content["reply"] == "7"
        assert content["fields"]["weights"]["shape"] == (1, 1, 1, 3)
        assert len(buffer) == 12

    def test_a_refusal_says_why(self, monkeypatch):
        widget = AttentionHeatmap(make())
        sent = []
        monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
        widget._on_request(widget, {"id": "8", "width": 3}, [])
        assert sent[0]["reply"] == "8"
        assert "AttentionHeatmap cannot answer" in sent[0]["error"]


class TestExport:
    def test_the_page_holds_everything_and_asks_for_nothing(self, tmp_path):
        trace = make(title="</title><script>alert(1)</script>")
        path = AttentionHeatmap(trace, head=1).export_html(tmp_path / "page.html")
        page = path.read_text(encoding="utf-8")
        namespace = "http://www.w3.org/2000/svg"  # a name, which nothing asks for
        assert not re.search(r"https?://|@import|url\(", page.replace(namespace, ""))
        assert "<script>alert" not in page
        content = json.loads(re.search(r'id="content">(.*?)</script>', page, re.DOTALL).group(1))
        assert content["module"] == AttentionHeatmap._esm
        assert content["view"]["head"] == 1
        assert content["page"].count("%%") == 8  # what a reader saves from this page is another such page
        weights = np.frombuffer(base64.b64decode(content["buffer"]), np.float32)
        np.testing.assert_array_equal(weights, trace.weights.ravel())

    def test_the_page_has_one_heading_of_the_first_level(self, tmp_path):
        page = AttentionHeatmap(make(title="A < B")).export_html(tmp_path / "page.html").read_text()
        assert re.findall("<h1>(.*)</h1>", page) == ["A &lt; B"]

    def test_a_page_without_scripts_shows_the_picture(self, tmp_path):
        page = AttentionHeatmap(make()).export_html(tmp_path / "page.html").read_text(encoding="utf-8")
        assert re.search(r"<noscript><figure.*<img alt=.Attention weights.*</noscript>", page, re.DOTALL)

    def test_png(self, tmp_path):
        path = AttentionHeatmap(make()).save_png(tmp_path / "map.png")
        assert path.read_bytes().startswith(b"\x89PNG")

    def test_svg_holds_every_token_and_the_alt_text(self, tmp_path):
        trace = AttentionTrace(np.full((1, 1, 1, 2), 0.5), ("<s>",), ("$x$", "&amp;"), title="Half each.")
        page = ElementTree.parse(AttentionHeatmap(trace).save_svg(tmp_path / "map.svg"))
        assert page.getroot().tag.endswith("svg")
        said = "".join(page.getroot().itertext())
        assert "Half each. Attention weights, 1 rows by 2 columns" in said
        assert "“<s>” looks most at “$x$” (0.50)" in said


def test_half_a_character_in_a_title_stops_no_export(tmp_path, published):
    widget = AttentionHeatmap(make(title="cut \ud83d"))
    page = widget.export_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "cut ⟨U+D83D⟩" in page
    AttentionHeatmap(make(title="cut \ud83d"), mode="page")._ipython_display_()
    json.dumps(published, ensure_ascii=False).encode("utf-8")
    assert (
        "U+D83D" in Chart("line", {"a": [1.0]}, [1], "cut \ud83d", "x", "y", "half: \ud83d").picture().html()
    )
