"""DRAW with and without attention: as many passes over the same binarised digits.

A digit's pixel is ink with its brightness as chance, as in the paper's data (Salakhutdinov and Murray 2008);
the draw is made anew in each pass, and once for the digits of validation and test.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.checkpoints import save_checkpoint
from course_lib.data.mnist import load_mnist
from course_lib.training.loop import Schedule, fit
from course_lib.visual_attention.draw import Draw, bound

BATCH, EPOCHS, RATE = 50, 24, 3e-3
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


def batches(chances: Tensor, epoch: int) -> Iterator[Tensor]:
    """Yield all digits in a new order, binarised anew; the same for the same pass."""
    generator = Generator().manual_seed(epoch)
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


def run(kind: str, budget: Budget) -> Outcome:
    """Train a network and measure it.

    Args:
        kind: of `WINDOWS`.
        budget: of the experiment.
    """
    torch.manual_seed(0)
    network = Draw(SIDE, SIDE, window_size=WINDOWS[kind])
    chances = digits("train")
    progress = fit(
        network,
        partial(loss, network),
        partial(batches, chances),
        -(-len(chances) // BATCH),
        partial(mean_bound, network, "held out"),
        Schedule(EPOCHS, RATE, warmup=200, clip=10.0, patience=EPOCHS),
        budget.folder,
        budget.minutes,
    )
    if progress.stopped == "paused":
        return PAUSED
    path: Path = budget.folder / f"draw_{kind}.safetensors"
    sizes = {"height": SIDE, "width": SIDE, "window_size": WINDOWS[kind]}
    save_checkpoint(path, network, sizes, int8=True)
    told = f"DRAW {TOLD[kind]}, {network.steps} steps, {EPOCHS} passes over 7,500 binarised digits"
    published = (PUBLISHED, SOURCE) if kind == "windows" else (None, "")
    found = [
        Measurement(
            f"draw-{kind}-bound",
            "draw",
            f"{told}: bound on −log p in nats on 2,000 test digits",
            mean_bound(network, "test"),
            None,
            *published,
        ),
        Measurement(
            f"draw-{kind}-parameters",
            "draw",
            f"{told}: parameters",
            sum(p.numel() for p in network.parameters()),
        ),
        Measurement(f"draw-{kind}-minutes", "draw", f"{told}: CPU minutes", progress.cpu_seconds / 60),
    ]
    return Outcome(found, [path])


EXPERIMENTS = [
    Experiment(
        f"draw_{kind}",
        f"DRAW {TOLD[kind]}",
        3,
        partial(run, kind),
        (f"draw_{kind}.safetensors",) * (kind == "windows"),  # the other one is too large
    )
    for kind in WINDOWS
]
