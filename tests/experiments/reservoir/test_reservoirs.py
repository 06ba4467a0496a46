import numpy as np
import pytest
import torch

from course_experiments.reservoir.digits import classified, faded, flat, temporal_xor
from course_experiments.reservoir.dynamics import lyapunov_exponent, weight_changes
from course_experiments.reservoir.forecasts import (
    error_ahead,
    forecaster,
    lagged,
    mackey_glass_series,
    sunspot_errors,
    sunspots_by_line,
    sunspots_by_reservoir,
)
from course_lib.data import load_sunspots
from course_lib.data.mnist import load_mnist
from course_lib.reservoir import Echo, EchoStateNetwork, LiquidStateMachine, ridge, with_bias


@pytest.mark.parametrize("radius", [0.3, 0.9])
def test_in_silence_the_gap_shrinks_by_the_spectral_radius(radius):
    """Around zero tanh is a line, and W alone acts."""
    network = EchoStateNetwork(1, 1, 50, spectral_radius=radius, input_scale=0.0, seed=1)
    exponent = lyapunov_exponent(network, np.zeros((1500, 1)))
    assert exponent == pytest.approx(np.log(radius), abs=0.02)


def test_the_exponent_is_that_of_the_jacobians():
    """The product of the true derivatives, diag(1 − x²) W, carries a vector just as far."""
    network = EchoStateNetwork(1, 1, 40, spectral_radius=1.4, seed=2)
    inputs = mackey_glass_series(600)
    states, W = network.listen(inputs)[0], network.W.toarray()
    v, growth = np.random.default_rng(5).normal(size=40), []
    for x in states:
        v = (1 - x**2) * (W @ v)
        growth.append(np.log(np.linalg.norm(v)))
        v /= np.linalg.norm(v)
    assert lyapunov_exponent(network, inputs) == pytest.approx(np.mean(growth[120:]), abs=0.01)


def test_no_recurrence_joins_two_states_at_once():
    network = EchoStateNetwork(1, 1, 10, spectral_radius=0.0)
    assert lyapunov_exponent(network, np.zeros((10, 1))) == -np.inf
    with pytest.raises(ValueError, match="network has feedback"):
        lyapunov_exponent(EchoStateNetwork(1, 1, 10, feedback_scale=1.0), np.zeros((10, 1)))


def test_the_error_ahead_is_that_of_free_runs_made_one_by_one():
    series, network = mackey_glass_series(1000), forecaster(60, seed=3)
    network.fit(series[:500], series[1:501], washout=100, beta=1e-6)
    gaps = []
    for start in (501, 538, 575):
        echo = network.listen(series[: start - 1])[1]
        free = network.generate(20, Echo(echo.x, series[start - 1]))
        gaps.append(free[-1, 0] - series[start + 19, 0])
    expected = np.sqrt(np.mean(np.square(gaps)) / series.var())
    assert error_ahead(network, series, 501, ahead=20, starts=3) == pytest.approx(expected)
    with pytest.raises(ValueError, match="series has 1000 steps; 3019 are needed"):
        error_ahead(network, series, 501, starts=66, ahead=113)


def test_lags_hold_the_newest_first():
    assert lagged(np.arange(5.0)[:, None], 2).tolist() == [[1, 0], [2, 1], [3, 2]]


def test_sunspot_errors_are_those_of_the_years_asked():
    spots = load_sunspots()
    errors = sunspot_errors(lambda series: series[:-1])
    true, before = spots.between(1921, 1955), spots.between(1920, 1954)
    assert errors.near == pytest.approx(((true - before) ** 2).mean() / spots.between(1700, 1979).var())
    assert sunspot_errors(lambda series: series[1:]) == pytest.approx((0, 0), abs=1e-12)


@pytest.mark.parametrize("forecast", [sunspots_by_line, sunspots_by_reservoir(0)])
def test_no_forecast_of_the_sun_learns_from_its_future(forecast):
    series = load_sunspots().numbers[:, None] / 100
    other = series.copy()
    other[221:] = 0.7
    np.testing.assert_allclose(forecast(series)[:220], forecast(other)[:220])
    assert np.abs(forecast(series)[221:] - forecast(other)[221:]).max() > 0.1


def test_fading_is_a_sum_step_by_step():
    inputs, kept = np.random.default_rng(0).normal(size=(30, 2)), np.zeros(2)
    for row in inputs:
        kept = np.exp(-2 / 50) * kept + row
    np.testing.assert_allclose(faded(inputs, 50, 2), kept)


def test_labels_held_out_choose_beta_and_test_labels_are_never_seen():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 120)
    features = np.eye(3)[labels] + 0.1 * rng.normal(size=(120, 3))
    held_out = np.arange(120) >= 60
    assert (classified(features[:90], labels[:90], held_out[:90], features[90:]) == labels[90:]).all()


def test_spiking_neurons_tell_what_no_fading_sum_tells():
    rng = np.random.default_rng(0)
    patterns, labels = temporal_xor(140, rng)
    machine, targets = LiquidStateMachine(2, 100, seed=1), np.eye(2)[labels]
    shares = {}
    for name, features in (
        ("spikes", np.array([machine.run(inputs).traces[-1] for inputs in patterns])),
        ("sum", np.array([faded(inputs, 30, 1) for inputs in patterns])),
    ):
        weights = ridge(with_bias(features[:100]), targets[:100], 1.0)
        shares[name] = ((with_bias(features[100:]) @ weights.T).argmax(1) == labels[100:]).mean()
    assert shares["spikes"] > 0.85 and shares["sum"] < 0.75


def test_weights_that_get_no_step_do_not_change():
    still = weight_changes(torch.optim.SGD, 0.0, updates=2, units=10, taught=300)
    assert still.changes == still.moves == {"W_in": 0, "W": 0, "W_out": 0}
    assert still.errors["ridge before"] == still.errors["ridge after"]
    moved = weight_changes(torch.optim.SGD, 0.1, updates=20, units=10, taught=300)
    assert all(change > 0 for change in moved.changes.values())
    assert moved.errors["gradient"] < still.errors["gradient"]


def test_all_digits_are_read_by_rows():
    digits = load_mnist().test
    assert flat(digits)[3, 28 * 5 + 7] == digits.images[3, 5, 7] / 255
