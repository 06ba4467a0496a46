import numpy as np
import pytest

from course_lib.reservoir.echo_state import Echo, EchoStateNetwork
from course_lib.reservoir.measures import memory_curve, nrmse
from course_lib.reservoir.readout import with_bias


def series(steps=300, seed=0):
    return np.random.default_rng(seed).uniform(-0.5, 0.5, (steps, 1))


def by_the_book(network, inputs, teacher=None):
    """Equations 2 and 3 neuron by neuron, from dense weights."""
    W, x, y = network.W.toarray(), np.zeros(network.units), np.zeros(network.outputs)
    states = []
    for n in range(len(inputs)):
        new = []
        for i in range(network.units):
            heard = network.W_in[i, 0] + sum(
                network.W_in[i, 1 + j] * inputs[n, j] for j in range(network.inputs)
            )
            heard += sum(W[i, j] * x[j] for j in range(network.units) if W[i, j])
            if network.W_fb is not None:
                heard += sum(network.W_fb[i, j] * y[j] for j in range(network.outputs))
            new.append((1 - network.leak) * x[i] + network.leak * np.tanh(heard))
        x = np.array(new)
        if teacher is not None:
            y = teacher[n]
        elif network.W_out is not None:
            y = network.W_out @ np.concatenate([[1], inputs[n], x])
        states.append(x)
    return np.array(states)


@pytest.mark.parametrize("feedback", [0.0, 0.3])
@pytest.mark.parametrize("leak", [1.0, 0.3])
def test_states_equal_the_equations_neuron_by_neuron(leak, feedback):
    network = EchoStateNetwork(2, 2, 20, leak=leak, connections=4, feedback_scale=feedback, seed=1)
    inputs = np.hstack([series(30), series(30, 1)])
    targets = np.roll(inputs, 1, axis=0)
    network.fit(inputs, targets, washout=5, beta=1e-3)
    taught, _ = network.listen(inputs, teacher=targets)
    np.testing.assert_allclose(taught, by_the_book(network, inputs, targets), atol=1e-12)
    alone, _ = network.listen(inputs)
    np.testing.assert_allclose(alone, by_the_book(network, inputs), atol=1e-12)
    np.testing.assert_allclose(network.run(inputs)[0], with_bias(inputs, alone) @ network.W_out.T)


@pytest.mark.parametrize("radius", [0.0, 0.5, 0.99, 1.5])
def test_the_reservoir_has_the_spectral_radius_and_the_connections_that_are_asked(radius):
    network = EchoStateNetwork(1, 1, 200, spectral_radius=radius, connections=7)
    W = network.W.toarray()
    assert np.abs(np.linalg.eigvals(W)).max() == pytest.approx(radius)
    if radius:
        assert set((W != 0).sum(axis=1)) == {7}


def test_weights_are_drawn_by_the_law_that_is_asked():
    """Over its deviation, a uniform weight reaches √3 and no further; of Gaussian ones one in twelve does."""
    share = {}
    for law in ("uniform", "gaussian"):
        weights = EchoStateNetwork(1, 1, 300, law=law).W.data
        share[law] = (np.abs(weights) > 1.75 * weights.std()).mean()
        assert abs(weights.mean()) < 0.1 * weights.std()
    assert share["uniform"] == 0 and share["gaussian"] == pytest.approx(0.080, abs=0.02)


