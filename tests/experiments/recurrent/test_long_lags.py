"""What is kept over a long lag is what the forget gate lets through."""

import math

import pytest
import torch

from course_experiments.recurrent import long_lags as module
from course_experiments.recurrent.long_lags import HIDDEN, STARTS, lag_results, share_right
from course_lib.recurrent import LSTM


def test_a_gate_open_for_the_lag_learns_it():
    assert share_right(math.log(60), seed=0, lag=60, updates=60) == 1


def test_the_start_is_that_of_the_forget_gate_and_of_no_other(monkeypatch):
    made = []

    class Seen(LSTM):
        def __init__(self, *sizes):
            super().__init__(*sizes)
            self.before = self.W_x.bias.detach().clone()
            made.append(self)

    monkeypatch.setattr(module, "LSTM", Seen)
    share_right(math.log(60), seed=0, lag=2, updates=0)
    (layer,) = made
    nothing = torch.zeros(1, HIDDEN)
    now, before = (layer.gates(bias, (nothing, nothing)) for bias in (layer.W_x.bias, layer.before))
    torch.testing.assert_close(now.forget, torch.full((1, HIDDEN), 60 / 61))
    torch.testing.assert_close((now.input, now.output), (before.input, before.output))


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
