"""What shortcuts change: how deep a network may be, the loss around it, what a block is worth."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from statistics import fmean

import torch
from torch import Tensor, nn
from torch.nn import functional

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome, over_seeds, sweep
from course_experiments.vision.classifying import SEEDS, Found, shares, trained
from course_experiments.vision.pooling import accuracy, clothes
from course_lib.applications.clothes import SHIPPED, STACK_BLOCKS
from course_lib.checkpoints import save_checkpoint
from course_lib.vision.loss_landscape import random_direction
from course_lib.vision.paths import path_gradient, paths_by_length
from course_lib.vision.residual_stack import ResidualStack

BLOCKS = (2, 8, 16)
EPOCHS = 2
RATE = 1e-2  # with 2e-3 the deep stacks learn less, with shortcuts and without
DISTANCE, DIRECTIONS = 0.5, 5  # where the loss around the weights is measured
PROBE = 500  # test clothes


def stack(kind: str, blocks: int) -> ResidualStack:
    """Return a stack with or without shortcuts, before training."""
    return ResidualStack(blocks, shortcuts=kind == "with")


def deeper(budget: Budget) -> Outcome:
    """Train stacks of growing depth, with and without shortcuts; all else stays, so cost grows too."""
    jobs = [(f"{kind} {blocks}", seed) for blocks in BLOCKS for kind in SHIPPED for seed in SEEDS]

    def run(name: str, seed: int, _: Sequence[Found]) -> Found:
        kind, blocks = name.split()
        return shares(trained(lambda: stack(kind, int(blocks)), RATE, seed, EPOCHS))

    found = sweep(budget, jobs, run)
    if found is None:
        return PAUSED
    measurements = []
    for name, runs in found.items():
        kind, blocks = name.split()
        told = f"{2 * int(blocks)} layers of 16 maps {kind} shortcuts"
        for part, what in (("test", "test clothes"), ("seen", "1,000 clothes it was trained on")):
            values = [run[part] for run in runs]
            metric = f"{told}: % of {what} named right"
            measurements.append(over_seeds(f"deeper-{kind}-{blocks}-{part}", "deeper", metric, values))
    return Outcome(measurements)


def loss_on(pictures: Tensor, labels: Tensor) -> Callable[[Callable[..., Tensor]], Tensor]:
    """Return the loss of a network on these pictures, in nats."""
    return lambda network: functional.cross_entropy(network(pictures), labels)


@torch.no_grad()
def loss_around(network: nn.Module, seed: int) -> float:
    """Return the mean loss in nats at half the length of the weights, along random normalised directions."""
    generator = torch.Generator().manual_seed(seed)
    pictures, labels = (part[:PROBE] for part in clothes("test"))
    weights = {name: weight.detach() for name, weight in network.named_parameters()}
    losses = []
    for _ in range(DIRECTIONS):
        direction = random_direction(network, generator)
        for side in (DISTANCE, -DISTANCE):
            moved = {name: weight + side * direction[name] for name, weight in weights.items()}
            losses.append(
                functional.cross_entropy(torch.func.functional_call(network, moved, pictures), labels).item()
            )
    return fmean(losses)


@torch.no_grad()
def deletions(network: ResidualStack, pictures: Tensor, labels: Tensor) -> list[float]:
    """Return what share is named right, in %, without the first block, without the second, …"""
    return [accuracy(network.without(block), pictures, labels) for block in range(len(network.blocks))]


def gradient_by_length(network: ResidualStack, pictures: Tensor, labels: Tensor, most: int) -> list[float]:
    """Return the mean size of the gradient of a path, for the lengths 0, 1, … n.

    Args:
        network: with shortcuts, in evaluation mode.
        pictures, labels: a batch.
        most: paths of a length that are tried; more are drawn from, evenly.
    """
    sizes = []
    for length in range(len(network.blocks) + 1):
        chosen = list(combinations(range(len(network.blocks)), length))
        tried = chosen[:: -(-len(chosen) // most)]
        sizes.append(fmean(path_gradient(network, pictures, labels, path) for path in tried))
    return sizes


def carried_by_short(sizes: list[float], longest: int) -> float:
    """Return what share of all gradient, in %, comes by paths up to a length.

    Args:
        sizes: mean gradient of a path, for each length.
        longest: the length.
    """
    counts = paths_by_length(len(sizes) - 1)
    carried = [count * size for count, size in zip(counts, sizes, strict=True)]
    return 100 * sum(carried[: longest + 1]) / sum(carried)


def measure(network: ResidualStack, kind: str, seed: int) -> Found:
    """Return what is recorded of a trained stack."""
    pictures, labels = clothes("test")
    left = deletions(network, pictures, labels)
    found = shares(network) | {
        "around": loss_around(network, seed),
        "deleted": fmean(left),
        "worst": min(left),
    }
    found["loss"] = loss_on(pictures[:PROBE], labels[:PROBE])(network).item()
    if kind == "with":
        sizes = gradient_by_length(network, pictures[:100], labels[:100], most=15)
        found["short"] = carried_by_short(sizes, longest=3)
    return found


METRICS = {
    "test": "% of test clothes named right",
    "deleted": "% named right without one block, mean over the blocks",
    "worst": "% named right without the block that is missed most",
    "loss": "loss on 500 test clothes, in nats",
    "around": "loss at half the length of the weights, in random normalised directions, in nats",
    "short": "% of the gradient that comes by paths of 3 blocks or fewer (93 of 256 paths)",
}


def shortcuts(kind: str, budget: Budget) -> Outcome:
    """Train the stack that is shipped, with three seeds, and measure what is around its weights."""
    checkpoint = budget.folder / SHIPPED[kind].name

    def run(_: str, seed: int, __: Sequence[Found]) -> Found:
        network = trained(lambda: stack(kind, STACK_BLOCKS), RATE, seed)
        if seed == SEEDS[0]:
            config = {"blocks": STACK_BLOCKS, "shortcuts": kind == "with"}
            save_checkpoint(checkpoint, network, config, int8=True)
        return measure(network, kind, seed)

    found = sweep(budget, [(kind, seed) for seed in SEEDS], run)
    if found is None:
        return PAUSED
    measurements = [
        over_seeds(
            f"shortcuts-{kind}-{part}",
            "shortcuts",
            f"{2 * STACK_BLOCKS} layers {kind} shortcuts: {METRICS[part]}",
            [each[part] for each in found[kind]],
        )
        for part in METRICS
        if part in found[kind][0]
    ]
    return Outcome(measurements, [checkpoint])


EXPERIMENTS = [
    Experiment("deeper", "is deeper always better? with and without shortcuts", 6, deeper),
    *(
        Experiment(
            path.stem,
            f"a stack {kind} shortcuts: loss surface, deletion and paths",
            3,
            partial(shortcuts, kind),
            ships=(path.name,),
        )
        for kind, path in SHIPPED.items()
    ),
]
