"""DRAW with and without attention: as many passes over the same binarised digits.

A digit's pixel is ink with its brightness as chance, as in the paper's data (Salakhutdinov and Murray 2008);
the draw is made anew in each pass, and once for the digits of validation and test. Three seeds each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome, each_seed, over_seeds, sweep
from course_experiments.results import Measurement
from course_lib.checkpoints import save_checkpoint
from course_lib.data.mnist import load_mnist
from course_lib.training.loop import Schedule, fit
from course_lib.visual_attention.draw import Draw, bound

BATCH, EPOCHS, RATE, SEEDS = 50, 24, 3e-3, 3
HELD_OUT = 500  # training digits that choose the best pass
SIDE = 28
WINDOWS = {"windows": 5, "whole": None}  # N of read and write
TOLD = {"windows": "with attention, 5×5 filters", "whole": "without attention"}
PUBLISHED = 80.97
SOURCE = "Gregor et al. 2015, table 2: 64 steps, two LSTMs of 256, read 2×2, write 5×5, 60,000 digits"


def digits(part: str) -> Float[Tensor, "digits 28 28"]:
    """Return the chance of ink of the digits of a part: "train", "held out" or "test"."""
    if part == "test":
        return torch.tensor(load_mnist().test.images) / 255
    images = torch.tensor(load_mnist().train.images) / 255
    return images[-HELD_OUT:] if part == "held out" else images[:-HELD_OUT]


def binarised(chances: Tensor, generator: Generator) -> Tensor:
    """Return 0 or 1 for each pixel, drawn."""
    return torch.bernoulli(chances, generator=generator)


def batches(chances: Tensor, seed: int, epoch: int) -> Iterator[Tensor]:
    """Yield all digits in a new order, binarised anew; the same for the same seed and pass."""
    generator = Generator().manual_seed(1000 * seed + epoch)
    for chosen in torch.randperm(len(chances), generator=generator).split(BATCH):
        yield binarised(chances[chosen], generator)


def loss(network: Draw, pictures: Tensor) -> Tensor:
    """Return what is made small: the mean bound in nats."""
    return bound(network(pictures), pictures).mean()


@torch.no_grad()
def mean_bound(network: Draw, part: str) -> float:
    """Return the bound in nats, mean over the digits of a part; one draw of the pixels and of each z."""
    generator = Generator().manual_seed(10_000)
    pictures = binarised(digits(part), generator)
    return bound(network(pictures, generator), pictures).mean().item()


def learn(network: Draw, seed: int, folder: Path) -> float:
    """Train, or go on with it; return the CPU minutes.

    Args:
        network: is trained in place, and ends with its best pass.
        seed: of the run.
        folder: where the state is kept.
    """
    chances = digits("train")
    progress = fit(
        network,
        partial(loss, network),
        partial(batches, chances, seed),
        -(-len(chances) // BATCH),
        partial(mean_bound, network, "held out"),
        Schedule(EPOCHS, RATE, warmup=200, clip=10.0, patience=EPOCHS),
        folder,
    )
    return progress.cpu_seconds / 60


def run(kind: str, budget: Budget) -> Outcome:
    """Train a network with every seed and measure it.

    Args:
        kind: of `WINDOWS`.
        budget: of the experiment.
    """
    path = budget.folder / f"draw_{kind}.safetensors"

    def one(_: str, seed: int, before: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """Return bound in nats and CPU minutes; of the first network keep the weights."""
        torch.manual_seed(seed)
        network = Draw(SIDE, SIDE, window_size=WINDOWS[kind])
        minutes = learn(network, seed, budget.folder / f"seed-{seed}")
        if not before:
            sizes = {"height": SIDE, "width": SIDE, "window_size": WINDOWS[kind]}
            save_checkpoint(path, network, sizes, int8=True)
        return mean_bound(network, "test"), minutes

    runs = sweep(budget, [(kind, seed) for seed in range(SEEDS)], one)
    if runs is None:
        return PAUSED
    bounds, minutes = zip(*runs[kind], strict=True)
    network = Draw(SIDE, SIDE, window_size=WINDOWS[kind])
    told = f"DRAW {TOLD[kind]}, {network.steps} steps, {EPOCHS} passes over 7,500 binarised digits"
    what, several = "bound on −log p in nats on 2,000 test digits", f"mean of {SEEDS} seeds"
    least = over_seeds(f"draw-{kind}-bound", "draw", f"{told}: {what}, {several}", bounds)
    if kind == "windows":
        least = replace(least, published=PUBLISHED, published_source=SOURCE)
    size = sum(parameter.numel() for parameter in network.parameters())
    found = [
        least,
        *each_seed(f"draw-{kind}-bound", "draw", f"{told}: {what}", bounds),
        Measurement(f"draw-{kind}-parameters", "draw", f"{told}: parameters", size),
        over_seeds(f"draw-{kind}-minutes", "draw", f"{told}: CPU minutes, {several}", minutes),
    ]
    return Outcome(found, [path])


EXPERIMENTS = [
    Experiment(
        f"draw_{kind}",
        f"DRAW {TOLD[kind]}",
        8,
        partial(run, kind),
        (f"draw_{kind}.safetensors",) * (kind == "windows"),  # the other one is too large
    )
    for kind in WINDOWS
]
