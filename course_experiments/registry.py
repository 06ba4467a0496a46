"""Every experiment of the course, found where it is written, and the runner that `course train` calls."""

import shutil
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import torch

import course_experiments
from course_experiments.protocol import Budget, Experiment
from course_experiments.results import Measurement, new_result, record
from course_lib.checkpoints import FOLDER

RUNS = Path(__file__).parents[1] / "runs"


def _modules() -> Iterator[str]:
    """Yield the modules in the topics' folders."""
    for module in walk_packages(course_experiments.__path__, "course_experiments."):
        if module.name.count(".") == 2:
            yield module.name


@cache
def experiments() -> dict[str, Experiment]:
    """Return every experiment by its name: the `EXPERIMENTS` of all files in the topics' folders.

    Raises:
        ValueError: two experiments have the same name.
    """
    found: dict[str, Experiment] = {}
    for name in _modules():
        for experiment in getattr(import_module(name), "EXPERIMENTS", ()):
            if experiment.name in found:
                raise ValueError(f"two experiments are called {experiment.name!r}; the second is in {name}")
            found[experiment.name] = experiment
    return found


def train(name: str, minutes: float | None = None, fresh: bool = False, ship: bool = False) -> Path:
    """Run an experiment; where it was interrupted before, go on.

    Args:
        name: one of `experiments`.
        minutes: pause after about so many minutes of wall-clock time; the next call goes on.
        fresh: start anew, even if there is something to go on from.
        ship: put the trained models into the package, and what was measured into the register.

    Returns:
        the trained model, under `runs/`; the experiment's folder where there is none, or not yet.

    Raises:
        ValueError: no such experiment.
    """
    if name not in experiments():
        raise ValueError(f"name is {name!r}; allowed are {', '.join(map(repr, experiments()))}")
    experiment, folder = experiments()[name], RUNS / name
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    outcome = experiment.run(Budget(folder, minutes))
    for measured in outcome.measurements:
        print(f"{measured.metric}: {measured.text}")
    if outcome.paused:
        print(f"{name} is paused; the same command goes on from here.")
    if ship:
        for checkpoint in outcome.checkpoints:
            if checkpoint.name in experiment.ships:
                shutil.copy(checkpoint, FOLDER)
        keep(outcome.measurements, f"course train {name} --ship")
    return outcome.checkpoints[0] if outcome.checkpoints else folder


def keep(measurements: Iterable[Measurement], command: str) -> None:
    """Write what was just measured into the register: nothing else does.

    Args:
        measurements: from this machine, on one thread, from seed 0.
        command: what measured them.
    """
    record(*(new_result(measured, command) for measured in measurements))
