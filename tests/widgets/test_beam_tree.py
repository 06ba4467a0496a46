import gc
import json
import math
import re
import weakref

import pytest
import torch

from course_lib.decoding import LengthPenalty, beam_search
from course_lib.figures import describe_beam_tree
from course_lib.traces import BeamTrace
from course_lib.widgets import BeamTree

PIECES = ["</s>", "<b>x</b>", "</script><script>alert(1)</script>", "$x$", "", "▁the"]


def search(beam_size, alpha):
    generator = torch.Generator().manual_seed(0)
    table = torch.randn(6, 6, generator=generator).log_softmax(-1)

    def step(tokens, state):
        return table[tokens], state

    penalty = LengthPenalty("average", alpha)
    return beam_search(step, torch.zeros(1), torch.tensor([1]), 0, 6, beam_size, penalty, pieces=PIECES)[
        0
    ].trace


@pytest.fixture
def widget():
    return BeamTree(search(3, 0.5), search=search, alpha=0.5)


@pytest.fixture
def asked(widget, monkeypatch):
    """Send a request as the browser does; return the messages that come back."""

    def ask(**request):
        sent = []
        monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append((content, buffers)))
        widget._handle_custom_msg({"id": "7", **request}, [])
        return sent

    return ask


def test_one_request_brings_one_new_search(widget, asked):
    sent = asked(want="search", beam_size=5, alpha=1)
    assert len(sent) == 1
    answer, buffers = sent[0]
    assert answer["reply"] == "7" and len(buffers) == 1
    tree = answer["fields"]["tree"]
    assert tree["beam_size"] == 5 and tree["penalty"].startswith("log p / |y|^1")
    assert widget.trace == search(5, 1.0)


def test_asking_whether_a_search_is_possible_searches_nothing(widget, asked):
    before = widget.trace
    (answer, _), *rest = asked(want="search")
    assert "fields" in answer and not rest and widget.trace is before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"beam_size": 0}, "1 to 20; got 0"),
        ({"beam_size": 21}, "1 to 20; got 21"),
        ({"beam_size": 2.5}, "got 2.5"),
        ({"beam_size": True}, "got True"),
        ({"beam_size": None}, "got None"),
        ({"alpha": -0.1}, "0 to 2; got -0.1"),
        ({"alpha": math.nan}, "got nan"),
        ({"alpha": "1"}, "got 1"),
    ],
)
def test_a_search_that_makes_no_sense_is_answered_with_the_reason(widget, asked, change, message):
    before = widget.trace
    [(answer, buffers)] = asked(**{"want": "search", "beam_size": 3, "alpha": 0.5, **change})
    assert message in answer["error"] and buffers is None and widget.trace is before


def test_without_a_search_none_is_offered():
    widget = BeamTree(search(2, 1.0))
    sent = []
    widget.send = lambda content, buffers=None: sent.append(content)
    widget._handle_custom_msg({"id": "1", "want": "search", "beam_size": 3, "alpha": 1}, [])
    assert "cannot answer" in sent[0]["error"]


@pytest.mark.parametrize(
    "choices",
    [
        {"step": 7},
        {"step": -1},
        {"step": True},
        {"node": 10_000},
        {"score": "logit"},
        {"colour": 1},
        {"alpha": 0.5},
        {"search": search},
    ],
)
def test_a_choice_that_does_not_exist_is_refused(choices):
    with pytest.raises(ValueError, match=next(iter(choices))):
        BeamTree(search(3, 0.5), **choices)


def test_the_picture_follows_the_choices(widget):
    whole = widget.picture()
    assert whole.alt == describe_beam_tree(widget.trace)
    widget.select(step=2, score="probability", pruned=False)
    assert widget.picture().png != whole.png


def test_the_picture_survives_a_shorter_search(widget):
    widget.select(step=widget.trace.last_step)
    widget.trace = BeamTrace([-1], [0], [-1], ("<s>",), [0.0], [0.0], [0.0], [0], ("kept",), 0, 3, "log p")
    assert widget.picture().png


def test_the_exported_page_needs_nothing_and_runs_no_token(widget, tmp_path):
    page = widget.export_html(tmp_path / "beam.html").read_text(encoding="utf-8")
    addresses = set(re.findall(r"https?://[^\s\"'\\)]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert "<script>alert" not in page
    content = json.loads(re.search(r'<script type="application/json" id="content">(.*)</script>', page)[1])
    assert PIECES[2] in content["fields"]["tree"]["token"]
    assert "export default" in content["module"]


def test_a_closed_tree_is_forgotten(widget):
    kept = weakref.ref(BeamTree(widget.trace))
    kept().close()
    gc.collect()
    assert kept() is None
