"""What an experiment is, and what the runner and an experiment tell each other.

Every file of experiments ends with its `EXPERIMENTS`; `registry.py` finds them and runs them. The runner owns
seed, threads, folder, pausing and recording. An experiment trains and measures, and says what it found.
"""

import json
import math
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, TypeVar

import torch

from course_experiments.results import Measurement

Found = TypeVar("Found")


@dataclass(frozen=True)
class Budget:
    """What an experiment may use.

    Args:
        folder: its own, and it exists; what an interrupted run left there is gone on from.
        minutes: of wall-clock time, after which to pause; None never pauses.
    """

    folder: Path
    minutes: float | None = None

    def beside(self, name: str) -> Path:
        """Return the folder of another experiment, which may not have been run."""
        return self.folder.parent / name

    def clock(self) -> Callable[[], bool]:
        """Start the time, and return what says whether it is over."""
        end = math.inf if self.minutes is None else time.monotonic() + 60 * self.minutes
        return lambda: time.monotonic() >= end


@dataclass(frozen=True)
class Outcome:
    """What an experiment found within its budget.

    Args:
        measurements: what is complete; for the register.
        checkpoints: trained models, in the experiment's folder.
        paused: the budget ran out; the next run goes on.
    """

    measurements: Sequence[Measurement] = ()
    checkpoints: Sequence[Path] = ()
    paused: bool = False


PAUSED = Outcome(paused=True)


@dataclass(frozen=True)
class Experiment:
    """One experiment.

    Args:
        name: what `course train` calls it.
        what: in a few words.
        minutes: roughly, of processor time.
        run: does it within a budget, as often as it takes.
        ships: names of the checkpoints that go into the package; others stay in the folder of runs.
    """

    name: str
    what: str
    minutes: float
    run: Callable[[Budget], Outcome]
    ships: tuple[str, ...] = ()

    @property
    def cost(self) -> str:
        """What it costs, in words."""
        if self.minutes < 1:
            return "seconds"
        if self.minutes < 90:
            return f"about {self.minutes:g} CPU minute{'s' * (self.minutes > 1)}"
        return f"about {self.minutes / 60:.0f} CPU hours"


def measuring(measure: Callable[[], Sequence[Measurement]]) -> Callable[[Budget], Outcome]:
    """Return how an experiment runs that only measures, and never pauses."""
    return lambda budget: Outcome(measure())


def sweep(
    budget: Budget, jobs: Sequence[tuple[str, int]], run: Callable[[str, int, Sequence[Found]], Found]
) -> dict[str, list[Found]] | None:
    """Run every job that was not run before; what is done is kept in the experiment's folder.

    Args:
        budget: of the experiment; when its minutes are over, no other job begins.
        jobs: name and seed.
        run: does a job, given what the same name found with the seeds before; returns what it found, as JSON
            can hold it.

    Returns:
        name -> what was found, a seed after the other; None where the budget ran out.
    """
    path, over = budget.folder / "runs.json", budget.clock()
    done: dict[str, Found] = json.loads(path.read_text(encoding="utf8")) if path.exists() else {}
    found: dict[str, list[Found]] = {name: [] for name, _ in jobs}
    for name, seed in jobs:
        job = f"{name} {seed}"
        if job not in done:
            if over():
                return None
            done[job] = run(name, seed, found[name])
            beside = path.with_suffix(".part")
            beside.write_text(json.dumps(done), encoding="utf8")
            os.replace(beside, path)
        found[name].append(done[job])
    return found


def over_seeds(
    id: str,
    experiment: str,
    metric: str,
    values: Sequence[float],
    published: float | None = None,
    published_source: str = "",
) -> Measurement:
    """Return the mean over seeds, with the standard deviation where there are two or more."""
    spread = stdev(values) if len(values) > 1 else None
    return Measurement(id, experiment, metric, fmean(values), spread, published, published_source)


def each_seed(id: str, experiment: str, metric: str, values: Sequence[float]) -> list[Measurement]:
    """Return what each seed found, from seed 0 on: a mean does not tell that one of three failed."""
    return [
        Measurement(f"{id}-seed-{seed}", experiment, f"{metric}, seed {seed}", value)
        for seed, value in enumerate(values)
    ]


def side_by_side(run: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Run jobs in two processes of one thread each; return what they returned, in order."""
    with ProcessPoolExecutor(
        min(2, os.cpu_count() or 1), initializer=torch.set_num_threads, initargs=(1,)
    ) as pool:
        return list(pool.map(run, *zip(*jobs, strict=True)))
