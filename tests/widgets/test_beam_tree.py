import gc
import json
import math
import re
import weakref

import pytest
import torch

from course_lib.applications.translator import load_translator
from course_lib.decoding import LengthPenalty, beam_search
from course_lib.decoding.problem import Recorder, SearchProblem
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


SLIDE = [[0.1, 0.2, 0.3, 0.4, 0.5], [0.5, 0.4, 0.3, 0.2, 0.1]] * 5


def problem(text="a text", size=30):
    table = (torch.randn(499, size, generator=torch.Generator().manual_seed(3)) * 2).log_softmax(-1)

    def step(tokens, state):
        state = (state * 31 + tokens + 7) % 499
        return table[state], state

    if not text:
        raise ValueError("There is nothing to search.")
    return SearchProblem(step, torch.tensor([len(text)]), 1, 0, 6, [f"t{i}" for i in range(size)], text)


def test_the_slides_table_gives_the_slides_numbers():
    widget = BeamTree.from_table(SLIDE, weights=True, beam_size=3)
    trace = widget.trace
    totals = [-trace.total[node] for node in trace.nodes_at(10)[:3]]
    assert totals == pytest.approx([6.931471805599453, 7.154615356913663, 7.154615356913663])
    text = "\n".join(", ".join(map(str, row)) for row in SLIDE)
    assert BeamTree.from_table(text, weights=True, beam_size=3).trace == trace
    with pytest.raises(ValueError, match=r"Row 1 sums to 1\.5, not to 1"):
        BeamTree.from_table(SLIDE)
    with pytest.raises(ValueError, match="reference holds 5; the columns go from 0 to 4"):
        BeamTree.from_table(SLIDE, weights=True, reference=(4, 5))
    with pytest.raises(ValueError, match="width is a whole number from 1 to 20; got 0"):
        BeamTree.from_table(SLIDE, weights=True, beam_size=0)


def test_python_replays_what_the_reader_chooses_and_refuses_what_is_not_recorded():
    widget = BeamTree.from_problem(problem(), beam_size=3, beam_sizes=(2,), temperatures=(0.5,))
    recorder = Recorder(problem())
    widget.select(beam_size=2, kind="gnmt", alpha=0.4)
    assert widget.trace.token_id.tolist() == recorder.search(2).token_id.tolist()
    assert widget.trace.penalty == LengthPenalty("gnmt", 0.4).formula
    widget.select(beam_size=3, temperature=0.5)
    assert (
        widget.trace.token_id.tolist()
        == recorder.search(3, LengthPenalty("gnmt", 0.4), 0.5).token_id.tolist()
    )
    before, view = widget.trace, widget.view
    with pytest.raises(ValueError, match="where no recorded search has been"):
        widget.select(beam_size=9)
    assert widget.trace is before and widget.view == view
    widget.select(step=before.last_step)
    assert "temperature" in widget.view and describe_beam_tree(before) == widget.picture().alt
    widget.select(
        table={"text": "1 0\n0 1", "names": None, "by": "step", "weights": False, "eos": None, "steps": None},
        step=None,
    )
    assert widget.trace.source == "a table typed here" and widget.trace.last_step == 2


def test_a_new_search_extends_the_record_and_is_what_a_new_view_and_a_page_show(tmp_path, monkeypatch):
    widget = BeamTree.from_problem(
        problem(), beam_size=2, beam_sizes=(), temperatures=(), search_text=problem
    )
    sent, synced = [], []
    monkeypatch.setattr(widget, "send", lambda content, buffers=None: sent.append(content))
    monkeypatch.setattr(widget, "send_state", lambda key=None: synced.append(key))
    ask = {"id": "1", "beam_size": 5, "kind": "average", "alpha": 1, "temperature": 2}
    widget._handle_custom_msg({**ask, "want": "search"}, [])
    assert sent[-1]["fields"]["made"]["settings"]["beam_size"] == 5 and synced == []
    assert widget._fields == json.loads(json.dumps(sent[-1]["fields"]))
    expected = Recorder(problem()).search(5, LengthPenalty("average"), 2.0)
    assert widget.trace == expected
    widget.select(beam_size=5, temperature=2, alpha=0)  # replayed: the model's search was recorded
    assert widget.trace.total[widget.trace.best] >= expected.total[expected.best]
    widget._handle_custom_msg({**ask, "want": "text", "text": ""}, [])
    assert sent[-1]["error"] == "There is nothing to search." and widget.trace.source == "a text"
    widget._handle_custom_msg({**ask, "want": "text", "text": "other"}, [])
    assert widget.trace.source == "other"
    widget.select(beam_size=5, temperature=2, alpha=1)
    page = widget.export_html(tmp_path / "beam.html").read_text(encoding="utf-8")
    content = json.loads(re.search(r'<script type="application/json" id="content">(.*)</script>', page)[1])
    assert content["fields"]["tree"]["source"] == "other" and content["fields"]["record"]["source"] == "other"


def test_a_translator_is_searched_with_a_reference():
    translator = load_translator("bahdanau")
    right = "J'aime les chats."
    widget = BeamTree.from_translator(
        translator, "I like cats.", reference=right, beam_size=2, beam_sizes=(), temperatures=(), max_length=9
    )
    assert widget.trace.reference.tolist() == [*translator.encoding.encode(right), translator.eos_id]
    assert "The reference" in widget.picture().alt and widget.view["kind"] == "average"
    with pytest.raises(ValueError, match="at least one character"):
        BeamTree.from_translator(translator, " ")


def test_a_picture_can_be_saved_sharp(tmp_path):
    widget = BeamTree.from_table([[0.5, 0.5], [0.9, 0.1]], beam_size=1, reference=(1, 1))
    text = widget.save_svg(tmp_path / "beam.svg").read_text(encoding="utf-8")
    assert "The reference “1 1” falls out of the beam at step 1, with rank 2." in text


def test_a_closed_tree_is_forgotten(widget):
    for make in (lambda: BeamTree(widget.trace), lambda: BeamTree.from_table(SLIDE, weights=True)):
        kept = weakref.ref(make())
        kept().close()
        gc.collect()
        assert kept() is None
