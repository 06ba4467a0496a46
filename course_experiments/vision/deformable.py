"""A task in which a fixed grid must fail: bend a picture as a field of arrows says.

The input is a piece of clothing and, in two more channels, a smooth field of arrows. The output at a place is
the picture's value where the arrow there points. A deformable layer can do that alone: its offsets are the
arrows. A convolution multiplies each pixel by a weight that is the same for all pictures, so it cannot move
pixels by an amount that the picture tells.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from statistics import fmean, stdev
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from course_experiments.protocol import Experiment, measuring
from course_experiments.results import Measurement
from course_lib.data import load_fashion_mnist
from course_lib.training.loop import train_steps
from course_lib.vision import DeformableConvolution, Geometry, sample_bilinear

FARTHEST = 4.0  # pixels, of an arrow along either axis
STEPS, BATCH, SEEDS = 400, 16, 3
RATES = (3e-3, 1e-2)  # each network gets the one that serves it better


class Task(NamedTuple):
    """Pictures, the arrows, and what comes of both."""

    inputs: Float[Tensor, "batch 3 height width"]  # the picture, and the arrows' y and x in units of FARTHEST
    targets: Float[Tensor, "batch 1 height width"]


def bend(pictures: Float[Tensor, "batch 1 height width"], generator: torch.Generator) -> Task:
    """Return the task for these pictures, each with arrows of its own.

    Args:
        pictures: brightness, 0 to 1.
        generator: draws the arrows at 4×4 places; between them they change smoothly.
    """
    coarse = 2 * torch.rand(len(pictures), 2, 4, 4, generator=generator) - 1
    arrows = functional.interpolate(coarse, pictures.shape[2:], mode="bilinear", align_corners=True)
    heads = _places(*pictures.shape[2:]) + FARTHEST * arrows.movedim(1, -1)
    targets = sample_bilinear(pictures, heads)
    return Task(torch.cat([pictures, arrows], dim=1), targets)


def _places(height: int, width: int) -> Float[Tensor, "height width 2"]:
    """Return (y, x) of each pixel."""
    axes = torch.arange(float(height)), torch.arange(float(width))
    return torch.stack(torch.meshgrid(*axes, indexing="ij"), dim=-1)


def fixed_grid(channels: int = 16) -> nn.Module:
    """Return four ordinary 3×3 convolutions with ReLU between them: they see as far as an arrow points."""
    sizes = [3, channels, channels, channels, 1]
    made: list[nn.Module] = []
    for before, after in pairwise(sizes):
        made += [nn.Conv2d(before, after, 3, padding=1), nn.ReLU()]
    return nn.Sequential(*made[:-1])


def deformable() -> DeformableConvolution:
    """Return one deformable 3×3 layer."""
    return DeformableConvolution(3, 1, 3, Geometry(padding=1))


def clothes(part: str) -> Float[Tensor, "pictures 1 height width"]:
    """Return the pictures of a part, "train" or "test", as brightness from 0 to 1."""
    return torch.tensor(getattr(load_fashion_mnist(), part).images).unsqueeze(1) / 255


def learn(network: nn.Module, steps: int, rate: float, seed: int) -> Iterator[float]:
    """Train a network on clothes, bent anew in each batch; yield the mean squared error of each step."""
    generator = torch.Generator().manual_seed(seed)
    pictures = clothes("train")

    def losses() -> Iterator[Tensor]:
        for _ in range(steps):
            chosen = torch.randint(len(pictures), (BATCH,), generator=generator)
            task = bend(pictures[chosen], generator)
            yield functional.mse_loss(network(task.inputs), task.targets)

    optimizer = torch.optim.Adam(network.parameters(), rate)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, steps)
    yield from train_steps(losses(), optimizer, scheduler=scheduler)


@torch.no_grad()
def error_left(network: nn.Module, part: str) -> float:
    """Return the squared error on 500 pictures as a share of that of handing the picture through unbent."""
    task = bend(clothes(part)[:500], torch.Generator().manual_seed(0))
    unbent = functional.mse_loss(task.inputs[:, :1], task.targets)
    return (functional.mse_loss(network(task.inputs), task.targets) / unbent).item()


@torch.no_grad()
def where_it_looks(
    network: DeformableConvolution, task: Task, which: int, every: int = 4
) -> tuple[Float[Tensor, "places 2"], Float[Tensor, "places 2"], Float[Tensor, "places 2"]]:
    """Return (y, x) of some places, of where their arrows point, and of where the heaviest tap looks.

    Args:
        network: after training.
        task: holds the picture.
        which: the picture's number.
        every: pixels from one of the places to the next.
    """
    tap = int(network.kernel.weight[0, 0].abs().argmax())
    looks = network.places(task.inputs)[which, tap]
    tails = _places(*looks.shape[:2])
    heads = tails + FARTHEST * task.inputs[which, 1:].movedim(0, -1)
    first = every // 2
    tails, heads, looks = (grid[first::every, first::every].flatten(0, 1) for grid in (tails, heads, looks))
    return tails, heads, looks


def trained(make: Callable[[], nn.Module], rate: float, seed: int) -> nn.Module:
    """Return a network after its training."""
    torch.manual_seed(seed)
    network = make()
    for _ in learn(network, STEPS, rate, seed):
        pass
    return network


def measure() -> list[Measurement]:
    """Return the error of both networks on test clothes: mean and spread over seeds."""
    found = []
    for name, make in (("deformable", deformable), ("fixed-grid", fixed_grid)):
        first = {rate: trained(make, rate, seed=0) for rate in RATES}
        rate = min(RATES, key=lambda rate: error_left(first[rate], "train"))
        networks = [first[rate], *(trained(make, rate, seed) for seed in range(1, SEEDS))]
        errors = [100 * error_left(network, "test") for network in networks]
        size = sum(parameter.numel() for parameter in networks[0].parameters())
        who = f"{name.replace('-', ' ')}, {size:,} parameters"
        what = f"{who}: % of the squared error left, bending clothes"
        found.append(Measurement(f"bending-{name}", "bending", what, fmean(errors), stdev(errors)))
    return found


EXPERIMENTS = [
    Experiment("bending", "bend clothes: a deformable layer beside a fixed grid", 2, measuring(measure))
]
