import math

import numpy as np
import pytest
from scipy import sparse

from course_lib.reservoir.liquid import LiquidStateMachine, Neuron


def one_neuron(step=1.0, **neuron):
    machine = LiquidStateMachine(1, 1, connections=0, neuron=Neuron(**neuron), step=step)
    machine.W_in[:] = 1
    return machine


@pytest.mark.parametrize("refractory", [0.0, 2.0, 5.0])
def test_a_neuron_fires_at_the_analytic_rate_under_constant_current(refractory):
    neuron = Neuron(refractory=refractory, reset=-0.5)
    currents = [1.05, 1.5, 3.0]  # one a neuron
    machine = LiquidStateMachine(1, 3, connections=0, neuron=neuron, step=0.01)
    machine.W_in[:, 0] = currents
    activity = machine.run(np.ones((20_000, 1)))
    for spikes, current in zip(activity.spikes.T, currents, strict=True):
        times = np.flatnonzero(spikes) * 0.01
        rate = (len(times) - 1) / (times[-1] - times[0])  # of whole periods
        assert rate == pytest.approx(neuron.rate(current), rel=2e-3)


def test_periods_are_exact_up_to_the_step():
    """The first step at or after the analytic time, then the silence."""
    tau, current = 20.0, 1.7
    rise = math.ceil(tau * math.log(current / (current - 1)))
    times = np.flatnonzero(one_neuron(refractory=3.0).run(np.full((200, 1), current)).spikes)
    assert times[0] + 1 == rise and set(np.diff(times)) == {rise + 3}


@pytest.mark.parametrize("current", [-1.0, 0.0, 0.99, 1.0])
def test_a_current_that_never_reaches_the_threshold_makes_no_spike(current):
    assert Neuron().rate(current) == 0
    activity = one_neuron().run(np.full((2000, 1), current))
    assert not activity.spikes.any()
    assert activity.potentials[-1, 0] == pytest.approx(current, abs=1e-6)  # rests at the current


def test_the_potential_is_the_exponential_of_the_equation():
    potentials = one_neuron().run(np.full((50, 1), 0.9)).potentials[:, 0]
    np.testing.assert_allclose(potentials, 0.9 * (1 - np.exp(-np.arange(1, 51) / 20)))


def test_a_trace_fades_from_each_spike():
    machine = one_neuron()
    activity = machine.run(np.concatenate([np.full((40, 1), 1.5), np.zeros((60, 1))]))
    times = np.flatnonzero(activity.spikes)
    assert len(times)
    expected = sum(math.exp(-(99 - t) / machine.readout) for t in times)
    assert activity.traces[-1, 0] == pytest.approx(expected)


def test_a_spike_moves_those_that_hear_it_one_step_later():
    machine = LiquidStateMachine(1, 2, connections=0)
    machine.W_in[:] = [[30.0], [0.0]]
    machine.W = sparse.csr_array([[0.0, 0.0], [0.5, 0.0]])
    activity = machine.run(np.array([[1.0], [0], [0], [0]]))
    assert activity.spikes.tolist() == [[True, False]] + [[False, False]] * 3
    keep, fade = math.exp(-1 / 20), math.exp(-1 / 5)
    v, heard, expected = 0.0, 0.5, [0.0]
    for _ in range(3):
        v = keep * v + (1 - keep) * heard
        heard *= fade
        expected.append(v)
    np.testing.assert_allclose(activity.potentials[:, 1], expected)


def test_four_of_five_neurons_excite():
    W = LiquidStateMachine(1, 100, connections=20).W.toarray()
    signs = [set(np.sign(column[column != 0])) for column in W.T]
    assert all(len(sign) == 1 for sign in signs)  # a neuron excites all or inhibits all that hear it
    assert sum(sign == {-1} for sign in signs) == 20


def pattern(first, second, rng):
    """Two bursts on two channels, 30 ms apart with a little jitter; then 20 ms of silence."""
    inputs = np.zeros((90, 2))
    for channel, start in ((first, 5), (second, 40)):
        begin = start + rng.integers(-3, 4)
        inputs[begin : begin + 25, channel] = 1
    return inputs


def test_the_liquid_holds_which_of_two_bursts_came_first():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 80)
    patterns = [pattern(label, 1 - label, rng) for label in labels]
    machine = LiquidStateMachine(2, 100, seed=1)
    ends = np.array([machine.run(inputs).traces[-1] for inputs in patterns])
    machine.fit(ends[:50], np.eye(2)[labels[:50]], beta=1.0)
    assert (machine.read(ends[50:]).argmax(axis=1) == labels[50:]).mean() > 0.95
    assert not any(inputs[-10:].any() for inputs in patterns)  # nothing is heard any more when it is read


def test_what_cannot_be_is_refused():
    for wrong, message in (
        ({"tau": 0}, "tau is 0; allowed is above 0"),
        ({"refractory": -1}, "refractory is -1; allowed is a finite number, 0 or more"),
        ({"threshold": 0}, "threshold is 0; allowed is above reset"),
    ):
        with pytest.raises(ValueError, match=message):
            Neuron(**wrong)
    for wrong, message in (
        ({"units": 0}, "units is 0"),
        ({"connections": 6}, "connections is 6; allowed are 0 to 5"),
        ({"step": 0}, "step is 0; allowed is above 0"),
    ):
        with pytest.raises(ValueError, match=message):
            LiquidStateMachine(**{"inputs": 1, "units": 5, "connections": 2, **wrong})
    machine = LiquidStateMachine(1, 5, connections=2)
    with pytest.raises(ValueError, match="NaN or an infinity at step 2"):
        machine.run(np.array([[0.0], [1], [np.nan]]))
    with pytest.raises(ValueError, match="no readout; call fit first"):
        machine.read(np.zeros((1, 5)))


def test_weights_reach_as_far_as_the_scales_say_and_inhibition_four_times_as_far():
    machine = LiquidStateMachine(2, 500, connections=40, input_scale=5.0, weight_scale=0.7, seed=1)
    W = machine.W.toarray()
    for weights, low, high in ((machine.W_in, 0, 5), (W[W > 0], 0, 0.7), (W[W < 0], -2.8, 0)):
        assert low <= weights.min() and weights.max() <= high
        assert weights.max() - weights.min() > 0.98 * (high - low)  # evenly spread over hundreds of draws
        assert weights.mean() == pytest.approx((low + high) / 2, rel=0.1)
