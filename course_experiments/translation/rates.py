"""Try the same learning rates on every rung of the translation ladder, for a few hundred steps each."""

import itertools

import torch
from torch import Tensor

from course_experiments.protocol import Experiment, measuring, side_by_side
from course_experiments.results import Measurement
from course_experiments.translation.rungs import LADDER
from course_experiments.translation.translators import RECIPES, tokenise
from course_lib.applications.families import build
from course_lib.applications.translator import SHIPPED_ENCODING
from course_lib.data import load_tatoeba
from course_lib.data.batches import Batch, length_batches
from course_lib.text import BytePairEncoding
from course_lib.training.loop import Schedule, train_steps
from course_lib.training.objectives import next_token_loss, validation_loss

RATES = (1e-3, 2e-3, 3e-3, 6e-3)
STEPS = 400
CLIMB = 200  # steps in which a rate is reached; it then stays


def try_rate(name: str, rate: float, steps: int = STEPS) -> float:
    """Train a fresh rung for some steps; return its validation loss in nats a token.

    Args:
        name: a rung.
        rate: highest learning rate (Adam); clipping, batches and dropout as in the rung's recipe.
        steps: how many.
    """
    torch.manual_seed(0)
    encoding, data = BytePairEncoding.load(SHIPPED_ENCODING), load_tatoeba("fra")
    recipe = RECIPES[name]
    config = {**recipe.sizes, "vocabulary_size": len(encoding)}
    model = build(config, pad_id=encoding.pad_id, dropout=recipe.dropout)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, fused=True)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / CLIMB))
    batches = length_batches(tokenise(data.train, encoding), recipe.batch_size, encoding.pad_id, seed=0)

    def loss(batch: Batch) -> Tensor:
        total, tokens = next_token_loss(model, batch)
        return total / tokens

    for _ in train_steps(map(loss, itertools.islice(batches, steps)), optimizer, Schedule.clip, scheduler):
        pass
    held_out = length_batches(tokenise(data.validation, encoding), 128, encoding.pad_id)
    return validation_loss(model.eval(), list(held_out))


def try_rates() -> list[Measurement]:
    """Try every rate on every rung of the ladder, two side by side; return what is to be recorded."""
    trials = list(itertools.product(LADDER, RATES))
    losses = side_by_side(try_rate, trials)
    return [
        Measurement(
            id=rate_id(name, rate),
            experiment="rates",
            metric=f"{name}: validation nats a token after {STEPS} steps at a learning rate of {rate:g}",
            value=loss,
        )
        for (name, rate), loss in zip(trials, losses, strict=True)
    ]


def rate_id(name: str, rate: float) -> str:
    """Return the id of one trial in the register."""
    return f"rate-{name.replace('_', '-')}-{1000 * rate:g}e-3"


EXPERIMENTS = [
    Experiment("rates", "the same learning rates on every rung, 400 steps each", 30, measuring(try_rates))
]
