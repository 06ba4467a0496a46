"""What lecture 09 claims of reservoirs beside what it measures itself."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import torch

from course_experiments.protocol import Experiment, measuring, over_seeds
from course_experiments.reservoir.digits import (
    extreme_accuracy,
    faded,
    last_traces,
    linear_accuracy,
    listener,
    spoken_digit_accuracy,
)
from course_experiments.reservoir.dynamics import lyapunov_exponent, memory, weight_changes
from course_experiments.reservoir.forecasts import (
    TAUGHT,
    Series,
    forecast_mackey_glass,
    forecaster,
    mackey_glass_series,
    sunspot_errors,
    sunspots_by_line,
    sunspots_by_reservoir,
)
from course_experiments.results import Measurement
from course_lib.reservoir import EchoStateNetwork

SEEDS = range(5)
RADII = (0.5, 0.9, 1.1, 1.5, 2.0)


def summary(id: str, metric: str, values: Sequence[float], **published: float | str) -> Measurement:
    """Return the mean of some seeds, with its standard deviation where there are several."""
    seeds = f", {len(values)} seeds" if len(values) > 1 else ""
    return over_seeds(f"reservoir-{id}", "reservoir", metric + seeds, values, **published)  # type: ignore[arg-type]


def forecast_results() -> list[Measurement]:
    """Mackey-Glass and sunspots."""
    what = f"Mackey-Glass τ = 17, {TAUGHT} steps learned, "
    scores = [forecast_mackey_glass(forecaster(seed=seed)) for seed in SEEDS]
    results = [
        summary(
            "mackey-one-step",
            f"log10 of the one-step NRMSE: {what}1000 units",
            [float(np.log10(score.one_step)) for score in scores],
        ),
        summary(
            "mackey-84",
            f"log10 of NRMSE84, free-running: {what}1000 units",
            [float(np.log10(score.ahead)) for score in scores],
            published=-4.2,
            published_source="Jaeger and Haas 2004: 1000 units with output feedback, 3000 steps learned, the "
            "series squashed by tanh, mean over 100 networks; ours hears its forecast as an input",
        ),
        summary(
            "mackey-horizon",
            f"free-running steps within a tenth of a standard deviation, at most 2000: {what}1000 units",
            [score.horizon for score in scores],
        ),
    ]
    forecasters: dict[str, list[Callable[[Series], Series]]] = {
        "reservoir": [sunspots_by_reservoir(seed) for seed in range(10)],
        "line": [sunspots_by_line],
        "same": [lambda series: series[:-1]],
    }
    names = {"reservoir": "50 units", "line": "a line through nine years", "same": "as last year"}
    published: dict[str, float | str] = {
        "published": 0.086,
        "published_source": "Weigend, Huberman and Rumelhart 1990, as the literature quotes it: a trained "
        "feed-forward network that sees twelve past years",
    }
    for name, makers in forecasters.items():
        errors = [sunspot_errors(forecast) for forecast in makers]
        metric = (
            f"sunspots one year ahead, mean squared error over the variance of 1700 to 1979: {names[name]}, "
        )
        results += [
            summary(
                f"sunspots-{name}-near",
                metric + "1921 to 1955",
                [error.near for error in errors],
                **(published if name == "reservoir" else {}),
            ),
            summary(f"sunspots-{name}-far", metric + "1956 to 1979", [error.far for error in errors]),
        ]
    return results


def dynamics_results() -> list[Measurement]:
    """Memory capacity and chaos."""
    results = [
        summary(
            f"memory-{radius:g}",
            f"memory capacity over 100 delays, in steps: 100 units, radius {radius:g}, input scale 0.1",
            [float(memory(radius, seed).sum()) for seed in SEEDS[:3]],
        )
        for radius in (0.1, 0.5, 0.9, 1.0, 1.2)
    ]
    for scale, drive in ((0.0, "at rest in silence"), (1.0, "driven")):
        for radius in RADII:
            exponents = [
                lyapunov_exponent(
                    EchoStateNetwork(1, 1, 200, spectral_radius=radius, input_scale=scale, seed=seed),
                    mackey_glass_series(1000),
                )
                for seed in SEEDS[:3]
            ]
            metric = f"largest Lyapunov exponent a step, 200 units, {drive}, radius {radius:g}"
            results.append(summary(f"lyapunov-{drive.split()[-1]}-{radius:g}", metric, exponents))
    return results


def weight_change_results() -> list[Measurement]:
    """What gradients change when all weights are trained, and what that is worth."""
    results = []
    for optimizer, rate in ((torch.optim.SGD, 0.1), (torch.optim.Adam, 1e-3)):
        trained = [weight_changes(optimizer, rate, seed) for seed in SEEDS[:3]]
        kind = optimizer.__name__
        how = f"64 units, Mackey-Glass 21 ahead, 300 updates of {kind}"
        for name in trained[0].changes:
            metric = f"change of {name} over its norm at the start: {how}"
            id = f"change-{kind.lower()}-{name.lower().replace('_', '-')}"
            results.append(summary(id, metric, [run.changes[name] for run in trained]))
            metric = f"root mean square change of a weight of {name}: {how}"
            results.append(
                summary(id.replace("change", "move"), metric, [run.moves[name] for run in trained])
            )
        for name in trained[0].errors:
            id = f"error-{kind.lower()}-{name.replace(' ', '-')}"
            results.append(summary(id, f"NRMSE, {name}: {how}", [run.errors[name] for run in trained]))
    return results


def digit_results() -> list[Measurement]:
    """Spoken and written digits."""
    results = [
        summary(
            "spoken-sound",
            "share of 300 spoken digits named right: linear readout of the fading sound, no neurons",
            [spoken_digit_accuracy(lambda heard: faded(heard, 200.0, 2.0))],
        )
    ]
    metric = "share of 300 spoken digits named right: 200 spiking neurons, connections each: "
    for name, connections in (("liquid", 10), ("deaf", 0)):
        shares = []
        for seed in SEEDS[:2]:
            machine = listener(connections, seed)
            shares.append(spoken_digit_accuracy(partial(last_traces, machine)))
        results.append(summary(f"spoken-{name}", f"{metric}{connections}", shares))
    metric = "share of 2,000 written digits named right: "
    results.append(summary("written-linear", metric + "linear readout of the pixels", [linear_accuracy()]))
    for units in (100, 500, 1000, 2000):
        shares = [extreme_accuracy(units, seed) for seed in SEEDS[:3]]
        results.append(
            summary(f"written-{units}", metric + f"extreme learning machine, {units} units", shares)
        )
    return results


def reservoir_results() -> list[Measurement]:
    """All that lecture 09 claims beside what it measures itself."""
    return [*forecast_results(), *dynamics_results(), *digit_results()]


EXPERIMENTS = [
    Experiment("reservoirs", "forecasts, memory and chaos of reservoirs", 10, measuring(reservoir_results)),
    Experiment(
        "weight_changes",
        "which weights of a recurrent network gradients change",
        1,
        measuring(weight_change_results),
    ),
]
