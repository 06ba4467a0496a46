"""What is drawn of a lattice must be what trying all paths finds."""

from itertools import product

import numpy as np
import pytest
import torch

from course_lib.decoding.lattice_record import likeliest_path, record_lattice
from course_lib.figures.lattice import moves, runs, shares
from course_lib.seq2seq.ctc import collapse

CLASSES = ("∅", "a", "b")


def drawn(time: int, seed: int = 0) -> torch.Tensor:
    return (2 * torch.randn(time, 3, generator=torch.Generator().manual_seed(seed))).log_softmax(1)


@pytest.mark.parametrize("labels", [(), (1,), (1, 1), (1, 2), (2, 1, 1)])
@pytest.mark.parametrize("seed", range(3))
def test_the_likeliest_path_is_the_best_of_all_that_collapse_to_the_labelling(labels, seed):
    log_probs = drawn(5, seed)
    trace = record_lattice(log_probs, [labels], CLASSES)
    paths = [path for path in product(range(3), repeat=5) if tuple(collapse(path)) == labels]
    best = max(paths, key=lambda path: log_probs[range(5), path].sum().item())
    assert trace.states[0][trace.alignment[0]].tolist() == list(best)
    assert np.exp(trace.log_likelihood[0]) == pytest.approx(
        sum(log_probs[range(5), path].sum().exp().item() for path in paths), rel=1e-5
    )


@pytest.mark.parametrize("labels", [(), (1,), (1, 1), (1, 2)])
def test_every_way_through_the_moves_is_a_path_of_the_labelling_and_there_are_no_others(labels):
    trace = record_lattice(drawn(4), [labels], CLASSES)
    steps, found = {step: [] for step in range(3)}, set()
    for step, state, to in moves(trace, 0):
        steps[step].append((state, to))
    ways = [(state,) for state in {state for state, _ in steps[0]}]
    for step in range(3):
        ways = [(*way, to) for way in ways for state, to in steps[step] if way[-1] == state]
    for way in ways:
        found.add(tuple(trace.states[0][list(way)].tolist()))
    assert found == {path for path in product(range(3), repeat=4) if tuple(collapse(path)) == labels}
    assert len(ways) == len(found)


def test_the_shares_of_a_map_are_those_of_all_paths():
    log_probs = drawn(4)
    trace = record_lattice(log_probs, [(1, 2), (1,)], CLASSES)
    summed = np.zeros((4, 5))
    for path in product(range(3), repeat=4):
        if collapse(path) == [1, 2]:
            first_b = path.index(2)
            for step, label in enumerate(path):
                state = {1: 1, 2: 3}.get(label, 2 if path.index(1) < step < first_b else 4 * (step > first_b))
                summed[step, state] += log_probs[range(4), path].sum().exp().item()
    np.testing.assert_allclose(
        shares(trace, 0, "posterior"), summed / summed.sum(1, keepdims=True), atol=1e-6
    )
    assert shares(trace, 1, "forward").shape == (4, 3)  # padding is left out
    np.testing.assert_allclose(shares(trace, 1, "backward").sum(axis=1), 1)


def test_runs_of_the_best_path():
    sure = torch.tensor([1, 1, 0, 2]).unsqueeze(1)
    log_probs = torch.full((4, 3), 0.05).scatter(1, sure, 0.9).log()
    assert runs(record_lattice(log_probs, [(1, 2)], CLASSES)) == [("a", 0, 2), ("∅", 2, 3), ("b", 3, 4)]


def test_what_cannot_be_aligned_is_refused():
    with pytest.raises(ValueError, match="target 0 cannot be aligned: it needs 3 steps, and there are 2"):
        record_lattice(drawn(2), [(1, 1)], CLASSES)


def test_a_single_state_has_one_path():
    assert likeliest_path(drawn(3).numpy(), np.array([0])).tolist() == [0, 0, 0]
