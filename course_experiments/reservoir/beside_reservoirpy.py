"""The speed and the accuracy of our echo state network beside reservoirpy's, in one run.

reservoirpy comes with the `dev` extra; where it is missing, these functions say how to get it.
"""

from functools import partial
from importlib import import_module
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from course_experiments.protocol import Experiment, measuring
from course_experiments.reservoir.forecasts import Series, mackey_glass_series
from course_experiments.results import Measurement
from course_experiments.speed.harness import Benchmark, side_by_side
from course_lib.reservoir import EchoStateNetwork, nrmse

WASHOUT, BETA = 100, 1e-6


class Pair(NamedTuple):
    """The same network, ours and theirs."""

    ours: EchoStateNetwork
    theirs: Any  # a reservoirpy model

    def run_ours(self, inputs: Series, targets: Series) -> Series:
        """Start at rest, learn the readout; return what it says of the same steps."""
        self.ours.fit(inputs, targets, WASHOUT, BETA)
        return self.ours.run(inputs)[0]

    def run_theirs(self, inputs: Series, targets: Series) -> Series:
        """Do the same with reservoirpy."""
        self.theirs.reset()
        self.theirs.fit(inputs, targets, warmup=WASHOUT)
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
    theirs = reservoir >> nodes.Ridge(ridge=BETA)
    theirs.initialize(np.zeros((1, 1)), np.zeros((1, 1)))
    return Pair(ours, theirs)


def echo_state_network(
    units: int = 1000, steps: int = 10_000, connections: int = 10, rounds: int = 5
) -> Benchmark:
    """Run over Mackey-Glass, fit the readout, and run again, the same weights in both.

    Our readout also sees the input, theirs the states alone.

    Args:
        units, connections: of the reservoir.
        steps: of the series.
        rounds: as in `side_by_side`.

    Raises:
        ModuleNotFoundError: reservoirpy is not installed.
        RuntimeError: the states differ, or ours is less accurate: the times compare nothing.
    """
    series = mackey_glass_series(steps + 1)
    inputs, targets = series[:-1], series[1:]
    pair = build_pair(units, connections)
    states = pair.theirs.nodes[0].run(inputs)
    if not np.allclose(pair.ours.listen(inputs)[0], states, atol=1e-9):
        raise RuntimeError("the two reservoirs have different states: no fair comparison")
    ours, theirs = accuracy(pair, inputs, targets)
    if ours > 1.05 * theirs:
        raise RuntimeError(f"our NRMSE is {ours:.3g}, theirs {theirs:.3g}: no fair comparison")
    times = side_by_side(
        partial(pair.run_ours, inputs, targets), partial(pair.run_theirs, inputs, targets), rounds
    )
    name = (
        f"echo state network, {units} units with {connections} connections each, {steps} steps, fit and run"
    )
    return Benchmark(name, f"reservoirpy {version('reservoirpy')}", *times, target=1.0)


def accuracy(pair: Pair, inputs: Series, targets: Series) -> tuple[float, float]:
    """Return the one-step NRMSE of both behind the washout."""
    runs = (pair.run_ours, pair.run_theirs)
    ours, theirs = (nrmse(run(inputs, targets)[WASHOUT:], targets[WASHOUT:]) for run in runs)
    return ours, theirs


def reservoir_speed(connections: int = 10, rounds: int = 5) -> list[Measurement]:
    """Measure time and accuracy against reservoirpy's; its own default would be 100 connections."""
    measured = echo_state_network(connections=connections, rounds=rounds)
    series = mackey_glass_series(10_001)
    ours, theirs = accuracy(build_pair(1000, connections), series[:-1], series[1:])
    what = f"{measured.name}, against {measured.against}"
    numbers = (
        ("time", "our processor time over the other's, median of interleaved rounds", measured.ratio),
        ("error", "our one-step NRMSE over the other's", ours / theirs),
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
