"""The unravelled view: n residual blocks are 2ⁿ paths, for each block may be gone through or passed by.

    x_2 = x_1 + F_2(x_1) = x_0 + F_1(x_0) + F_2(x_0 + F_1(x_0))
        = x_0 + F_1(x_0) + F_2(x_0) + F_2(F_1(x_0))                 where F_2 is linear

A path that goes through k of n blocks has length k; there are (n over k) of them.

Veit, Wilber and Belongie 2016, *Residual networks behave like ensembles of relatively shallow networks*,
equations (4) to (6), sections 3 and 5.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional

from course_lib.vision.residual import Residual
from course_lib.vision.residual_stack import ResidualStack


def paths_by_length(blocks: int) -> list[int]:
    """Return how many paths have length 0, 1, … n.

    Raises:
        ValueError: blocks is below 0.
    """
    if blocks < 0:
        raise ValueError(f"blocks is {blocks}; allowed is 0 or more")
    return [comb(blocks, length) for length in range(blocks + 1)]


def share_of_paths(blocks: int, shortest: int, longest: int) -> float:
    """Return what share, 0 to 1, of all paths has a length from the shortest to the longest."""
    return sum(paths_by_length(blocks)[shortest : longest + 1]) / 2**blocks


def path_outputs(
    branches: Sequence[Callable[[Tensor], Tensor]], inputs: Tensor
) -> dict[tuple[int, ...], Tensor]:
    """Return what each path makes of the inputs: branch after branch, of the blocks that it goes through.

    Args:
        branches: F_1 … F_n.
        inputs: x_0.

    Returns:
        numbers of the blocks -> what comes out. Where all branches are linear, the sum is the network.
    """
    found = {}
    for length in range(len(branches) + 1):
        for chosen in combinations(range(len(branches)), length):
            found[chosen] = inputs
            for block in chosen:
                found[chosen] = branches[block](found[chosen])
    return found


def path_gradient(
    network: ResidualStack,
    pictures: Float[Tensor, "batch 1 height width"],
    labels: Int[Tensor, "batch"],
    chosen: tuple[int, ...],
) -> float:
    """Return the size of the gradient that one path brings back to the first block.

    Forward, all blocks do their work. On the way back the gradient goes through F in the chosen blocks, and
    through the shortcut in all others.

    Args:
        network: with shortcuts, in evaluation mode.
        pictures, labels: a batch.
        chosen: numbers of the blocks that the path goes through.

    Raises:
        ValueError: the network has no shortcuts.
    """
    first = states = network.stem(pictures).detach().requires_grad_()
    for i, block in enumerate(network.blocks):
        if not isinstance(block, Residual) or block.shortcut is None:
            raise ValueError("the network has no shortcuts; without them there is one path")
        if i in chosen:
            states = states.detach() + block.branch(states)
        else:
            states = states + block.branch(states).detach()
    loss = functional.cross_entropy(network.head(states), labels)
    (gradient,) = torch.autograd.grad(loss, first)
    return gradient.norm().item()
