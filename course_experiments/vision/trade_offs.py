"""Depth, width or filter size at equal multiply-adds, on clothes; and networks of the papers in small.

He and Sun (2015) found on ImageNet: depth beats filter size, depth beats width, and between width and filter
size there is no clear winner. All stacks here have batch normalisation, which they did not.
"""

from collections.abc import Sequence
from functools import partial

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome, over_seeds, sweep
from course_experiments.results import Measurement
from course_experiments.vision.classifying import SEEDS, Found, shares, trained, try_rates
from course_lib.vision.network_cost import network_cost
from course_lib.vision.small_convnets import SMALL
from course_lib.vision.trade_offs import FAMILIES, Stack

RATE = 1e-2
SHAPE = (1, 28, 28)
STACKS = {
    f"{depth}x{width}x{taps}": Stack(depth, width, taps)
    for depth, width, taps in dict.fromkeys(stack for family in FAMILIES.values() for stack in family)
}


def stack_id(stack: Stack) -> str:
    """Return what a stack is called in the register, such as "6x16x3"."""
    return "x".join(map(str, stack))


def try_stack(name: str, seed: int, _: Sequence[Found]) -> Found:
    """Return what a stack names right after its training."""
    return shares(trained(STACKS[name].network, RATE, seed))


def trade_offs(budget: Budget) -> Outcome:
    """Train every stack with three seeds."""
    found = sweep(budget, [(name, seed) for name in STACKS for seed in SEEDS], try_stack)
    if found is None:
        return PAUSED
    measurements = []
    for name, runs in found.items():
        depth, width, taps = STACKS[name]
        what = (
            f"{depth} layer(s) of {width} maps, {taps}×{taps}, {STACKS[name].multiply_adds:,} multiply-adds"
        )
        metric = f"{what}: % of test clothes named right"
        measurements.append(
            over_seeds(f"trade-off-{name}", "trade-offs", metric, [run["test"] for run in runs])
        )
    return Outcome(measurements)


def small_id(name: str) -> str:
    """Return what a small network is called in the register."""
    return name.lower().replace(" ", "-")


def small_networks(budget: Budget) -> Outcome:
    """Train the small relative of every published network with three seeds."""
    jobs = [(name, seed) for name in SMALL for seed in SEEDS]
    found = sweep(budget, jobs, lambda name, seed, earlier: try_rates(SMALL[name], seed, earlier))
    if found is None:
        return PAUSED
    measurements: list[Measurement] = []
    for name, runs in found.items():
        parameters, multiply_adds = network_cost(SMALL[name], SHAPE)
        new = partial(over_seeds, experiment="small-convnets")
        told, id = f"small {name}, {parameters:,} parameters, {multiply_adds:,} multiply-adds", small_id(name)
        measurements += [
            new(
                id=f"small-{id}",
                metric=f"{told}: % of test clothes named right",
                values=[run["test"] for run in runs],
            ),
            new(
                id=f"small-{id}-seconds",
                metric=f"{told}: CPU seconds of one training",
                values=[run["cpu seconds"] for run in runs],
            ),
        ]
    return Outcome(measurements)


EXPERIMENTS = [
    Experiment("trade_offs", "depth, width, filter size at equal cost", 4, trade_offs),
    Experiment("small_convnets", "small relatives of the published networks", 8, small_networks),
]