def test_the_seed_decides_all_weights():
    first, again, other = (EchoStateNetwork(1, 1, 50, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.W_in, again.W_in) and np.array_equal(first.W.toarray(), again.W.toarray())
    assert not np.array_equal(first.W_in, other.W_in)


def test_the_echo_of_the_start_fades_below_radius_one_and_grows_far_above():
    """Two copies that start differently and hear the same."""
    for radius, fades in ((0.8, True), (3.0, False)):
        network = EchoStateNetwork(1, 1, 100, spectral_radius=radius, input_scale=0.1)
        inputs, elsewhere = series(300), Echo(np.full(100, 1e-3), np.zeros(1))
        here, there = network.listen(inputs)[1], network.listen(inputs, elsewhere)[1]
        apart = np.abs(here.x - there.x).max()
        assert (apart < 1e-9) == fades and (apart > 0.1) != fades


def test_going_on_is_running_at_once():
    network = EchoStateNetwork(1, 1, 30, leak=0.5, feedback_scale=0.2)
    inputs = series(100)
    network.fit(inputs, np.roll(inputs, 2, axis=0), washout=10, beta=1e-4)
    whole, end = network.run(inputs)
    first, between = network.run(inputs[:40])
    second, last = network.run(inputs[40:], between)
    np.testing.assert_allclose(np.vstack([first, second]), whole)
    np.testing.assert_allclose(last.x, end.x)


@pytest.mark.parametrize("feedback", [0.0, 0.2])
def test_running_free_is_hearing_its_own_outputs(feedback):
    wave = np.sin(np.arange(400) / 5)[:, np.newaxis]
    network = EchoStateNetwork(1, 1, 50, feedback_scale=feedback, seed=2)
    end = network.fit(wave[:-1], wave[1:], washout=50, beta=1e-6)
    free = network.generate(30, end)
    heard = np.vstack([end.y, free[:-1]])
    np.testing.assert_allclose(network.run(heard, end)[0], free)


def test_a_sine_goes_on_for_periods():
    wave = np.sin(np.arange(1000) / 5)[:, np.newaxis]
    network = EchoStateNetwork(1, 1, 100, seed=2)
    end = network.fit(wave[:799], wave[1:800], washout=100, beta=1e-8)
    assert nrmse(network.generate(200, end), wave[800:]) < 0.05


def test_the_washout_is_left_out_of_the_readout():
    inputs = series(200)
    targets = np.roll(inputs, 1, axis=0)
    spoiled = targets.copy()
    spoiled[:50] = 100.0
    first, second = EchoStateNetwork(1, 1, 20), EchoStateNetwork(1, 1, 20)
    first.fit(inputs, targets, washout=50, beta=1e-3)
    second.fit(inputs, spoiled, washout=50, beta=1e-3)
    np.testing.assert_allclose(first.W_out, second.W_out)


def test_memory_is_bounded_by_the_units_and_a_radius_near_one_remembers_longer():
    capacity = {}
    for radius in (0.1, 0.9):
        network = EchoStateNetwork(1, 1, 30, spectral_radius=radius, input_scale=0.1, seed=3)
        inputs = series(3000)
        capacity[radius] = memory_curve(network.listen(inputs)[0][100:], inputs[100:], 60).sum()
    assert 1 < capacity[0.1] < capacity[0.9] <= 30


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"units": 0}, "units is 0; allowed is 1 or more"),
        ({"leak": 0}, "leak is 0; allowed is above 0 to 1"),
        ({"leak": 1.1}, "leak is 1.1"),
        ({"connections": 21}, "connections is 21; allowed are 1 to 20"),
        ({"connections": 0}, "connections is 0"),
        ({"spectral_radius": -0.1}, "radius is -0.1"),
        ({"law": "normal"}, "law is 'normal'; allowed are 'uniform', 'gaussian'"),
    ],
)
def test_a_reservoir_that_cannot_be_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        EchoStateNetwork(**{"inputs": 1, "outputs": 1, "units": 20, **wrong})


@pytest.mark.usefixtures("unchecked")
def test_a_series_that_cannot_be_heard_is_refused():
    network, inputs = EchoStateNetwork(1, 1, 20), series(30)
    with pytest.raises(ValueError, match=r"inputs have shape \(30,\); allowed is \(time, 1\)"):
        network.run(inputs[:, 0])
    with pytest.raises(ValueError, match="has no readout; call fit first"):
        network.run(inputs)
    with pytest.raises(ValueError, match="has no readout; call fit first"):
        EchoStateNetwork(1, 1, 20, feedback_scale=0.1).listen(inputs)
    with pytest.raises(ValueError, match="washout is 30; allowed are 0 to 29"):
        network.fit(inputs, inputs, washout=30, beta=1)
    with pytest.raises(ValueError, match="teacher has 29 steps; allowed is 30"):
        network.fit(inputs, inputs[1:], washout=0, beta=1)
    inputs[17] = np.nan
    with pytest.raises(ValueError, match="inputs hold a NaN or an infinity at step 17"):
        network.run(inputs)
    with pytest.raises(ValueError, match="teacher hold a NaN or an infinity at step 17"):
        network.fit(series(30), inputs, washout=0, beta=1)
    other = EchoStateNetwork(1, 1, 19).rest()
    for refused in (lambda: network.listen(series(30), other), lambda: network.generate(3, other)):
        with pytest.raises(ValueError, match=r"echo has shapes .* allowed are \(20,\) and \(1,\)"):
            refused()
    two = EchoStateNetwork(2, 1, 20)
    with pytest.raises(ValueError, match="outputs are 1, inputs 2; to run free, as many"):
        two.generate(5, two.rest())


def test_weights_of_inputs_and_feedback_reach_as_far_as_their_scales_say():
    network = EchoStateNetwork(2, 3, 400, input_scale=0.3, feedback_scale=5.0, seed=1)
    assert network.W_in.shape == (400, 3)  # the bias is scaled, too
    for weights, scale in ((network.W_in, 0.3), (network.W_in[:, 0], 0.3), (network.W_fb, 5.0)):
        assert 0.97 * scale < np.abs(weights).max() <= scale
        assert weights.std() == pytest.approx(scale / 3**0.5, rel=0.1)  # evenly spread
    assert EchoStateNetwork(2, 3, 400, feedback_scale=0).W_fb is None
