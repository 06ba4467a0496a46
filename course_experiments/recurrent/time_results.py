"""What is recorded of TCN, LSTM and several clocks, beside what Bai et al. report."""

import itertools
import math
from collections.abc import Sequence
from functools import partial

from course_experiments.protocol import Experiment, measuring, over_seeds, side_by_side
from course_experiments.recurrent.time_characters import Reading, try_characters
from course_experiments.recurrent.time_tasks import (
    BIT_STEPS,
    CLOCKS,
    DELAYS,
    LENGTH,
    PLANS,
    TASKS,
    Trial,
    try_network,
)
from course_experiments.results import Measurement

SEEDS = (0, 1, 2)
BIT_SEEDS = range(8)


def share_of_trivial(trial: Trial) -> list[float]:
    """Return a learning curve in percent of the loss of who remembers nothing."""
    return [100 * loss / TASKS[trial.task].trivial for loss in trial.curve]


# Bai, Kolter and Koltun 2018, table 1: loss of TCN and LSTM, loss of who remembers nothing, set-up.
REPORTED = {
    "adding": ({"tcn": 5.8e-5, "lstm": 0.164}, 1 / 6, "T = 600, 70,000 parameters"),
    "copying": ({"tcn": 3.5e-5, "lstm": 0.0204}, 10 * math.log(8) / 1020, "T = 1000, 16,000 parameters"),
}
REPORTED_BITS = {"tcn": 1.31, "lstm": 1.36}  # bits a character of Penn Treebank, the same table


def memory_results(trials: Sequence[Trial]) -> list[Measurement]:
    """Return what is recorded of adding and copying.

    Args:
        trials: all seeds of both networks.
    """
    results = []
    for task, network in itertools.product(REPORTED, ("tcn", "lstm")):
        runs = [trial for trial in trials if (trial.task, trial.network) == (task, network)]
        told = f"{task}, {network}, T = {LENGTH}, {len(runs)} seed(s)"
        losses, trivial, setup = REPORTED[task]
        curves = [share_of_trivial(run) for run in runs]
        what = f"{told}: loss after {PLANS[task][0]} steps, % of the loss of who remembers nothing"
        new = partial(over_seeds, experiment="tcn")
        results += [
            new(
                id=f"tcn-{task}-{network}-loss",
                metric=what,
                published=round(100 * losses[network] / trivial, 3),
                published_source=f"Bai et al. 2018, table 1: {losses[network]:g}; {setup}, trained longer",
                values=[curve[-1] for curve in curves],
            ),
            new(
                id=f"tcn-{task}-{network}-parameters",
                metric=f"{told}: parameters",
                values=[runs[0].parameters],
            ),
            new(
                id=f"tcn-{task}-{network}-cpu-seconds",
                metric=f"{told}: CPU seconds of training on a busy machine",
                values=[run.cpu_seconds for run in runs],
            ),
        ]
        results += [
            Measurement(
                id=f"tcn-{task}-{network}-seed-{run.seed}",
                experiment="tcn",
                metric=f"{what}, seed {run.seed}",
                value=curve[-1],
            )
            for run, curve in zip(runs, curves, strict=True)
        ]
        results += [
            new(
                id=f"tcn-{task}-{network}-step-{100 * point}",
                metric=f"{told}: loss after {100 * point} steps, % of the loss of who remembers nothing",
                values=at_point,
            )
            for point, at_point in enumerate(zip(*curves, strict=True))
        ]
    return results


def character_results(readings: Sequence[Reading]) -> list[Measurement]:
    """Return what is recorded of the networks on characters.

    Args:
        readings: one run of each network.
    """
    results = []
    for reading in readings:
        told = f"tiny Shakespeare, {reading.network}"
        new = partial(Measurement, experiment="tcn")
        bits = REPORTED_BITS[reading.network]
        results += [
            new(
                id=f"tcn-characters-{reading.network}-nats",
                metric=f"{told}: nats a character, first 20,000 characters of the last tenth",
                value=reading.curve[-1],
                published=round(bits * math.log(2), 3),
                published_source=f"Bai et al. 2018, table 1: {bits} bits; Penn Treebank, 3M parameters",
            ),
            new(
                id=f"tcn-characters-{reading.network}-parameters",
                metric=f"{told}: parameters",
                value=reading.parameters,
            ),
            new(
                id=f"tcn-characters-{reading.network}-read",
                metric=f"{told}: characters read in the time",
                value=reading.characters,
            ),
        ]
        results += [
            new(
                id=f"tcn-characters-{reading.network}-tenth-{tenth}",
                metric=f"{told}: nats a character after {tenth} tenths of the time",
                value=nats,
            )
            for tenth, nats in enumerate(reading.curve, start=1)
        ]
    return results


def clock_results(trials: Sequence[Trial]) -> list[Measurement]:
    """Return what is recorded of a delayed bit.

    Args:
        trials: all seeds of all networks at all delays.
    """
    results = []
    for network in CLOCKS:
        new = partial(over_seeds, experiment="delayed-bit")
        runs = [trial for trial in trials if trial.network == network]
        results.append(
            new(
                id=f"delayed-bit-{network}-parameters",
                metric=f"delayed bit, {network}: parameters",
                values=[runs[0].parameters],
            )
        )
        for delay in DELAYS:
            right = [100 * run.right for run in runs if run.task == f"bit-{delay}"]
            results.append(
                new(
                    id=f"delayed-bit-{network}-{delay}",
                    metric=f"delayed bit, {network}: % told right after {delay} steps of noise, "
                    f"{BIT_STEPS} updates, {len(right)} seed(s)",
                    values=right,
                )
            )
    return results


def tcn_results() -> list[Measurement]:
    """Train TCN and LSTM on all three tasks; return what is to be recorded."""
    pairs = [*itertools.product(REPORTED, ("tcn", "lstm"), SEEDS)]
    trials = side_by_side(try_network, pairs)
    return memory_results(trials) + character_results(side_by_side(try_characters, [("tcn", 0), ("lstm", 0)]))


def delayed_bit_results() -> list[Measurement]:
    """Train all networks of `CLOCKS` at all delays; return what is to be recorded."""
    jobs = [*itertools.product((f"bit-{delay}" for delay in DELAYS), CLOCKS, BIT_SEEDS)]
    return clock_results(side_by_side(try_network, jobs))


EXPERIMENTS = [
    Experiment("tcn", "TCN beside LSTM on adding, copying and characters", 15, measuring(tcn_results)),
    Experiment(
        "delayed_bit",
        "networks with several clocks that remember a bit",
        5,
        measuring(delayed_bit_results),
    ),
]
