"""A record of what a model said, and searches that are made again from it."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.applications.translator import load_translator
from course_lib.decoding import LengthPenalty, beam_search
from course_lib.decoding.problem import Recorder, SearchProblem
from course_lib.decoding.replay import NotRecordedError, replay
from course_lib.decoding.temperature import Tempered
from course_lib.traces.expansions import ExpansionTrace

EOS, LONGEST = 0, 5


class ByPrefix:
    """Every prefix has a distribution of its own, drawn from its hash; it counts how often it is asked."""

    def __init__(self, seed, size):
        generator = torch.Generator().manual_seed(seed)
        self.table = (torch.randn(499, size, generator=generator) * 2).log_softmax(-1)
        self.asked = 0

    def __call__(self, tokens, state):
        self.asked += len(tokens)
        state = (state * 31 + tokens + 7) % 499
        return self.table[state], state


def problem(step, size, **more):
    return SearchProblem(
        step, torch.zeros(1, dtype=torch.long), 1, EOS, LONGEST, list("/abcdefghijkl"[:size]), **more
    )


def direct(step, size, k, penalty, temperature):
    first = torch.tensor([1])
    state = torch.zeros(1, dtype=torch.long)
    pieces = list("/abcdefghijkl"[:size])
    return beam_search(Tempered(step, temperature), state, first, EOS, LONGEST, k, penalty, pieces)[0].trace


def same(one, other):
    assert one.token_id.tolist() == other.token_id.tolist() and one.parent.tolist() == other.parent.tolist()
    assert (one.status, one.best, one.penalty) == (other.status, other.best, other.penalty)
    np.testing.assert_allclose(one.score, other.score, atol=1e-5)


@settings(max_examples=25)
@given(
    st.integers(0, 10**6),
    st.integers(2, 6),
    st.integers(1, 4),
    st.sampled_from([LengthPenalty(), LengthPenalty("average", 1.3), LengthPenalty("gnmt", 0.6)]),
    st.sampled_from([0.4, 1.0, 2.5]),
)
def test_what_was_explored_is_replayed_under_every_penalty(seed, size, k, penalty, temperature):
    step = ByPrefix(seed, size)
    recorder = Recorder(problem(step, size))
    recorder.explore((k,), (temperature,))
    record, asked = recorder.record(), step.asked
    again = replay(record, k, penalty, temperature)
    assert step.asked == asked  # the model was not
    same(again, direct(step, size, k, penalty, temperature))
    assert again.rank.tolist() == direct(step, size, k, penalty, temperature).rank.tolist()
    assert again.temperature == temperature


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5), st.sampled_from([1.0, 2.0]))
def test_a_replay_is_right_or_refused(seed, recorded, k, temperature):
    step = ByPrefix(seed, 12)
    recorder = Recorder(problem(step, 12), top=6)
    recorder.search(recorded, LengthPenalty("average"))
    try:
        again = replay(recorder.record(), k, LengthPenalty("average"), temperature)
    except NotRecordedError:
        assert (k, temperature) != (recorded, 1.0)
    else:
        same(again, direct(step, 12, k, LengthPenalty("average"), temperature))


def test_what_is_lacking_is_said():
    step = ByPrefix(0, 12)
    recorder = Recorder(problem(step, 12), top=4)
    with pytest.raises(ValueError, match="nothing is recorded yet"):
        recorder.record()
    recorder.search(2)
    record = recorder.record()
    with pytest.raises(NotRecordedError, match="a beam of 4 needs 5"):
        replay(record, 4)
    with pytest.raises(NotRecordedError, match=r"temperature 0\.55 needs them all.* 0\.2 to 3 in tenths"):
        replay(record, 2, temperature=0.55)
    with pytest.raises(NotRecordedError, match=r"at step . this search looks at what follows “.”"):
        replay(record, 3, temperature=3.0)
    with pytest.raises(ValueError, match="top is 1; allowed is 2 or more"):
        Recorder(problem(step, 12), top=1)
    with pytest.raises(ValueError, match="temperature is 0"):
        replay(record, 2, temperature=0)


def test_more_searches_reach_farther():
    step = ByPrefix(5, 12)
    recorder = Recorder(problem(step, 12))
    recorder.search(1)
    with pytest.raises(NotRecordedError):
        replay(recorder.record(), 4)
    recorder.explore((4,))
    same(replay(recorder.record(), 4), direct(step, 12, 4, LengthPenalty(), 1.0))


def test_the_reference_is_followed_to_where_it_falls_out():
    step = ByPrefix(1, 12)
    whole = direct(step, 12, 2, LengthPenalty(), 1.0)
    worst = int(step.table[1 + 7].argmin())  # after the first token
    recorder = Recorder(problem(step, 12, reference=(worst, EOS)))
    trace = recorder.search(2)
    node = trace.reference_path()[-1]
    assert len(trace.reference_path()) == 2 and trace.status[node] == "pruned"
    assert (trace.token_id[node], trace.rank[node]) == (worst, 11)  # the last of twelve
    assert len(trace) == len(whole) + 1 and trace.token[trace.best] == whole.token[whole.best]
    again = replay(recorder.record(), 2, reference=(trace.reference.tolist(), trace.reference_token))
    assert again == trace
    best = tuple(int(whole.token_id[n]) for n in whole.path(whole.best)[1:])
    found = Recorder(problem(step, 12, reference=best)).search(2)
    assert found.reference_path() == found.path(found.best) and len(found) == len(whole)


def test_a_record_survives_the_disk(tmp_path):
    recorder = Recorder(problem(ByPrefix(2, 12), 12), top=5)
    recorder.search(3)
    record = recorder.record()
    assert ExpansionTrace.load(record.save(tmp_path / "record.npz")) == record


def test_a_translators_problem():
    translator = load_translator("bahdanau")
    text, right = "I like cats.", "J'aime les chats."
    asked = SearchProblem.translation(translator, text, reference=right)
    assert asked.reference == (*translator.target_encoding.encode(right), translator.eos_id)
    assert asked.max_length == 2 * len(translator.source_pieces(text)) + 5
    trace = Recorder(asked).search(3, LengthPenalty("average"))
    found = translator.search(text, 3, LengthPenalty("average"), asked.max_length).trace
    best = [int(found.token_id[n]) for n in found.path(found.best)]
    assert [int(trace.token_id[n]) for n in trace.path(trace.best)] == best
    with pytest.raises(ValueError, match="at least one character to read"):
        SearchProblem.translation(translator, " ")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bounds": [0, 2]}, "bounds go from 0"),
        ({"bounds": [0, 2, 1, 3]}, "never fall"),
        ({"log_prob": [-0.2, -0.1, -1.0]}, "likeliest first"),
        ({"log_prob": [0.5, -0.1, -1.0]}, "at most 0"),
        ({"following": [1, -2, -1]}, "following"),
        ({"known": [1, 0], "token": ("a", "b")}, "known"),
        ({"known": [0], "token": ("a",)}, "known"),
        ({"start": 2}, "start"),
        ({"max_length": 0}, "max_length"),
        ({"normaliser": np.zeros((1, 0))}, "normaliser"),
    ],
)
def test_what_is_no_record_is_refused(changes, message):
    fields = {
        "bounds": [0, 2, 3],
        "token_id": [0, 1, 1],
        "log_prob": [-0.1, -2.0, -1.0],
        "following": [1, -1, -1],
        "known": [0, 1],
        "token": ("a", "b"),
        "temperatures": (),
        "normaliser": np.zeros((2, 0)),
        "start": 0,
        "max_length": 2,
        "eos": None,
        "top": None,
    }
    ExpansionTrace(**fields)
    with pytest.raises(ValueError, match=message):
        ExpansionTrace(**{**fields, **changes})
