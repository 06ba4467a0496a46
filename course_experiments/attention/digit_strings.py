"""CTC beside attention on digits said in a row: the same ears, the same strings, the same processor time.

Attention comes twice: by content alone, and by content and location (Chorowski et al. 2015). A step of each
costs about the same, for the ears do most of the work. Each kind gets the learning rate that
serves it better on held-out recordings, then three seeds. They are tested on strings of the length they were
trained on, and on strings twice as long.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import torch

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.applications.digit_strings import (
    SHIPPED,
    Speller,
    StringBatch,
    StringListener,
    build,
    load_string_model,
    nats,
    string_batches,
    take_down,
)
from course_lib.checkpoints import save_checkpoint
from course_lib.data.spoken_digits import SpokenDigit, load_spoken_digits
from course_lib.data.spoken_strings import SpokenString, spoken_strings
from course_lib.metrics.edits import error_rate
from course_lib.training.loop import Schedule, fit

SIZES = {"embedding_size": 48, "hidden_size": 64}
DROPOUT, BATCH, STRINGS, PASSES = 0.2, 16, 640, 30  # a pass is so many strings, drawn anew
KNOWN, LONGER = (3, 6), (10, 12)  # digits of a string
LOOKED_AT = (2, 4, 6, 8, 10, 12, 15, 20, 25, 30)  # passes
RATES, SEEDS = (3e-3, 6e-3), 3
KINDS = {"ctc": "CTC", "attention": "attention", "location": "attention with location"}


@dataclass(frozen=True)
class Job:
    """One training."""

    kind: str
    rate: float
    seed: int

    @property
    def name(self) -> str:
        """Of its folder."""
        return f"{self.kind}-{self.rate:g}-{self.seed}"

    @property
    def checkpoint(self) -> str:
        """The name of its checkpoint."""
        return f"digit_strings_{self.kind}.safetensors"


def clips(held_out: bool) -> list[SpokenDigit]:
    """Return the training recordings: those to learn from, or the last take of each word and voice."""
    return [clip for clip in load_spoken_digits().train if (clip.take == 14) is held_out]


def new_strings(lengths: tuple[int, int], count: int = 200) -> list[SpokenString]:
    """Return strings of recordings that nothing was trained on or chosen by."""
    return spoken_strings(load_spoken_digits().test, count, *lengths, seed=0)


def digit_error(model: StringListener | Speller, strings: Sequence[SpokenString]) -> float:
    """Return edits a digit."""
    return error_rate(
        [list(map(str, digits)) for digits in take_down(model, strings)],
        [list(map(str, string.digits)) for string in strings],
    )


def train_string_model(job: Job, folder: Path, passes: int = PASSES, minutes: float | None = None) -> bool:
    """Train a model, or go on; write its checkpoint and what it cost at the end.

    Args:
        job: what to train.
        folder: of this job.
        passes: how long.
        minutes: pause after about so many; None never pauses.

    Returns:
        whether it is finished.
    """
    torch.manual_seed(job.seed)
    model = build(job.kind, **SIZES, dropout=DROPOUT)
    held_out = spoken_strings(clips(held_out=True), 60, *KNOWN, seed=0)
    loss = partial(nats, model)

    def batches(epoch: int) -> Iterator[StringBatch]:
        seed = 1000 * job.seed + epoch
        return string_batches(spoken_strings(clips(held_out=False), STRINGS, *KNOWN, seed), BATCH, seed)

    schedule = Schedule(passes, job.rate, warmup=50, patience=passes)
    progress = fit(
        model,
        loss,
        batches,
        STRINGS // BATCH,
        lambda: digit_error(model, held_out),
        schedule,
        folder,
        minutes,
    )
    if progress.stopped != "paused":
        save_checkpoint(folder / job.checkpoint, model.eval(), SIZES, int8=True)
        told = {
            "error": progress.best_loss,
            "minutes": progress.cpu_seconds / 60,
            "history": progress.history,
        }
        (folder / "told.json").write_text(json.dumps(told), encoding="utf8")
    return progress.stopped != "paused"


def run(kind: str, budget: Budget) -> Outcome:
    """Train a kind at both rates, then at the better one with two more seeds; measure."""
    over = budget.clock()

    def told(job: Job) -> dict[str, Any] | None:
        """Train a job where it is not finished; None where the time is over."""
        folder = budget.folder / job.name
        if not (folder / "told.json").exists() and (over() or not train_string_model(job, folder)):
            return None
        found: dict[str, Any] = json.loads((folder / "told.json").read_text(encoding="utf8"))
        return found

    first = {rate: told(Job(kind, rate, 0)) for rate in RATES}
    errors = {rate: found["error"] for rate, found in first.items() if found}
    if len(errors) < len(RATES):
        return PAUSED
    jobs = [Job(kind, min(errors, key=errors.__getitem__), seed) for seed in range(SEEDS)]
    runs = [found for found in map(told, jobs) if found]
    if len(runs) < SEEDS:
        return PAUSED
    paths = [budget.folder / job.name / job.checkpoint for job in jobs]
    return Outcome(measure(kind, paths, runs), paths[:1])


def measure(kind: str, paths: Sequence[Path], runs: Sequence[dict[str, Any]]) -> list[Measurement]:
    """Return the errors of a kind on new strings, mean and spread over seeds, and how training went.

    Args:
        kind: one of `KINDS`.
        paths: its checkpoints.
        runs: what each training told.
    """
    models = [load_string_model(kind, path) for path in paths]
    found: list[tuple[str, str, Sequence[float]]] = []
    for name, lengths in (("known", KNOWN), ("longer", LONGER)):
        errors = [100 * digit_error(model, new_strings(lengths)) for model in models]
        what = f"% of digits wrong, {lengths[0]} to {lengths[1]} spoken digits in a row, new recordings"
        found.append((name, what, errors))
    for passed in LOOKED_AT:
        errors = [100 * run["history"][passed - 1]["validation_loss"] for run in runs]
        what = f"% of digits wrong after {passed} passes, held-out recordings"
        found.append((f"pass-{passed:02}", what, errors))
    costs = [run["minutes"] for run in runs]
    found.append(("minutes", "CPU minutes of training on spoken digits in a row", costs))
    return [
        Measurement(
            f"digit-strings-{kind}-{name}",
            "digit-strings",
            f"{KINDS[kind]}: {what}",
            fmean(values),
            stdev(values),
        )
        for name, what, values in found
    ]


EXPERIMENTS = [
    Experiment(
        f"digit_strings_{kind}",
        f"{name} on spoken digits in a row, lecture 13",
        9,
        partial(run, kind),
        ships=(SHIPPED[kind].name,) if kind in SHIPPED else (),
    )
    for kind, name in KINDS.items()
]
