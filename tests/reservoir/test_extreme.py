import numpy as np
import pytest

from course_lib.reservoir.extreme import ExtremeLearningMachine


def data(count=400):
    x = np.random.default_rng(0).uniform(-1, 1, (count, 2))
    return x, np.sign(x[:, :1] * x[:, 1:])  # exclusive or: no line tells it


def test_it_is_least_squares_on_fixed_features():
    x, y = data()
    machine = ExtremeLearningMachine(2, 30)
    machine.fit(x, y, beta=0)
    hidden = np.column_stack([np.ones(len(x)), np.tanh(x @ machine.W_in.T + machine.b)])
    expected, *_ = np.linalg.lstsq(hidden, y)
    np.testing.assert_allclose(machine.predict(x), hidden @ expected, atol=1e-8)


def test_it_tells_what_no_line_tells():
    x, y = data()
    machine = ExtremeLearningMachine(2, 200, scale=3.0)
    machine.fit(x[:300], y[:300], beta=1e-3)
    assert (np.sign(machine.predict(x[300:])) == y[300:]).mean() > 0.9
    line, *_ = np.linalg.lstsq(np.column_stack([np.ones(300), x[:300]]), y[:300])
    assert (np.sign(np.column_stack([np.ones(100), x[300:]]) @ line) == y[300:]).mean() < 0.7


def test_fitting_leaves_the_hidden_layer_alone():
    machine, (x, y) = ExtremeLearningMachine(2, 10, seed=5), data()
    before = machine.features(x)
    machine.fit(x, y, beta=1)
    assert np.array_equal(machine.features(x), before)
    assert np.array_equal(ExtremeLearningMachine(2, 10, seed=5).features(x), before)
    assert not np.allclose(ExtremeLearningMachine(2, 10, seed=6).features(x), before)


def test_what_does_not_fit_is_refused():
    x, y = data()
    with pytest.raises(ValueError, match="units is 0"):
        ExtremeLearningMachine(2, 0)
    machine = ExtremeLearningMachine(2, 10)
    with pytest.raises(ValueError, match="no readout; call fit first"):
        machine.predict(x)
    with pytest.raises(ValueError, match=r"inputs have shape \(400, 1\); allowed is \(time, 2\)"):
        machine.fit(x[:, :1], y, 1)
    x[3] = np.nan
    with pytest.raises(ValueError, match="NaN or an infinity at step 3"):
        machine.fit(x, y, 1)


def test_the_scale_is_the_spread_of_what_a_unit_gets_and_the_reach_of_its_bias():
    machine = ExtremeLearningMachine(16, 4000, scale=2.5, seed=1)
    inputs = np.random.default_rng(2).normal(size=(2000, 16))
    spread = (inputs @ machine.W_in.T).std()
    assert spread == pytest.approx(2.5, rel=0.05)
    assert 0.98 * 2.5 < np.abs(machine.b).max() <= 2.5
    assert machine.b.std() == pytest.approx(2.5 / 3**0.5, rel=0.05)  # evenly spread
