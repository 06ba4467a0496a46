"""More hidden units overfit short sentences: an encoder–decoder without attention, from small to large.

Every size learns the same few short sentences for the same number of passes. After each pass, what it makes
of them is compared with what it makes of others.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome, over_seeds, sweep
from course_experiments.results import Measurement
from course_experiments.translation.translators import tokenise
from course_lib.applications.translator import SHIPPED_ENCODING
from course_lib.data import SentencePair, load_tatoeba
from course_lib.data.batches import Batch, length_batches
from course_lib.seq2seq.model import EncoderDecoder
from course_lib.text import BytePairEncoding
from course_lib.training.loop import train_steps
from course_lib.training.objectives import next_token_loss, validation_loss

SIZES, SEEDS = (16, 64, 256), 3
MOST_WORDS, SENTENCES, PASSES, BATCH_SIZE, LEARNING_RATE = 5, 2000, 24, 32, 2e-3


class Losses(NamedTuple):
    """Nats a token after each pass, the true tokens before it given."""

    learnt: list[float]
    others: list[float]


def short(pairs: Sequence[SentencePair], count: int) -> list[SentencePair]:
    """Return so many pairs whose source has few words, spread evenly over all of these."""
    found = [pair for pair in pairs if len(pair.source.split()) <= MOST_WORDS]
    return found[:: max(1, len(found) // count)][:count]


def learn(size: int, seed: int) -> Losses:
    """Train an encoder–decoder whose summary has `size` numbers; look at both losses after each pass."""
    data, encoding = load_tatoeba("fra"), BytePairEncoding.load(SHIPPED_ENCODING)
    learnt, others = (tokenise(short(pairs, SENTENCES), encoding) for pairs in (data.train, data.validation))
    torch.manual_seed(seed)
    model = EncoderDecoder("cho", len(encoding), 64, size, encoding.pad_id)
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    to_judge = [
        list(length_batches(pairs, 128, encoding.pad_id)) for pairs in (learnt[: len(others)], others)
    ]

    def loss(batch: Batch) -> Tensor:
        total, tokens = next_token_loss(model, batch)
        return total / tokens

    found = Losses([], [])
    for epoch in range(PASSES):
        batches = length_batches(learnt, BATCH_SIZE, encoding.pad_id, seed=1000 * seed + epoch)
        for _ in train_steps(map(loss, batches), optimizer, clip=1.0):
            pass
        for losses, judged in zip(found, to_judge, strict=True):
            losses.append(validation_loss(model, judged))
    return found


def results(size: int, runs: Sequence[Losses]) -> list[Measurement]:
    """Return what is to be recorded of a size."""
    what = f"no attention, {size} hidden units, {SENTENCES:,} sentences of up to {MOST_WORDS} words"
    how_long = f"({PASSES} passes, {SEEDS} seeds)"
    values = {
        "learnt": ("nats a token of sentences learnt from, at the end", [run.learnt[-1] for run in runs]),
        "others": ("nats a token of other sentences, at the end", [run.others[-1] for run in runs]),
        "lowest": ("nats a token of other sentences, after the best pass", [min(run.others) for run in runs]),
        "best-pass": (
            "the pass after which other sentences cost least",
            [1.0 + run.others.index(min(run.others)) for run in runs],
        ),
    }
    return [
        over_seeds(f"summary-{size}-{key}", "summary-sizes", f"{what}: {metric} {how_long}", found)
        for key, (metric, found) in values.items()
    ]


def run(budget: Budget) -> Outcome:
    """Train every size with every seed; measure."""
    jobs = [(str(size), seed) for size in SIZES for seed in range(SEEDS)]
    learnt = sweep(budget, jobs, lambda size, seed, _: learn(int(size), seed))
    if learnt is None:
        return PAUSED
    return Outcome(
        [each for size in SIZES for each in results(size, [Losses(*run) for run in learnt[str(size)]])]
    )


EXPERIMENTS = [
    Experiment("summary_sizes", "the size of a summary, and short sentences learnt by heart", 10, run)
]
