import numpy as np
import pytest
from sklearn.linear_model import Ridge

from course_lib.reservoir.measures import horizon, memory_curve, nrmse
from course_lib.reservoir.readout import ridge, with_bias


def data(time=60, features=8, outputs=3):
    rng = np.random.default_rng(0)
    return rng.normal(size=(time, features)), rng.normal(size=(time, outputs))


@pytest.mark.parametrize("beta", [1e-6, 0.1, 100.0])
def test_the_readout_is_the_formula_of_the_paper_and_that_of_scikit_learn(beta):
    features, targets = data()
    W = ridge(features, targets, beta)
    X, Y = features.T, targets.T
    np.testing.assert_allclose(W, Y @ X.T @ np.linalg.inv(X @ X.T + beta * np.eye(8)), rtol=1e-9)
    np.testing.assert_allclose(
        W, Ridge(alpha=beta, fit_intercept=False).fit(features, targets).coef_, rtol=1e-9
    )


def test_the_readout_has_no_gradient_left():
    """At the least loss a step in any direction costs more: 2 (W X − Y) Xᵀ + 2 β W = 0."""
    features, targets = data()
    W = ridge(features, targets, 0.5)
    np.testing.assert_allclose((W @ features.T - targets.T) @ features + 0.5 * W, 0, atol=1e-10)


def test_without_beta_it_is_least_squares_of_least_norm():
    features, targets = data(time=5)  # fewer steps than features: many readouts fit
    W = ridge(features, targets, 0)
    np.testing.assert_allclose(W @ features.T, targets.T, atol=1e-10)
    np.testing.assert_allclose(W, (np.linalg.pinv(features) @ targets).T, atol=1e-10)


def test_a_bias_is_a_feature_of_ones():
    assert with_bias(np.array([[2.0], [3.0]]), np.array([[4.0], [5.0]])).tolist() == [[1, 2, 4], [1, 3, 5]]


@pytest.mark.usefixtures("unchecked")
def test_what_cannot_be_fitted_is_refused():
    features, targets = data()
    with pytest.raises(ValueError, match="beta is -1; allowed is a finite number, 0 or more"):
        ridge(features, targets, -1)
    with pytest.raises(ValueError, match="features have 60 rows, targets 59"):
        ridge(features, targets[1:], 1)
    with pytest.raises(ValueError, match=r"targets have shape \(60,\); allowed is \(time, any\)"):
        ridge(features, targets[:, 0], 1)
    twins = np.hstack([1e8 * features, 1e8 * features])
    with pytest.raises(ValueError, match="need a larger one, or 0"):
        ridge(twins, targets, 1e-12)
    features[17, 2] = np.nan
    with pytest.raises(ValueError, match="features hold a NaN or an infinity at step 17"):
        ridge(features, targets, 1)


@pytest.mark.usefixtures("unchecked")
def test_the_error_by_hand():
    target = np.array([[0.0], [2.0], [0.0], [2.0]])
    assert nrmse(target, target) == 0
    assert nrmse(np.ones((4, 1)), target) == pytest.approx(1)  # always the mean
    assert nrmse(target + 0.5, target) == pytest.approx(0.5)
    assert horizon(target + np.array([[0.0], [0.3], [0.6], [0.0]]), target, tolerance=0.5) == 2
    assert horizon(target, target, tolerance=0.5) == 4
    for measure in (nrmse, lambda p, t: horizon(p, t, 0.5)):
        with pytest.raises(ValueError, match="target never changes"):
            measure(target, np.ones((4, 1)))
        with pytest.raises(ValueError, match="predicted has 3 steps; allowed is 4"):
            measure(target[1:], target)
    with pytest.raises(ValueError, match="tolerance is 0"):
        horizon(target, target, 0)


def test_a_line_of_five_delays_remembers_five_inputs_and_not_the_sixth():
    u = np.random.default_rng(0).uniform(-1, 1, (4000, 1))
    states = np.hstack([np.roll(u, k, axis=0) for k in range(1, 6)])
    curve = memory_curve(states, u, 12)
    np.testing.assert_allclose(curve[:5], 1)
    assert curve[5:].max() < 0.02 and curve.sum() == pytest.approx(5, abs=0.05)


def test_states_that_never_change_remember_nothing():
    u = np.random.default_rng(0).uniform(-1, 1, (400, 1))
    assert memory_curve(np.ones((400, 3)), u, 5).max() < 1e-6


@pytest.mark.usefixtures("unchecked")
def test_a_memory_longer_than_the_series_is_refused():
    with pytest.raises(ValueError, match="longest is 100; allowed are 1 to 99"):
        memory_curve(np.zeros((400, 3)), np.zeros((400, 1)), 100)
    with pytest.raises(ValueError, match="states have 400 steps, inputs 300"):
        memory_curve(np.zeros((400, 3)), np.zeros((300, 1)), 5)


def test_memory_is_measured_where_the_readout_did_not_learn():
    """As many features of noise as steps fit any past of the half that they learn on, and tell nothing."""
    rng = np.random.default_rng(0)
    curve = memory_curve(rng.normal(size=(400, 180)), rng.uniform(-1, 1, (400, 1)), 5)
    assert curve.max() < 0.2  # on the half that was learned from it would be above 0.85
