"""Describe films: what 3-D convolutions add, what attention over frames adds, and both.

The four-way comparison of Yao et al. 2015, table 1, on films that are made: all networks see as many, of
digits that they are not measured on.
"""

from collections.abc import Iterator
from functools import partial

import torch
from jaxtyping import Int
from torch import Generator, Tensor
from torch.nn import functional

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.applications.describer import FilmDescriber
from course_lib.applications.writing import write
from course_lib.checkpoints import save_checkpoint
from course_lib.data.described_films import (
    DIGIT_PLACES,
    MOTION_PLACES,
    WORDS,
    DescribedFilms,
    describe_films,
)
from course_lib.data.mnist import load_mnist
from course_lib.data.special import BEGIN, PAD
from course_lib.training.loop import Schedule, fit

BATCH, BATCHES, EPOCHS, RATE = 64, 150, 7, 4e-3
PROBE = 1000  # films to measure on
KINDS = {  # attention, motion
    "neither": (False, False),
    "motion": (False, True),
    "attention": (True, False),
    "both": (True, True),
}
TOLD = {
    "neither": "encoder–decoder",
    "motion": "+ 3-D convolutions",
    "attention": "+ attention over frames",
    "both": "+ both",
}


def batches(epoch: int) -> Iterator[DescribedFilms]:
    """Yield new films of training digits; the same for the same epoch."""
    generator = Generator().manual_seed(epoch)
    for _ in range(BATCHES):
        yield describe_films(load_mnist().train, BATCH, generator)


def loss(network: FilmDescriber, batch: DescribedFilms) -> Tensor:
    """Return nats a word, the true words before it given."""
    logits, _ = network(batch.frames, batch.sentences[:, :-1])
    return functional.cross_entropy(logits.flatten(0, 1), batch.sentences[:, 1:].flatten())


def written(network: FilmDescriber, films: DescribedFilms) -> Int[Tensor, "films words"]:
    """Return what a network writes, greedily, padded to the length of the true sentences."""
    length = films.sentences.shape[1]
    said = write(network, films.frames, WORDS, limit=length - 1)
    rows = [[BEGIN, *map(WORDS.index, each.tokens)] for each in said]
    return torch.tensor([row + [PAD] * (length - len(row)) for row in rows])


def scores(said: Int[Tensor, "films words"], true: Int[Tensor, "films words"]) -> dict[str, float]:
    """Return shares in %.

    Args:
        said, true: sentences.

    Returns:
        "digits" and "motions" named right at their places, and whole "sentences".
    """
    right = said == true
    shares = {
        "digits": right[:, DIGIT_PLACES],
        "motions": right[:, MOTION_PLACES],
        "sentences": right.all(dim=1),
    }
    return {name: 100 * hit.double().mean().item() for name, hit in shares.items()}


def run(budget: Budget) -> Outcome:
    """Train the four networks and measure them."""
    over, found, shipped = budget.clock(), list[Measurement](), []
    held_out = describe_films(load_mnist().train, 200, Generator().manual_seed(20_000))
    test = describe_films(load_mnist().test, PROBE, Generator().manual_seed(10_000))
    for kind, (attention, motion) in KINDS.items():
        torch.manual_seed(0)
        network = FilmDescriber(attention, motion)

        def validate(network: FilmDescriber = network) -> float:
            with torch.no_grad():
                return loss(network, held_out).item()

        progress = fit(
            network,
            partial(loss, network),
            batches,
            BATCHES,
            validate,
            Schedule(EPOCHS, RATE, warmup=100, clip=5.0, patience=EPOCHS),
            budget.folder / kind,
            budget.minutes,
        )
        if progress.stopped == "paused" or over():
            return PAUSED
        if kind == "both":
            shipped = [budget.folder / "films_both.safetensors"]
            save_checkpoint(shipped[0], network, network.config, int8=True)
        values = scores(written(network, test), test.sentences)
        found += [
            Measurement(
                f"films-{kind}-{name}",
                "films",
                f"films of two digits, {TOLD[kind]}: % of {name} right, {PROBE:,} films of test digits",
                value,
            )
            for name, value in values.items()
        ]
        minutes = progress.cpu_seconds / 60
        found.append(
            Measurement(
                f"films-{kind}-minutes",
                "films",
                f"films of two digits, {TOLD[kind]}: CPU minutes of training",
                minutes,
            )
        )
    return Outcome(found, shipped)


EXPERIMENTS = [
    Experiment(
        "films_both",
        "describe films: 3-D convolutions, attention over frames, both, neither",
        5,
        run,
        ("films_both.safetensors",),
    )
]
