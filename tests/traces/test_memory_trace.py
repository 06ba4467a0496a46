"""What a trace of a memory refuses, and how it is made from a run."""

import numpy as np
import pytest
import torch

from course_lib.applications.tapes import film
from course_lib.memory.dnc import DifferentiableNeuralComputer
from course_lib.memory.turing_machine import NeuralTuringMachine
from course_lib.traces import MemoryTrace

EYE = np.eye(3, dtype=np.float32)


def make(**changes):
    given = {"write": EYE, "read": EYE, "rows": np.ones((3, 3, 2)), "inputs": EYE, "outputs": EYE}
    return MemoryTrace(**{**given, "steps": ("a", "b", "c"), **changes})


def test_it_comes_back_from_a_file(tmp_path):
    trace = make(title="here")
    assert len(trace) == 3 and MemoryTrace.load(trace.save(tmp_path / "trace")) == trace


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"write": EYE * 2}, "write must lie in 0 to 1, got 0 to 2"),
        ({"read": -EYE}, "read must lie in 0 to 1, got -1 to"),
        ({"read": EYE + 0.3 * EYE[::-1]}, "read must lie in 0 to 1"),
        ({"write": np.full((3, 3), 0.5)}, "write must sum to at most 1, but step 0 has 1.5"),
        ({"rows": np.full((3, 3, 2), np.nan)}, "rows must be finite, got nan"),
        ({"inputs": np.ones((3, 0))}, "inputs must have no empty axis"),
        ({"read": np.eye(2)}, "read has 2 steps, but write has 3"),
        ({"steps": ("a", "b")}, "steps has 2 steps, but write has 3"),
    ],
)
def test_what_is_no_memory_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        make(**changes)


@pytest.mark.parametrize("kind", [NeuralTuringMachine, DifferentiableNeuralComputer])
@torch.no_grad()
def test_a_film_holds_what_the_run_left(kind):
    torch.manual_seed(0)
    network, inputs = kind(2, 3, 4, rows=5, size=3), torch.rand(6, 2)
    trace = film(network, inputs, "abcdef", title="a run")
    outputs, track = network(inputs.unsqueeze(0))
    left = track.memory if kind is NeuralTuringMachine else track.memory.rows
    np.testing.assert_allclose(trace.rows[-1], left[0].numpy(), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(trace.read.ravel(), track.read_weights.numpy().ravel())
    np.testing.assert_allclose(trace.write, track.write_weights[0].numpy())
    np.testing.assert_allclose(trace.outputs, outputs[0].sigmoid().numpy())
    assert trace.steps == tuple("abcdef") and trace.title == "a run"
