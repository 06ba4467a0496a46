"""What a stranger may hand to a reservoir: a clear error, or a result that is defined."""

import math

import numpy as np
import pytest
import torch

from course_lib.reservoir import (
    Echo,
    EchoStateNetwork,
    ExtremeLearningMachine,
    LiquidStateMachine,
    Neuron,
    memory_curve,
    nrmse,
    ridge,
)

pytestmark = pytest.mark.usefixtures("unchecked")


def series(steps=40):
    return np.random.default_rng(0).uniform(-0.5, 0.5, (steps, 1))


@pytest.fixture
def trained():
    network, wave = EchoStateNetwork(1, 1, 20), series()
    network.fit(wave[:-1], wave[1:], washout=5, beta=1e-3)
    return network


@pytest.mark.parametrize("values", [torch.ones(5, 1), [[1.0], [2.0]], np.array([["a"]]), np.array([[1j]])])
def test_a_series_that_is_no_array_of_numbers_is_refused(trained, values):
    """A tensor used to be told that it holds a NaN."""
    for hear in (trained.run, ExtremeLearningMachine(1, 5).features, LiquidStateMachine(1, 5, 2).run):
        with pytest.raises(TypeError, match=r"inputs are of type .*; allowed is a numpy array of numbers"):
            hear(values)


def test_whole_numbers_and_yes_or_no_are_heard_as_numbers(trained):
    heard = trained.run(np.array([[1.0], [0.0]]))[0]
    np.testing.assert_array_equal(trained.run(np.array([[1], [0]]))[0], heard)
    np.testing.assert_array_equal(trained.run(np.array([[True], [False]]))[0], heard)


def test_an_empty_series_is_refused(trained):
    for hear in (trained.run, ExtremeLearningMachine(1, 5).features, LiquidStateMachine(1, 5, 2).run):
        with pytest.raises(ValueError, match=r"inputs have shape \(0, 1\); allowed is \(time, 1\)"):
            hear(np.zeros((0, 1)))


@pytest.mark.parametrize("scale", [-1.0, math.nan, math.inf])
def test_scales_that_no_weight_can_have_are_refused(scale):
    for make in (
        lambda: EchoStateNetwork(1, 1, 20, input_scale=scale),
        lambda: EchoStateNetwork(1, 1, 20, feedback_scale=scale),
        lambda: EchoStateNetwork(1, 1, 20, spectral_radius=scale),
        lambda: ExtremeLearningMachine(1, 5, scale=scale),
        lambda: LiquidStateMachine(1, 5, 2, input_scale=scale),
        lambda: LiquidStateMachine(1, 5, 2, weight_scale=scale),
        lambda: Neuron(refractory=scale),
        lambda: ridge(series(), series(), scale),
    ):
        with pytest.raises(ValueError, match=f"is {scale}; allowed is a finite number, 0 or more"):
            make()


def test_a_time_without_end_is_refused():
    for name in ("step", "synapse", "readout"):
        with pytest.raises(ValueError, match=f"{name} is inf; allowed is above 0 and finite"):
            LiquidStateMachine(1, 5, 2, **{name: math.inf})


def test_a_network_does_not_go_on_from_a_nan(trained):
    for x, y in ((np.full(20, np.nan), np.zeros(1)), (np.zeros(20), np.full(1, np.inf))):
        for go_on in (lambda e: trained.run(series(), e), lambda e: trained.generate(3, e)):
            with pytest.raises(ValueError, match="echo holds a NaN or an infinity"):
                go_on(Echo(x, y))


def test_no_steps_are_none_and_fewer_are_refused(trained):
    assert trained.generate(0, trained.rest()).shape == (0, 1)
    with pytest.raises(ValueError, match="steps is -1; allowed is 0 or more"):
        trained.generate(-1, trained.rest())


def test_states_of_another_network_are_not_read(trained):
    for states in (np.zeros((4, 20)), np.zeros((5, 19))):
        with pytest.raises(ValueError, match=r"allowed are \(time, 1\) and \(time, 20\)"):
            trained.read(series(5), states)


def test_what_never_changes_has_no_error_and_no_memory():
    with pytest.raises(ValueError, match="target never changes"):
        nrmse(series(1), series(1))
    states = np.random.default_rng(1).normal(size=(100, 3))
    assert memory_curve(states, np.ones((100, 1)), 3).tolist() == [0, 0, 0]
