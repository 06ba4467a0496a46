"""The dials of a reservoir, one by one: forecasts, memory, what it does in silence, and output feedback."""

from collections import Counter
from typing import Any

import numpy as np
from jaxtyping import Float

from course_experiments.protocol import Experiment, measuring
from course_experiments.reservoir.dynamics import lyapunov_exponent, memory
from course_experiments.reservoir.forecasts import TAUGHT, forecast_mackey_glass, forecaster
from course_experiments.reservoir.reservoirs import summary
from course_experiments.results import Measurement
from course_lib.reservoir import EchoStateNetwork

SEEDS = range(3)
DIALS: dict[str, tuple[float | str, ...]] = {
    "units": (50, 100, 200, 400, 800),
    "spectral_radius": (0.3, 0.6, 0.9, 1.25, 1.6),
    "leak": (0.1, 0.3, 0.6, 1.0),
    "connections": (1, 2, 10, 50, 200),
    "input_scale": (0.03, 0.1, 0.3, 1.0, 3.0),
    "law": ("uniform", "gaussian"),
}
INPUT_SCALES = (0.01, 0.1, 1.0)
MEMORY_RADII = (0.8, 0.9, 1.0, 1.1, 1.2, 1.4)
SILENT_RADII = (0.9, 1.05, 1.2, 1.5, 2.0, 3.0)
SILENT_NETWORKS, SILENT_UNITS = 100, 20
BEHAVIOURS = ("rest", "fixed point", "cycle", "no period", "chaos")
LONGEST_PERIOD = 200  # steps
FEEDBACK_SCALES, FEEDBACK_SEEDS = (0.0, 0.1, 0.3, 1.0, 3.0), range(10)


def forecast_sweeps() -> list[Measurement]:
    """Turn each dial of a forecaster of Mackey-Glass, the others as they are."""
    results = []
    for dial, values in DIALS.items():
        for value in values:
            settings: dict[str, Any] = {"units": 200, dial: value}
            errors = [
                np.log10(forecast_mackey_glass(forecaster(seed=seed, **settings), 1e-9, starts=20).ahead)
                for seed in SEEDS
            ]
            shown = value if isinstance(value, str) else f"{value:g}"
            metric = (
                f"log10 of NRMSE84, free-running: Mackey-Glass τ = 17, {TAUGHT} steps learned, 200 units, "
                f"{dial.replace('_', ' ')} {shown}"
            )
            results.append(summary(f"sweep-{dial.replace('_', '-')}-{shown}", metric, errors))
    return results


def memory_sweeps() -> list[Measurement]:
    """Measure memory over radius and input scale together: what the best radius is depends on the input."""
    return [
        summary(
            f"memory-scale-{scale:g}-radius-{radius:g}",
            f"memory capacity over 100 delays, in steps: 100 units, radius {radius:g}, input scale {scale:g}",
            [float(memory(radius, seed, input_scale=scale).sum()) for seed in SEEDS],
        )
        for scale in INPUT_SCALES
        for radius in MEMORY_RADII
    ]


def behaviour(network: EchoStateNetwork, start: Float[np.ndarray, "units"], steps: int = 3000) -> str:
    """Return what a network comes to in silence, one of `BEHAVIOURS`.

    Args:
        network: one that hears nothing: its input scale is 0.
        start: its state at first.
        steps: to wait, and again to look.

    Raises:
        ValueError: the network has feedback.
    """
    silence = np.zeros((steps, network.inputs))
    settled = network.listen(silence, network.rest()._replace(x=start))[1]
    states = network.listen(silence, settled)[0]
    for period in range(1, LONGEST_PERIOD + 1):
        if np.abs(states[period:] - states[:-period]).max() < 1e-6:
            if period > 1:
                return "cycle"
            return "rest" if np.abs(states).max() < 1e-3 else "fixed point"
    return "chaos" if lyapunov_exponent(network, silence, settled) > 0.005 else "no period"


def silence_sweep() -> list[Measurement]:
    """Count what small networks come to in silence, over the radius."""
    results = []
    for radius in SILENT_RADII:
        found = Counter(
            behaviour(
                EchoStateNetwork(1, 1, SILENT_UNITS, spectral_radius=radius, input_scale=0.0, seed=seed),
                np.random.default_rng(seed).uniform(-1, 1, SILENT_UNITS),
            )
            for seed in range(SILENT_NETWORKS)
        )
        results += [
            summary(
                f"silence-{radius:g}-{name.replace(' ', '-')}",
                f"% of {SILENT_NETWORKS} networks of {SILENT_UNITS} units that come to {name} in silence, "
                f"radius {radius:g}",
                [100 * found[name] / SILENT_NETWORKS],
            )
            for name in BEHAVIOURS
        ]
    return results


def pulses(
    steps: int, rng: np.random.Generator
) -> tuple[Float[np.ndarray, "{steps} 1"], Float[np.ndarray, "{steps} 1"]]:
    """Return rare pulses of −1 or 1, one in fifty steps on average, and the last pulse at each step."""
    sent = np.where(rng.random((steps, 1)) < 1 / 50, rng.choice((-1.0, 1.0), (steps, 1)), 0)
    sent[0] = 1
    last = np.maximum.accumulate(np.where(sent[:, 0] != 0, np.arange(steps), 0))
    return sent, sent[last]


def share_kept(feedback_scale: float, seed: int, steps: int = 4000) -> float:
    """Return the share of steps at which a network of 100 units knows the sign of the last pulse.

    Args:
        feedback_scale: of the network; its own output is fed back when it is tested, the true one before.
        seed: of weights and pulses.
        steps: to learn from, and again to test.
    """
    sent, last = pulses(2 * steps, np.random.default_rng(1000 + seed))
    network = EchoStateNetwork(1, 1, 100, feedback_scale=feedback_scale, seed=seed)
    end = network.fit(sent[:steps], last[:steps], washout=100, beta=1e-3)
    said = network.run(sent[steps:], end)[0]
    return float((np.sign(said) == last[steps:]).mean())


def feedback_results() -> list[Measurement]:
    """Hold a bit for as long as nothing happens, with and without feedback."""
    return [
        summary(
            f"feedback-{scale:g}",
            "% of steps at which the last pulse is known, one pulse in fifty steps: 100 units, "
            f"feedback scale {scale:g}",
            [100 * share_kept(scale, seed) for seed in FEEDBACK_SEEDS],
        )
        for scale in FEEDBACK_SCALES
    ]


def sweep_results() -> list[Measurement]:
    """Turn every dial."""
    return [*forecast_sweeps(), *memory_sweeps(), *silence_sweep()]


EXPERIMENTS = [
    Experiment("reservoir_sweeps", "the dials of a reservoir, one by one", 3, measuring(sweep_results)),
    Experiment(
        "reservoir_feedback", "a bit that only output feedback holds", 0.1, measuring(feedback_results)
    ),
]
