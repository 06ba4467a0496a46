"""The temporal order problem is the paper's, and Ω acts on training."""

import pytest
import torch

from course_experiments.recurrent import temporal_order as module
from course_experiments.recurrent.temporal_order import (
    METHODS,
    Method,
    OrderRun,
    order_id,
    order_results,
    train_order,
)
from course_lib.data.memory_tasks import temporal_order


@pytest.mark.parametrize("length", [10, 50, 73])
def test_the_class_is_what_a_reader_of_the_symbols_would_say(length):
    inputs, orders = temporal_order(200, length, torch.Generator().manual_seed(0))
    assert torch.equal(inputs.sum(dim=-1), torch.ones(200, length))
    seen = set()
    for symbols, order in zip(inputs.argmax(dim=-1).tolist(), orders.tolist(), strict=True):
        [(first, early), (second, late)] = [(t, "AB"[s]) for t, s in enumerate(symbols) if s < 2]
        assert length // 10 <= first < 2 * length // 10
        assert 4 * length // 10 <= second < 5 * length // 10
        assert ["AA", "AB", "BA", "BB"][order] == early + late
        seen.add(order)
    assert seen == {0, 1, 2, 3}


def test_a_sequence_without_room_for_two_marks_is_refused():
    with pytest.raises(ValueError, match="length is 9; allowed is 10 or more"):
        temporal_order(1, 9, torch.Generator())


def test_the_penalty_brings_each_step_back_nearer_to_keeping_the_norm():
    """With Ω alone at work, a step back changes the norm of the error less than before."""
    runs = {
        alpha: train_order(Method(alpha, lambda weights: torch.optim.SGD(weights, 0.03)), 30, length=20)
        for alpha in (0.0, 5.0)
    }
    inputs, orders = temporal_order(64, 20, torch.Generator().manual_seed(1))

    def first_over_last(run):
        states = [h.requires_grad_() for (h,) in run.layer.unroll(inputs, run.layer.zero_state(64))]
        loss = torch.nn.functional.cross_entropy(run.head(states[-1]), orders, reduction="sum")
        first, last = torch.autograd.grad(loss, [states[0], states[-1]])
        return float(first.norm() / last.norm())

    assert abs(first_over_last(runs[5.0]) - 1) < abs(first_over_last(runs[0.0]) - 1)
    assert first_over_last(runs[5.0]) > 3 * first_over_last(runs[0.0])


def test_training_learns_a_short_order():
    run = train_order(METHODS["Adam"], 250, length=10)
    assert len(run.right) == 250
    assert run.right[0] < 0.6 < 0.9 < run.reached


@pytest.mark.usefixtures("unchecked")
def test_every_method_is_measured_on_every_seed(monkeypatch):
    asked = []

    def pretend(method, steps, seed):
        asked.append((method, seed))
        return OrderRun(None, None, [0.25 if seed else 1.0] * steps, 0.0)

    monkeypatch.setattr(module, "train_order", pretend)
    found = {result.id: (result.value, result.spread) for result in order_results()}
    assert asked == [(method, seed) for method in METHODS.values() for seed in range(5)]
    assert set(found) == {order_id(name) for name in METHODS}
    value, spread = found["temporal-order-gradient-descent-with-omega"]
    assert value == pytest.approx(40) and spread == pytest.approx(75 / 5**0.5, abs=1e-3)
