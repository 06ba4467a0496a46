"""The speed and the accuracy of our echo state network beside reservoirpy's, in one run.

Both have the same weights, and both readouts see the same: 1, the input and the states.

reservoirpy comes with the `dev` extra; where it is missing, these functions say how to get it.
"""

from functools import partial
from importlib import import_module
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from course_experiments.protocol import Experiment, measuring
from course_experiments.reservoir.forecasts import Series, mackey_glass_series
from course_experiments.results import Measurement
from course_experiments.speed.harness import Benchmark, side_by_side
from course_lib.reservoir import EchoStateNetwork, nrmse

WASHOUT, BETA = 100, 1e-6

Taught = Float[np.ndarray, "taught 1"]  # the targets of the first steps, which the readout is learned from


class Pair(NamedTuple):
    """The same network, ours and theirs."""

    ours: EchoStateNetwork
    reservoir: Any  # reservoirpy's, with our weights
    theirs: Any  # a reservoirpy model

    def run_ours(self, inputs: Series, targets: Taught) -> Series:
        """Learn the readout on as many steps as there are targets; return what it says of all inputs."""
        self.ours.fit(inputs[: len(targets)], targets, WASHOUT, BETA)
        return self.ours.run(inputs)[0]

    def run_theirs(self, inputs: Series, targets: Taught) -> Series:
        """Do the same with reservoirpy."""
        self.theirs.reset()
        self.theirs.fit(inputs[: len(targets)], targets, warmup=WASHOUT)
        self.theirs.reset()
        return self.theirs.run(inputs)


def build_pair(units: int, connections: int) -> Pair:
    """Build both with the weights of ours.

    Raises:
        ModuleNotFoundError: reservoirpy is not installed.
    """
    try:
        nodes = import_module("reservoirpy.nodes")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "reservoirpy is not installed, and nothing was measured; "
            "it is only needed to compare with: pip install -e .[dev]"
        ) from error
    ours = EchoStateNetwork(1, 1, units, spectral_radius=1.25, leak=0.3, connections=connections)
    reservoir = nodes.Reservoir(lr=ours.leak, W=ours.W, Win=ours.W_in[:, 1:], bias=ours.W_in[:, 0])
    heard = nodes.Input()
    theirs = [heard, heard >> reservoir] >> nodes.Ridge(ridge=BETA)
    theirs.initialize(np.zeros((1, 1)), np.zeros((1, 1)))
    return Pair(ours, reservoir, theirs)


def echo_state_network(
    units: int = 1000, steps: int = 10_000, connections: int = 10, rounds: int = 5
) -> Benchmark:
    """Run over the first four fifths of Mackey-Glass, fit the readout, and run over all of it.

    Args:
        units, connections: of the reservoir.
        steps: of the series.
        rounds: as in `side_by_side`.

    Raises:
        ModuleNotFoundError: reservoirpy is not installed.
        RuntimeError: the states differ, or the errors do: the times compare nothing.
    """
    series = mackey_glass_series(steps + 1)
    inputs, taught = series[:-1], series[1 : steps * 4 // 5 + 1]
    pair = build_pair(units, connections)
    states = pair.reservoir.run(inputs)
    if not np.allclose(pair.ours.listen(inputs)[0], states, atol=1e-9):
        raise RuntimeError("the two reservoirs have different states: no fair comparison")
    ours, theirs = accuracy(pair, series)
    if not 1 / 1.05 < ours / theirs < 1.05:
        raise RuntimeError(f"our NRMSE is {ours:.3g}, theirs {theirs:.3g}: no fair comparison")
    times = side_by_side(
        partial(pair.run_ours, inputs, taught), partial(pair.run_theirs, inputs, taught), rounds
    )
    name = (
        f"echo state network, {units} units with {connections} connections each, {steps} steps, fit and run"
    )
    return Benchmark(name, f"reservoirpy {version('reservoirpy')}", *times, target=1.0)


def accuracy(pair: Pair, series: Series) -> tuple[float, float]:
    """Return the one-step NRMSE of both on the last fifth, which neither has learned from."""
    inputs, targets = series[:-1], series[1:]
    end = len(inputs) * 4 // 5
    runs = (pair.run_ours, pair.run_theirs)
    ours, theirs = (nrmse(run(inputs, targets[:end])[end:], targets[end:]) for run in runs)
    return ours, theirs


def reservoir_speed(connections: int = 10, rounds: int = 5) -> list[Measurement]:
    """Measure time and accuracy against reservoirpy's; its own default would be 100 connections."""
    measured = echo_state_network(connections=connections, rounds=rounds)
    ours, theirs = accuracy(build_pair(1000, connections), mackey_glass_series(10_001))
    what = f"{measured.name}, against {measured.against}"
    numbers = (
        ("time", "our processor time over the other's, median of interleaved rounds", measured.ratio),
        ("error", "our one-step NRMSE on the last fifth, not learned from, over the other's", ours / theirs),
    )
    return [
        Measurement(f"reservoir-{name}-{connections}", "reservoir-speed", f"{metric}: {what}", value)
        for name, metric, value in numbers
    ]


EXPERIMENTS = [
    Experiment(
        "reservoirpy",
        "an echo state network beside reservoirpy's, which must be installed: time and error",
        1,
        measuring(reservoir_speed),
    )
]
