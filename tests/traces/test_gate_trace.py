"""What the gate trace accepts, refuses and keeps."""

from collections import namedtuple

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from course_lib.recurrent import GRU, LSTM, CoupledLSTM, from_torch
from course_lib.traces import AttentionTrace, GateTrace

VALUES = np.array([[[0.25, 1.0]], [[-3.0, 7.5]]])  # input and cell, one character, two units


def make(values=VALUES, quantities=("input", "cell"), characters=("a",), **others):
    return GateTrace(values, quantities, characters, **others)


@given(characters=st.lists(st.text(st.characters()), min_size=1, max_size=4), title=st.text())
def test_every_string_survives_saving(tmp_path_factory, characters, title):
    values = np.full((2, len(characters), 3), 0.5)
    values[1, 0, 0] = np.nan
    trace = make(values, characters=characters, title=title)
    loaded = GateTrace.load(trace.save(tmp_path_factory.mktemp("trace") / "run"))
    assert loaded == trace
    assert loaded.characters == tuple(characters)
    assert len(loaded) == len(characters)


def test_another_kind_of_trace_is_not_loaded(tmp_path):
    with pytest.raises(ValueError, match=r"must hold AttentionTrace, but .* holds GateTrace"):
        AttentionTrace.load(make().save(tmp_path / "run"))


def test_a_trace_cannot_be_changed():
    mine = VALUES.copy()
    trace = make(mine)
    mine[:] = 0
    assert trace.values[1, 0, 1] == 7.5
    with pytest.raises(ValueError, match="read-only"):
        trace.values[0] = 0
    with pytest.raises(AttributeError):
        trace.title = "other"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"values": VALUES[0]}, r"values must have the axes \(quantities, characters, units\)"),
        ({"values": VALUES[..., :0]}, "values must have no empty axis"),
        ({"values": VALUES[:, :0], "characters": ()}, "values must have no empty axis"),
        ({"characters": ("a", "b")}, "characters has 2 characters, but values has 1"),
        ({"quantities": ("input",)}, "quantities has 1 quantities, but values has 2"),
        ({"quantities": ("input", "memory")}, "quantities must be among input, forget, .*got 'memory'"),
        ({"quantities": ("cell", "cell")}, "quantities must differ, got 'cell' twice"),
        ({"quantities": ("input", "forget")}, "forget must lie in 0 to 1, but character 0, unit 0 has -3"),
        ({"quantities": ("input", "hidden")}, "hidden must lie in -1 to 1, but character 0, unit 0 has -3"),
        ({"values": np.where(VALUES > 7, np.inf, VALUES)}, "cell must be finite or NaN, got infinity"),
    ],
)
def test_refused_values(wrong, message):
    with pytest.raises(ValueError, match=message):
        make(**wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"characters": (1,)}, "characters must hold strings, got int 1"),
        ({"characters": "a"}, "characters must be a tuple of str"),
        ({"values": VALUES.astype(str)}, "values must hold float32 values"),
    ],
)
def test_refused_types(wrong, message):
    with pytest.raises(TypeError, match=message):
        make(**wrong)


def test_a_watched_lstm_shows_the_states_of_torch():
    torch.manual_seed(0)
    theirs = nn.LSTM(5, 4, batch_first=True)
    inputs = torch.randn(1, 6, 5)
    trace = GateTrace.from_watch(from_torch(theirs).rnns[0].watch(inputs), "abc\n😀 ")
    hidden, (_, last_cell) = theirs(inputs)
    assert trace.quantities == ("input", "forget", "output", "candidate", "cell", "hidden")
    assert trace.characters == ("a", "b", "c", "\n", "😀", " ")
    np.testing.assert_allclose(trace.of("hidden"), hidden[0].detach(), atol=1e-6)
    np.testing.assert_allclose(trace.of("cell")[-1], last_cell[0, 0].detach(), atol=1e-6)


@pytest.mark.parametrize("kind", [GRU, CoupledLSTM, LSTM])
def test_what_is_traced_obeys_the_equations(kind):
    torch.manual_seed(0)
    trace = GateTrace.from_watch(kind(3, 4).watch(torch.randn(1, 7, 3)), "sevenly")
    kept, taken, memory = (
        ("update", 1 - trace.of("update"), "hidden") if kind is GRU else ("forget", trace.of("input"), "cell")
    )
    before = np.vstack([np.zeros((1, 4)), trace.of(memory)[:-1]])
    after = trace.of(kept) * before + taken * trace.of("candidate")
    np.testing.assert_allclose(trace.of(memory), after, atol=1e-6)


def test_a_watched_batch_must_be_one_text():
    gates = LSTM(3, 4).watch(torch.zeros(2, 1, 3))
    with pytest.raises(ValueError, match="gates must be of one text, got a batch of 2"):
        GateTrace.from_watch(gates, "a")
    with pytest.raises(TypeError, match=r"gates must be a named tuple, .*got tuple"):
        GateTrace.from_watch(tuple(gates), "a")
    with pytest.raises(ValueError, match="characters has 2 characters, but values has 1"):
        GateTrace.from_watch(GRU(3, 4).watch(torch.zeros(1, 1, 3)), "ab")


def test_arrays_without_a_batch_are_taken_too():
    gates = namedtuple("Gates", "reset hidden")(np.ones((2, 3)), -np.ones((2, 3)))
    assert GateTrace.from_watch(gates, "ab").of("hidden")[1, 2] == -1


def test_only_a_cell_has_a_scale_of_its_own():
    trace = make()
    assert (trace.reach("input"), trace.reach("cell")) == (1, 7.5)
    assert make(VALUES / 100).reach("cell") == 1
    assert make(np.full_like(VALUES, np.nan)).reach("cell") == 1
    assert [name for name in ("forget", "cell", "hidden", "candidate", "reset") if trace.is_signed(name)] == [
        "cell",
        "hidden",
        "candidate",
    ]
    with pytest.raises(ValueError, match="quantity must be one of input, cell, got 'forget'"):
        trace.of("forget")
