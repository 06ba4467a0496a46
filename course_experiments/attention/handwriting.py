"""Read handwritten lines with CTC: what is trained, and how often it errs on pages that it has never seen."""

from pathlib import Path

import torch

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_lib.applications.handwriting import (
    BLANK_SIGN,
    LineReader,
    line_batches,
    line_loss,
    line_vocabulary,
    read_lines,
    redrawn,
)
from course_lib.checkpoints import save_checkpoint
from course_lib.data import load_handwriting
from course_lib.metrics.edits import error_rate
from course_lib.text.vocabulary import CharacterVocabulary
from course_lib.training.loop import Progress, Schedule, fit

SCHEDULE = Schedule(42, 3e-3, warmup=100, patience=42)
BATCH = 10
CHANNELS, HIDDEN, DROPOUT = (16, 32, 48, 64), 80, 0.2
FILE = "line_reader.safetensors"


def untrained() -> tuple[LineReader, CharacterVocabulary]:
    """Return a reader before training, from seed 0, and its vocabulary."""
    torch.manual_seed(0)
    vocabulary = line_vocabulary(load_handwriting().characters)
    return LineReader(len(vocabulary), CHANNELS, HIDDEN, DROPOUT), vocabulary


def train_line_reader(
    folder: Path, minutes: float | None = None, schedule: Schedule = SCHEDULE
) -> tuple[LineReader, Progress]:
    """Train a reader; write `folder/line_reader.safetensors` at its end.

    Args:
        folder: where the state of training is kept.
        minutes: pause after about so many minutes; None never pauses.
        schedule: how long and how fast.
    """
    model, vocabulary = untrained()
    lines = load_handwriting()
    progress = fit(
        model,
        lambda batch: line_loss(model, redrawn(batch)),
        lambda epoch: line_batches(lines.train, vocabulary, BATCH, seed=epoch),
        -(-len(lines.train) // BATCH),
        lambda: error_rate(read_lines(model, vocabulary, lines.validation), texts("validation")),
        schedule,
        folder,
        minutes,
    )
    if progress.stopped != "paused":
        config = {"sizes": model.config, "characters": vocabulary.characters.removeprefix(BLANK_SIGN)}
        save_checkpoint(folder / FILE, model.eval(), config, int8=True)
    return model, progress


def texts(part: str) -> list[str]:
    """Return what is written on the lines of a part, "train", "validation" or "test"."""
    return [line.text for line in getattr(load_handwriting(), part)]


def run(budget: Budget) -> Outcome:
    """Train a reader and measure it."""
    _, progress = train_line_reader(budget.folder, budget.minutes)
    if progress.stopped == "paused":
        return PAUSED
    return Outcome([], [budget.folder / FILE])


EXPERIMENTS = [
    Experiment("line_reader", "read handwritten lines with CTC, lecture 13", 22, run, ships=(FILE,))
]
