"""The browser's replay of a record finds what Python's beam search finds with the distributions."""

import itertools

import pytest
from parity import (
    EOS,
    PENALTIES,
    PLAIN,
    SIZES,
    TABLES,
    TEMPERATURES,
    direct,
    markov,
    packed,
    problem,
)

from course_lib.decoding import LengthPenalty
from course_lib.decoding.problem import Recorder
from course_lib.decoding.replay import NotRecordedError, replay
from course_lib.decoding.table import read_table, table_record
from course_lib.widgets import BeamTree

pytest.importorskip("playwright.sync_api")


@pytest.fixture(scope="module")
def run(browser):
    """Call a function of the module: run("replayBeam", records, [[which, settings], …]) -> results."""
    page = browser.new_page()
    script = """async ([text, name, shared, calls]) => {
        const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
        const act = (await import(address))[name];
        const attempt = (which, ...rest) => {
            try { return act(shared[which], ...rest); } catch (error) { return { error: error.message }; }
        };
        return calls.map((call) => attempt(...call));
    }"""
    yield lambda name, shared, calls: page.evaluate(script, [BeamTree._esm, name, shared, calls])
    page.close()


def same(told, trace):
    got = told["trace"]
    for name in ("parent", "step", "token_id", "rank"):
        assert got[name]["data"] == getattr(trace, name).tolist(), name
    assert (got["status"], got["token"], got["best"]) == (list(trace.status), list(trace.token), trace.best)
    for name in ("log_prob", "total", "score"):
        assert got[name]["data"] == pytest.approx(getattr(trace, name).tolist(), abs=1e-5), name


@pytest.mark.usefixtures("unchecked")
def test_a_whole_record_gives_the_tree_of_every_search(run):
    reference = (2, 1, 2, EOS)
    records, wanted, calls = [], [], []
    for seed in range(4):
        table = markov(seed, 3 + seed % 5)
        recorder = Recorder(problem(table))
        recorder.explore(SIZES, TEMPERATURES)
        records.append(packed(recorder.record()))
        for size, (kind, alpha), temperature in itertools.product(SIZES, PENALTIES, TEMPERATURES):
            settings = {"beam_size": size, "kind": kind, "alpha": alpha, "temperature": temperature}
            calls.append([seed, settings, reference])
            wanted.append(direct(table, size, LengthPenalty(kind, alpha), temperature, reference))
    for told, trace in zip(run("replayBeam", records, calls), wanted, strict=True):
        same(told, trace)
    assert len(wanted) == 144 and len({trace.best for trace in wanted}) > 10


def test_a_partial_record_gives_the_right_tree_or_says_what_it_lacks(run):
    """Eight of thirty tokens are recorded: the rest is known by its sum alone, at recorded temperatures."""
    penalty = LengthPenalty("average", 0.8)
    tables = [(markov(seed, 30) * 3).log_softmax(-1) for seed in range(3)]
    records = []
    for table in tables:
        recorder = Recorder(problem(table), top=8)
        recorder.explore((2, 3), (1.0,))
        recorder.explore((3,), (2.0,))
        records.append(recorder.record())
    asked = [(1, 1.0), (2, 1.0), (3, 1.0), (4, 1.0), (7, 1.0), (8, 1.0), (3, 2.0), (3, 0.33)]
    calls = [
        [which, {"beam_size": size, "kind": "average", "alpha": 0.8, "temperature": temperature}]
        for which in range(3)
        for size, temperature in asked
    ]
    lacks = []
    for told, (which, settings) in zip(
        run("replayBeam", list(map(packed, records)), calls), calls, strict=True
    ):
        size, temperature = settings["beam_size"], settings["temperature"]
        try:
            twin = replay(records[which], size, penalty, temperature)
        except NotRecordedError as error:
            assert told == {"missing": str(error)}
            lacks.append(str(error))
            continue
        same(told, twin)
        truth = direct(tables[which], size, penalty, temperature, None)
        assert (told["trace"]["token_id"]["data"], told["trace"]["best"]) == (
            truth.token_id.tolist(),
            truth.best,
        )
        for rank, true_rank in zip(told["trace"]["rank"]["data"], truth.rank.tolist(), strict=True):
            assert rank == true_rank or 8 <= rank < true_rank  # the widget says "or beyond"
    assert 6 <= len(lacks) <= 15  # of 24; sizes 2 and 3 at 1, and 3 at 2, never lack anything
    for part in (
        "a beam of 8 needs 9",
        "temperature 0.33 needs them all",
        "where no recorded search has been",
    ):
        assert any(part in message for message in lacks)


def test_a_typed_table_is_read_and_refused_as_in_python(run):
    forms = [{"text": text, **PLAIN, **more} for text, more in TABLES]
    refused = 0
    for form, told in zip(
        forms, run("recordOfTable", forms, [[i, "here"] for i in range(len(forms))]), strict=True
    ):
        try:
            names, rows = read_table(form["text"])
            rest = {name: form[name] for name in ("by", "weights", "eos", "steps")}
            expected = packed(table_record(rows, names or form["names"], source="here", **rest))
        except ValueError as error:
            assert told == {"error": str(error)}
            refused += 1
            continue
        for name in ("bounds", "token_id", "following", "known"):
            assert told[name]["data"] == expected[name]["data"], (form, name)
        assert told["log_prob"]["data"] == pytest.approx(expected["log_prob"]["data"], rel=1e-7)
        assert list(told["token"]) == list(expected["token"])
        for name in ("start", "max_length", "eos", "top", "source"):
            assert told[name] == expected[name]
    assert refused == 12
