"""Fine-tuning in four regimes: few or many pictures of a task that is like the old one, or unlike it.

The network saw 1.3 million photographs of ImageNet. Flowers are like them, sketches are not. In each regime
it is trained in four ways: which of its 18 stages stay frozen, and where the readout is put.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome, over_seeds, sweep
from course_experiments.vision.classifying import SEEDS, Found
from course_lib.data import load_flowers, load_sketches
from course_lib.training.fine_tuning import fine_tune
from course_lib.vision.fine_tuning import FineTuned
from course_lib.vision.pixels import to_pixels
from course_lib.vision.pretrained import load_pretrained

SIDE = 96  # pixels; it was trained on 224, and sees less here
KINDS_OF_SKETCH = 10  # every fourth of the 40
FEW = 8  # pictures of a class, in the small sets
STEPS, BATCH, RATE = 60, 20, 3e-3
MIDDLE = 12  # stages up to the last maps of 6×6


class Way(NamedTuple):
    """One way to go on from a trained network.

    Args:
        kept: stages that are used at all.
        frozen: of these, from the first, how many stay as they are.
    """

    kept: int
    frozen: int


WAYS = {
    "readout": Way(18, 18),
    "earlier readout": Way(MIDDLE, MIDDLE),
    "last stages": Way(18, MIDDLE),
    "all": Way(18, 0),
}
TASKS = ("flowers", "sketches")
SIZES = ("small", "large")


class Pictures(NamedTuple):
    """What the network is shown."""

    images: Float[Tensor, "pictures 3 side side"]
    labels: Int[Tensor, "pictures"]


@lru_cache
def pictures(task: str, part: str) -> Pictures:
    """Return the pictures of a task, 0 to 1, in the size and the colours that the network takes.

    Args:
        task: "flowers", or "sketches" (dark lines on white, as on paper).
        part: "train" or "test".
    """
    found = getattr(load_flowers() if task == "flowers" else load_sketches(), part)
    images, labels = found.images, torch.tensor(found.labels)
    if task == "flowers":
        return Pictures(to_pixels(images), labels)
    chosen = labels % 4 == 0
    ink = functional.interpolate(to_pixels(images[chosen.numpy()]), SIDE, mode="bilinear")
    return Pictures((1 - ink).expand(-1, 3, -1, -1), labels[chosen] // 4)


def first_of_each(labels: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Return the numbers of so many pictures of each class, drawn at random."""
    order = torch.randperm(len(labels), generator=generator)
    return torch.cat([order[labels[order] == label][:count] for label in labels.unique()])


def untrained_readout(way: Way, classes: int) -> FineTuned:
    """Return the pretrained network, ready to be trained in this way."""
    network = load_pretrained()
    last = [name for name, _ in network.features.named_children()][way.kept - 1]
    features = network.maps(torch.zeros(1, 3, 32, 32), last).shape[1]
    return FineTuned(nn.Sequential(*list(network.features)[: way.kept]), way.frozen, features, classes)


def try_way(regime: str, seed: int, earlier: Sequence[Found]) -> Found:
    """Return what one way of training names right in a regime, in %.

    Args:
        regime: size, task and way, with "/" between them.
        seed: of the readout, the pictures drawn, and the batches.
    """
    size, task, name = regime.split("/")
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    train, test = pictures(task, "train"), pictures(task, "test")
    if size == "small":
        train = Pictures(*(each[first_of_each(train.labels, FEW, generator)] for each in train))
    network = untrained_readout(WAYS[name], int(test.labels.max()) + 1)
    seen = network.look(train.images)
    for _ in fine_tune(network, seen, train.labels, STEPS, RATE, generator, BATCH):
        pass
    return {"test": share_right(network, test), "seen": share_right(network, train)}


@torch.no_grad()
def share_right(network: FineTuned, shown: Pictures) -> float:
    """Return what share of pictures is named right, in %."""
    said = torch.cat([network(few).argmax(dim=1) for few in shown.images.split(50)])
    return 100 * (said == shown.labels).double().mean().item()


def regimes(budget: Budget) -> Outcome:
    """Train in every way in every regime, with three seeds."""
    names = [f"{size}/{task}/{way}" for task in TASKS for size in SIZES for way in WAYS]
    found = sweep(budget, [(name, seed) for name in names for seed in SEEDS], try_way)
    if found is None:
        return PAUSED
    measurements = []
    for name, runs in found.items():
        size, task, way = name.split("/")
        count = {"small": f"{FEW} pictures of a class", "large": "all pictures"}[size]
        told = f"{task}, {count}, {way} trained"
        id = f"fine-tuning-{size}-{task}-{way.replace(' ', '-')}"
        metric = f"{told}: % of test pictures named right"
        measurements.append(over_seeds(id, "fine-tuning", metric, [run["test"] for run in runs]))
    return Outcome(measurements)


EXPERIMENTS = [Experiment("fine_tuning", "four regimes of fine-tuning, four ways", 12, regimes)]
