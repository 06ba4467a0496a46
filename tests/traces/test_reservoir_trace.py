"""What the reservoir trace accepts and refuses, and which units it shows in which order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.reservoir import EchoStateNetwork, LiquidStateMachine
from course_lib.traces import GradientTrace, ReservoirTrace

ACTIVITY = np.array([[0.0, 0.5], [0.25, -1.5]])
INPUTS = np.array([[1.0], [2.0]])


def make(activity=ACTIVITY, units=(3, 1), inputs=INPUTS, **others):
    return ReservoirTrace(activity, np.array(units), inputs, **others)


@given(name=st.text(), title=st.text(), order=st.text())
def test_every_string_survives_saving(tmp_path_factory, name, title, order):
    outputs = np.array([[np.nan], [1.0]])
    trace = make(
        outputs=outputs, targets=-outputs, spikes=ACTIVITY > 0, input_names=(name,), title=title, order=order
    )
    loaded = ReservoirTrace.load(trace.save(tmp_path_factory.mktemp("trace") / "run"))
    assert loaded == trace
    assert (loaded.input_names, loaded.title, loaded.free_from) == ((name,), title, None)


def test_another_kind_of_trace_is_not_loaded(tmp_path):
    with pytest.raises(ValueError, match=r"must hold GradientTrace, but .* holds ReservoirTrace"):
        GradientTrace.load(make().save(tmp_path / "run"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"activity": ACTIVITY[0]}, r"activity must have the axes \(steps, units\)"),
        ({"activity": ACTIVITY[:0], "inputs": INPUTS[:0]}, "activity must have no empty axis"),
        ({"activity": ACTIVITY * np.nan}, "activity must be finite, but step 0, column 0 has nan"),
        ({"inputs": np.array([[0], [np.inf]])}, "inputs must be finite, but step 1, column 0 has inf"),
        ({"outputs": INPUTS * -np.inf}, "outputs must be finite or NaN, but step 0, column 0 has -inf"),
        ({"inputs": INPUTS[:1]}, "inputs has 1 steps, but activity has 2"),
        ({"units": (1, 1)}, "units must differ"),
        ({"units": (0, -1)}, "units must differ and be 0 or more"),
        ({"network_size": 3}, "units must lie in 0 to 2, got 3"),
        ({"free_from": 2}, "free_from must lie in 0 to 1 or be None, got 2"),
        ({"outputs": INPUTS, "targets": np.ones((2, 2))}, "targets has 2 outputs, but outputs has 1"),
    ],
)
def test_refused_values(wrong, message):
    with pytest.raises(ValueError, match=message):
        make(**wrong)


@pytest.mark.parametrize(
    ("order", "units"), [("response", [1, 2, 0]), ("variance", [2, 0, 1]), ("number", [0, 1, 2])]
)
def test_units_are_sorted(order, units):
    """Unit 0 rises slowly to 2; unit 1 jumps at once to 0.5; unit 2 drops to −9 in between."""
    states = np.array([[0, 0, 0], [0, 0.5, 0], [0, 0.5, -9], [1, 0.5, -9], [2.0, 0.5, -9]])
    trace = ReservoirTrace.from_states(states, np.zeros((5, 1)), order=order, spikes=states < 0)
    assert trace.units.tolist() == units
    np.testing.assert_array_equal(trace.activity, states[:, units])
    np.testing.assert_array_equal(trace.spikes, states[:, units] < 0)
    assert trace.network_size == 3


def test_of_many_units_those_at_equal_distances_are_shown():
    trace = ReservoirTrace.from_states(np.ones((2, 301)), np.zeros((2, 1)), order="number", most=4)
    assert trace.units.tolist() == [0, 100, 200, 300]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"order": "name"}, "order must be one of response, variance, number, got 'name'"),
        ({"most": 0}, "most must be 1 or more, got 0"),
        ({"states": np.ones(3)}, r"states must be \(steps, units\), .*got shape \(3,\)"),
        ({"states": np.full((2, 1), np.inf)}, "states must be finite, but step 0, column 0 has inf"),
    ],
)
def test_choices_that_do_not_exist(choice, message):
    arguments = {"states": np.ones((2, 3)), "inputs": np.zeros((2, 1))} | choice
    with pytest.raises(ValueError, match=message):
        ReservoirTrace.from_states(arguments.pop("states"), arguments.pop("inputs"), **arguments)


def test_networks_of_the_course_can_be_shown():
    series = np.sin(np.arange(30.0))[:, None]
    network = EchoStateNetwork(1, 1, 20)
    network.fit(series[:-1], series[1:], 5, 1e-6)
    states, end = network.listen(series)
    echo = ReservoirTrace.from_states(states, series, outputs=network.read(series, states), targets=series)
    last = dict(zip(echo.units.tolist(), echo.activity[-1], strict=True))
    np.testing.assert_allclose([last[unit] for unit in range(20)], end.x, rtol=1e-6)
    activity = LiquidStateMachine(1, 20).run(3 + series)
    liquid = ReservoirTrace.from_states(activity.traces, series, spikes=activity.spikes, order="variance")
    assert liquid.spikes.sum() == activity.spikes.sum() > 0


@pytest.mark.usefixtures("unchecked")
def test_colours_reach_as_far_as_they_say():
    values, low, high = make().colours()
    assert (low, high, values.shape) == (-1.5, 1.5, (2, 2))
    assert make(np.abs(ACTIVITY) / 3).colours("fixed")[1:] == (0, 1)
    assert make(np.abs(ACTIVITY) / 3).colours("largest")[1:] == (0, 0.5)
    assert make(ACTIVITY * 0).colours("largest")[1:] == (0, 1)
    values, low, high = make(np.array([[5, 2.0], [3, 2.0]])).colours("own")
    np.testing.assert_array_equal(values, [[1, 0], [-1, 0]])
    assert (low, high) == (-1, 1)
    with pytest.raises(ValueError, match="scale must be one of fixed, largest, own, got 'log'"):
        make().colours("log")


def test_the_error_is_over_what_was_asked():
    outputs, targets = np.array([[1.0], [5.0]]), np.array([[np.nan], [2.0]])
    trace = make(outputs=outputs, targets=targets)
    assert trace.error() == 3
    assert trace.error(slice(0, 1)) is None
    assert make(outputs=outputs).error() is None


def test_a_unit_is_found_by_its_number():
    assert [make().place_of(unit) for unit in (None, 3, 1)] == [0, 0, 1]
    with pytest.raises(ValueError, match="unit must be one of the 2 that are shown, got 0"):
        make().place_of(0)
