"""The pointing game: does the map of a class lie on the thing, where it is known where that is?

A network is told which clothes are on a scene, and never where. Afterwards each method points at one place
for each of them. A place taken at random hits as often as a box covers the canvas; a method that finds things
but does not tell them apart hits one time in three. The same maps of a network with random weights are the
sanity check of Adebayo et al. 2018: what points as well without training shows the picture, not what was
learned.
"""

from collections.abc import Callable
from statistics import fmean, stdev

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from course_experiments.protocol import Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.checkpoints import save_checkpoint
from course_lib.data import load_fashion_mnist
from course_lib.data.scenes import Scenes, make_scenes
from course_lib.training.loop import train_steps
from course_lib.vision.explanations import Method, data_gradient, enlarged, explain, points_inside, saliency
from course_lib.vision.global_pooling import GlobalPoolingNetwork
from course_lib.vision.pixels import to_pixels

CHANNELS, KINDS, THINGS = (16, 32, 64, 64), 10, 3
STEPS, BATCH, RATE, SEEDS = 500, 32, 4e-3, 3
TEST_SCENES = 300
CHECKPOINT = "clothes_on_scenes.safetensors"

Pointer = Callable[[nn.Module, Tensor, Tensor], Tensor]  # network, pixels, classes -> a map of each picture


def _by_maps(method: Method) -> Pointer:
    def point(network: nn.Module, pixels: Tensor, classes: Tensor) -> Tensor:
        return enlarged(explain(network, pixels, classes, method), (pixels.shape[2], pixels.shape[3]))

    return point


POINTERS: dict[str, Pointer] = {
    "saliency": lambda network, pixels, classes: saliency(data_gradient(network, pixels, classes)),
    "grad-cam": _by_maps("Grad-CAM"),
    "grad-cam-pp": _by_maps("Grad-CAM++"),
}


def scenes(part: str, count: int, generator: np.random.Generator) -> Scenes:
    """Return scenes with three clothes each, of a part, "train" or "test"."""
    return make_scenes(getattr(load_fashion_mnist(), part), count, THINGS, generator)


def there(labels: np.ndarray) -> Float[Tensor, "scenes kinds"]:
    """Return 1 for each kind that is on a scene, and 0 for the others."""
    return functional.one_hot(torch.tensor(labels), KINDS).sum(dim=1).float()


def untrained(seed: int) -> GlobalPoolingNetwork:
    """Return the network with random weights, ready to predict."""
    torch.manual_seed(seed)
    return GlobalPoolingNetwork(CHANNELS, KINDS).eval()


def learn(seed: int, steps: int = STEPS) -> GlobalPoolingNetwork:
    """Return the network after training on new scenes in each batch: for each kind, is it there?"""
    network = untrained(seed).train()
    generator = np.random.default_rng(seed)

    def loss() -> Tensor:
        batch = scenes("train", BATCH, generator)
        return functional.binary_cross_entropy_with_logits(
            network(to_pixels(batch.images)), there(batch.labels)
        )

    optimizer = torch.optim.Adam(network.parameters(), RATE)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, steps)
    for _ in train_steps((loss() for _ in range(steps)), optimizer, scheduler=scheduler):
        pass
    return network.eval()


def hits(pointer: Pointer, network: nn.Module, tried: Scenes) -> tuple[float, float]:
    """Return how often, in %, a method points at the thing that it is asked for, and at any thing at all.

    Args:
        pointer: the method.
        network: ready to predict.
        tried: each thing on each scene is asked for once.
    """
    pixels, corners = to_pixels(tried.images), torch.tensor(tried.corners)
    on = []
    for thing in range(THINGS):
        maps = pointer(network, pixels, torch.tensor(tried.labels[:, thing]))
        inside = [points_inside(maps, corners[:, other], tried.size) for other in range(THINGS)]
        on.append(torch.stack([inside[thing], torch.stack(inside).any(dim=0)]))
    right, anything = (100 * torch.stack(on).double().mean(dim=(0, 2))).tolist()
    return right, anything


@torch.no_grad()
def kinds_right(network: nn.Module, tried: Scenes) -> float:
    """Return how many of the answers "there" or "not there" are right, in %."""
    said = network(to_pixels(tried.images)) > 0
    return 100 * (said == there(tried.labels).bool()).double().mean().item()


def chance(tried: Scenes) -> float:
    """Return how often a place taken at random lies in one thing's box, in %."""
    return 100 * tried.size**2 / (tried.images.shape[1] * tried.images.shape[2])


def run(budget: Budget) -> Outcome:
    """Train three networks, let each method point, with the trained ones and with as many untrained."""
    tried = scenes("test", TEST_SCENES, np.random.default_rng(0))
    networks = {
        "trained": [learn(seed) for seed in range(SEEDS)],
        "random": [untrained(seed) for seed in range(SEEDS)],
    }
    right = [kinds_right(network, tried) for network in networks["trained"]]
    found = [
        Measurement("pointing-chance", "pointing", "a place at random: % in the thing's box", chance(tried)),
        Measurement(
            "pointing-kinds",
            "pointing",
            "three clothes on a scene: % of answers right to 'is this kind there?'",
            fmean(right),
            stdev(right),
        ),
    ]
    for which, those in networks.items():
        for name, pointer in POINTERS.items():
            rates = list(zip(*(hits(pointer, network, tried) for network in those), strict=True))
            for what, values in zip(("the thing asked for", "any thing"), rates, strict=True):
                any_thing = "any-" if what == "any thing" else ""
                told = f"{name} of a {which} network points at {what}: % of {THINGS} clothes on test scenes"
                found.append(
                    Measurement(
                        f"pointing-{any_thing}{name}-{which}",
                        "pointing",
                        told,
                        fmean(values),
                        stdev(values),
                    )
                )
    checkpoint = budget.folder / CHECKPOINT
    save_checkpoint(checkpoint, networks["trained"][0], {"channels": CHANNELS, "classes": KINDS}, int8=True)
    return Outcome(found, [checkpoint])


EXPERIMENTS = [
    Experiment(
        "clothes_on_scenes", "the pointing game: clothes on scenes, trained and random", 5, run, (CHECKPOINT,)
    )
]
