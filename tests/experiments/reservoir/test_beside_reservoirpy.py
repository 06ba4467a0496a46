"""Without reservoirpy the comparison must say so; with it, both must agree."""

import sys

import pytest

from course_experiments.reservoir import beside_reservoirpy
from course_experiments.reservoir.beside_reservoirpy import echo_state_network


def test_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("reservoirpy", "reservoirpy.nodes"):
        monkeypatch.setitem(sys.modules, name, None)  # an import of it fails
    with pytest.raises(ModuleNotFoundError, match=r"nothing was measured.*pip install -e"):
        echo_state_network(20, 300, 5, rounds=1)


def test_other_errors_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside_reservoirpy.Pair, "run_ours", lambda pair, inputs, targets: 0 * inputs)
    with pytest.raises(RuntimeError, match="no fair comparison"):
        echo_state_network(20, 300, 5, rounds=1)


def test_both_sides_have_the_same_states_and_a_difference_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert echo_state_network(20, 300, 5, rounds=1).ours > 0
    monkeypatch.setattr(beside_reservoirpy.EchoStateNetwork, "step", lambda *arguments: arguments[1])
    with pytest.raises(RuntimeError, match="different states"):
        echo_state_network(20, 300, 5, rounds=1)
