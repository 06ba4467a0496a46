"""Every dial is turned, and what is said of silence and of feedback is so."""

import numpy as np
import pytest
from scipy import sparse

from course_experiments.reservoir import sweeps as module
from course_experiments.reservoir.forecasts import Forecast
from course_experiments.reservoir.sweeps import DIALS, behaviour, forecast_sweeps, pulses, share_kept
from course_lib.reservoir import EchoStateNetwork


def silent(W):
    """A network of these weights that hears nothing."""
    network = EchoStateNetwork(1, 1, len(W), connections=1, input_scale=0.0)
    network.W = sparse.csr_array(W)
    return network


def turn(angle, size):
    return size * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@pytest.mark.parametrize(
    ("W", "comes_to"),
    [
        (np.array([[0.9]]), "rest"),
        (np.array([[1.5]]), "fixed point"),  # x = tanh(1.5 x)
        (np.array([[-1.5]]), "cycle"),  # the same with a change of sign at each step
        (np.kron(np.roll(np.eye(5), 1, axis=0), [[1.5]]), "cycle"),  # five numbers go around
        (turn(1.0, 1.2), "no period"),  # a turn by 1 never comes back to itself
        (turn(1.0, 0.9), "rest"),
    ],
    ids=["fades", "two ends", "back and forth", "around", "turns", "turns and fades"],
)
def test_networks_whose_future_is_known_come_to_it(W, comes_to):
    start = np.random.default_rng(0).uniform(-1, 1, len(W))
    assert behaviour(silent(W), start) == comes_to


def test_a_strong_network_comes_to_chaos():
    network = EchoStateNetwork(1, 1, 60, spectral_radius=3.0, input_scale=0.0, seed=1)
    assert behaviour(network, np.random.default_rng(1).uniform(-1, 1, 60), steps=1000) == "chaos"


def test_the_last_pulse_is_known_at_each_step():
    sent, last = pulses(500, np.random.default_rng(3))
    now = 0.0
    for pulse, known in zip(sent[:, 0], last[:, 0], strict=True):
        now = pulse or now
        assert known == now
    assert set(np.unique(sent)) == {-1, 0, 1} and 3 < np.count_nonzero(sent) < 25


def test_only_feedback_holds_a_bit_through_silence():
    assert share_kept(0.0, seed=0, steps=1500) < 0.8
    assert share_kept(1.0, seed=0, steps=1500) > 0.95


@pytest.mark.usefixtures("unchecked")
def test_each_dial_is_turned_alone_and_with_every_seed(monkeypatch):
    tried = []

    def pretend(network, beta, starts):
        tried.append(network)
        return Forecast(0.0, 0.01, 0)

    monkeypatch.setattr(module, "forecaster", lambda seed, **settings: (seed, settings))
    monkeypatch.setattr(module, "forecast_mackey_glass", pretend)
    found = {result.id: result.value for result in forecast_sweeps()}
    assert len(tried) == 3 * sum(map(len, DIALS.values())) and len(found) == len(tried) / 3
    assert (2, {"units": 200, "input_scale": 0.3}) in tried and (0, {"units": 50}) in tried
    assert found["reservoir-sweep-law-gaussian"] == found["reservoir-sweep-input-scale-0.03"] == -2
