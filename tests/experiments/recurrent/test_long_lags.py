"""What is kept over a long lag is what the forget gate lets through."""

import math

import pytest
import torch

from course_experiments.recurrent import long_lags as module
from course_experiments.recurrent.long_lags import LAG, STARTS, fresh_layer, lag_results, share_right


def test_the_bias_is_that_of_the_forget_gates():
    """Without inputs and states, σ of the biases is what the gates of the layer say."""
    layer = fresh_layer(math.log(LAG))
    nothing = torch.zeros(1, layer.hidden_size)
    gates = layer.gates(layer.W_x(torch.zeros(1, 1)), (nothing, nothing))
    torch.testing.assert_close(gates.forget, torch.full_like(nothing, LAG / (LAG + 1)))
    assert max(gates.input.max(), gates.output.max()) < 0.9


def test_a_gate_open_for_the_lag_learns_it():
    assert share_right(math.log(60), seed=0, lag=60, updates=60) == 1


@pytest.mark.parametrize("forget_bias", [None, 1.0])
def test_what_has_faded_to_nothing_leaves_both_bits_the_same_answer(forget_bias):
    """σ(1)³⁰⁰ is 10⁻⁴¹: both sequences end in one state, and one of the two bits is told right."""
    assert share_right(forget_bias, seed=0, lag=300, updates=2) == 0.5


@pytest.mark.usefixtures("unchecked")
def test_every_start_is_measured_on_every_seed(monkeypatch):
    asked = []

    def pretend(forget_bias, seed):
        asked.append((forget_bias, seed))
        return 0.5 if seed else 1.0

    monkeypatch.setattr(module, "share_right", pretend)
    found = {result.id: (result.value, result.spread) for result in lag_results()}
    assert asked == [(forget_bias, seed) for forget_bias in STARTS.values() for seed in range(5)]
    assert set(found) == {"long-lag-without-gates", "long-lag-bias-1", "long-lag-bias-ln-lag"}
    value, spread = found["long-lag-bias-1"]
    assert value == pytest.approx(60) and spread == pytest.approx(50 / 5**0.5, abs=1e-3)
