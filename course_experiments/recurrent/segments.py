"""Segment classification: name each letter of a handwritten line whose borders are known.

Two networks of the same form and size. One sees each letter alone, as a sequence of one step; the other reads
all letters of the line, from both sides. What they differ by is what the neighbours are worth (Graves 2012,
section 2.3.2). Both see a letter as the convolutions of the shipped line reader see it, cut out of its line.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from course_experiments.protocol import Experiment, measuring, over_seeds
from course_experiments.results import Measurement
from course_lib.applications.handwriting import find_letters, ink, load_line_reader, look_at
from course_lib.attention import keep_lengths
from course_lib.data import Line, load_handwriting
from course_lib.data.batches import neighbours, pad
from course_lib.recurrent import LSTM, ManyToMany, Stacked, step_loss
from course_lib.training.loop import train_steps

HALF = 12  # pixels on each side of a letter's middle that are seen, within its borders
FEATURES = 384  # 128 of each pair of columns
HIDDEN, BATCH, PASSES, LEARNING_RATE = 48, 10, 8, 4e-3
SEEDS = range(3)
AMBIGUOUS = "nurvi"  # letters of one or two short strokes


class Letters(NamedTuple):
    """The letters of one line."""

    seen: Float[Tensor, "letters features"]  # of each, cut out
    labels: Int[Tensor, "letters"]


def cut(
    picture: Float[Tensor, "40 width"], middle: float, left: float, right: float
) -> Float[Tensor, "40 24"]:
    """Return a letter by itself, its middle in the middle, and paper beyond its borders."""
    first = round(middle) - HALF
    columns = torch.arange(first, first + 2 * HALF)
    inside = (columns >= left) & (columns < right) & (columns >= 0) & (columns < picture.shape[1])
    return picture[:, columns.clamp(0, picture.shape[1] - 1)] * inside


def cut_line(line: Line) -> Letters:
    """Cut a line at the borders that the shipped reader finds, and name its letters."""
    reader, vocabulary = load_line_reader()
    labels = vocabulary.encode(line.text)
    middles, borders = find_letters(look_at(reader, [line])[0], labels.tolist())
    letters = torch.stack(
        [cut(ink(line.picture), *place) for place in zip(middles, borders[:-1], borders[1:], strict=True)]
    )
    with torch.no_grad():
        columns, _ = reader.look(letters, torch.full((len(letters),), 2 * HALF))
    return Letters(functional.avg_pool1d(columns.transpose(1, 2), 2).flatten(1), labels)


@cache
def cut_part(part: str) -> tuple[Letters, ...]:
    """Cut all lines of a part, "train" or "test"."""
    return tuple(map(cut_line, getattr(load_handwriting(), part)))


class LetterBatch(NamedTuple):
    """Letters of several lines; padding behind the end of each."""

    seen: Float[Tensor, "batch letters features"]
    labels: Int[Tensor, "batch letters"]
    lengths: Int[Tensor, "batch"]

    def alone(self) -> "LetterBatch":
        """Return each letter as a sequence of its own."""
        real = keep_lengths(self.lengths, self.labels.shape[1])
        return LetterBatch(
            self.seen[real][:, None],
            self.labels[real][:, None],
            torch.ones(int(real.sum()), dtype=torch.long),
        )


def batches(lines: Sequence[Letters], context: bool, seed: int | None = None) -> Iterator[LetterBatch]:
    """Yield all lines, some at a time; without context each letter is a sequence of its own."""
    for places in neighbours([len(line.labels) for line in lines], BATCH, seed):
        chosen = [lines[place] for place in places]
        batch = LetterBatch(
            torch.nn.utils.rnn.pad_sequence([line.seen for line in chosen], batch_first=True),
            pad([line.labels.tolist() for line in chosen], 0),
            torch.tensor([len(line.labels) for line in chosen]),
        )
        yield batch if context else batch.alone()


def train_letters(
    context: bool, seed: int, lines: Sequence[Letters], classes: int, passes: int = PASSES
) -> ManyToMany:
    """Train a network to name letters.

    Args:
        context: whether it reads a line's letters together, or each by itself.
        seed: of weights and batches.
        lines: to learn from.
        classes: labels that there are.
        passes: over the lines.
    """
    torch.manual_seed(seed)
    model = ManyToMany(Stacked(LSTM, FEATURES, HIDDEN, bidirectional=True), classes)
    steps = passes * -(-len(lines) // BATCH)
    optimizer = torch.optim.Adam(model.parameters(), LEARNING_RATE)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, steps)
    read = (batch for turn in range(passes) for batch in batches(lines, context, seed=1000 * seed + turn))
    losses = (step_loss(model(batch.seen, batch.lengths), batch.labels, batch.lengths) for batch in read)
    for _ in train_steps(losses, optimizer, clip=1.0, scheduler=falling):
        pass
    return model.eval()


@torch.no_grad()
def mistakes(
    model: ManyToMany, context: bool, lines: Sequence[Letters]
) -> tuple[Bool[np.ndarray, "count"], Int[np.ndarray, "count"]]:
    """Return of every letter whether it is named wrong, and its label."""
    wrong, labels = [], []
    for batch in batches(lines, context):
        real = keep_lengths(batch.lengths, batch.labels.shape[1])
        named = model(batch.seen, batch.lengths).argmax(dim=2)
        wrong.append((named != batch.labels)[real])
        labels.append(batch.labels[real])
    return torch.cat(wrong).numpy(), torch.cat(labels).numpy()


def segment_results() -> list[Measurement]:
    """Train both, from each seed; return what they get wrong on pages that they have not seen."""
    vocabulary = load_line_reader()[1]
    thin = vocabulary.encode(AMBIGUOUS).numpy()
    found = []
    for name, context in (("alone", False), ("context", True)):
        errors: dict[str, list[float]] = {"all": [], "thin": []}
        for seed in SEEDS:
            model = train_letters(context, seed, cut_part("train"), len(vocabulary))
            wrong, labels = mistakes(model, context, cut_part("test"))
            errors["all"].append(100 * float(wrong.mean()))
            errors["thin"].append(100 * float(wrong[np.isin(labels, thin)].mean()))
        for which, what in (("all", "letters"), ("thin", f"letters {', '.join(AMBIGUOUS)}")):
            found.append(
                over_seeds(
                    f"segments-{name}-{which}",
                    "segments",
                    f"% of {what} named wrong on unseen pages, borders given, {name}, {len(SEEDS)} seeds",
                    errors[which],
                )
            )
    return found


EXPERIMENTS = [
    Experiment("segments", "letters named alone and with their neighbours", 5, measuring(segment_results))
]
