"""Read handwritten lines with CTC: what is trained, and how often it errs on pages that it has never seen."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path

import torch
from torch import Tensor

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.applications.handwriting import (
    BLANK_SIGN,
    SHIPPED,
    LineReader,
    count_characters,
    line_batches,
    line_loss,
    line_vocabulary,
    load_line_reader,
    next_character,
    read_lines,
    redrawn,
)
from course_lib.attention import keep_lengths
from course_lib.checkpoints import save_checkpoint
from course_lib.data import Line, load_handwriting
from course_lib.decoding.ctc_search import prefix_search
from course_lib.metrics.edits import error_rate
from course_lib.seq2seq.ctc import BLANK, ctc_loss
from course_lib.text.vocabulary import CharacterVocabulary
from course_lib.training.loop import Progress, Schedule, fit, train_steps

SCHEDULE = Schedule(42, 3e-3, warmup=100, patience=42)
BATCH = 10
CHANNELS, HIDDEN, DROPOUT = (16, 32, 48, 64), 80, 0.2
BEAM, LEAST = 8, 1e-3  # of prefix search: labels below that probability extend nothing
WEIGHTS, BONUSES = (0.3, 0.5), (0.5, 1.0, 1.5)  # of the character model
PLATEAU = (0, 5, 10, 20, 30, 40, 50, 60, 80, 100, 120)  # steps of training, all in the first pass
PASSES = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 25, 30, 35, 42)
PUBLISHED = {"best-path": 4.62, "prefix": 4.62, "language": 4.62, "series-b": 6.41, "series-d": 3.54}
SOURCE = (
    "Chagué and Pérez 2023, README of Peraire Ground Truth 2.0.0: Kraken, fine-tuned from a pretrained "
    "model, on all pages of the split; ours starts from nothing and has a part of the pages"
)


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
        save_checkpoint(folder / SHIPPED.name, model.eval(), config, int8=True)
    return model, progress


def texts(part: str) -> list[str]:
    """Return what is written on the lines of a part, "train", "validation" or "test"."""
    return [line.text for line in getattr(load_handwriting(), part)]


def plateau(steps: Sequence[int] = PLATEAU) -> Iterator[tuple[int, float, float]]:
    """Train anew from the start; yield (step, % of steps in time where the blank is likeliest, nats).

    Both are those of the batch that is then learnt from, in nats a character.

    Args:
        steps: of training, at which to look, in order.
    """
    model, vocabulary = untrained()
    batches = line_batches(load_handwriting().train, vocabulary, BATCH, seed=0)
    optimizer = torch.optim.Adam(model.parameters(), SCHEDULE.learning_rate, fused=True)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: SCHEDULE.factor(step, 10**6))
    shares: list[float] = []

    def losses() -> Iterator[Tensor]:
        for batch in batches:
            lines = redrawn(batch)
            said = model(lines.pictures, lines.widths)
            real = keep_lengths(said.lengths, said.logits.shape[1])
            shares.append(100 * (said.logits.argmax(dim=2)[real] == BLANK).double().mean().item())
            loss = ctc_loss(said.logits, lines.labels, said.lengths, lines.lengths)
            yield loss.sum() / lines.lengths.sum()

    for step, nats in enumerate(train_steps(losses(), optimizer, SCHEDULE.clip, scheduler)):
        if step in steps:
            yield step, shares[step], nats
        if step == steps[-1]:
            return


def measure(model: LineReader, vocabulary: CharacterVocabulary) -> list[Measurement]:
    """Return the character error rates on the test pages, of each search, in %."""
    data = load_handwriting()
    next_label = next_character(count_characters(data.train, vocabulary))

    def search(weight: float, bonus: float) -> Callable[[Tensor], Sequence[int]]:
        return lambda said: (
            prefix_search(said, BEAM, next_label if weight else None, weight, bonus, LEAST)[0].labels
        )

    def error(lines: Sequence[Line], written: Sequence[str]) -> float:
        return 100 * error_rate(written, [line.text for line in lines])

    def tried(chosen: tuple[float, float]) -> float:
        return error(data.validation, read_lines(model, vocabulary, data.validation, search(*chosen)))

    weight, bonus = min(product(WEIGHTS, BONUSES), key=tried)
    helped = read_lines(model, vocabulary, data.test, search(weight, bonus))
    plain = read_lines(model, vocabulary, data.test)
    searched = read_lines(model, vocabulary, data.test, search(0, 0))
    where = "233 lines of unseen pages, known writer"
    values = {
        "best-path": (error(data.test, plain), f"best path, {where}"),
        "prefix": (error(data.test, searched), f"prefix search, beam {BEAM}, {where}"),
        "language": (error(data.test, helped), f"prefix search with a model of characters, {where}"),
    }
    for series in ("B", "D"):
        lines, written = zip(
            *((line, text) for line, text in zip(data.test, helped, strict=True) if line.series == series),
            strict=True,
        )
        values[f"series-{series.lower()}"] = (error(lines, written), f"the same, series {series} only")
    found = [
        Measurement(
            f"lines-{name}",
            "lines",
            f"% of characters wrong, {what}",
            value,
            published=PUBLISHED[name],
            published_source=SOURCE,
        )
        for name, (value, what) in values.items()
    ]
    found += [
        Measurement("lines-weight", "lines", "weight of the character model, chosen on validation", weight),
        Measurement("lines-bonus", "lines", "bonus a character, chosen on validation", bonus),
    ]
    return found


def course(progress: Progress) -> list[Measurement]:
    """Return how the training went: the plateau at its start, and the errors on the validation pages."""
    found = [Measurement("lines-minutes", "lines", "CPU minutes of training", progress.cpu_seconds / 60)]
    for step, share, nats in plateau():
        after = f"after {step} steps of training"
        what = f"% of time where the blank leads, {after}"
        found.append(Measurement(f"lines-blanks-{step:03}", "lines", what, share))
        found.append(Measurement(f"lines-nats-{step:03}", "lines", f"nats a character, {after}", nats))
    for told in progress.history:
        if (passes := int(told["epoch"])) in PASSES:
            what = f"% of characters wrong on validation pages, best path, after {passes} passes"
            value = 100 * told["validation_loss"]
            found.append(Measurement(f"lines-pass-{passes:02}", "lines", what, value))
    return found


def run(budget: Budget) -> Outcome:
    """Train a reader and measure it."""
    _, progress = train_line_reader(budget.folder, budget.minutes)
    if progress.stopped == "paused":
        return PAUSED
    path = budget.folder / SHIPPED.name
    return Outcome([*measure(*load_line_reader(path)), *course(progress)], [path])


EXPERIMENTS = [
    Experiment("line_reader", "read handwritten lines with CTC, lecture 13", 28, run, ships=(SHIPPED.name,))
]
