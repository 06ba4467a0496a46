"""What a network costs, layer by layer, without a single multiplication: its tensors have shapes only.

    parameters      weights and biases
    multiply-adds   of convolutions and linear layers, for one picture: weights × places where each is used

Papers count so; poolings, normalisations and biases are left out.
"""

from collections.abc import Callable, Iterable
from math import prod
from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_lib.vision.separable import Cost

# They keep every shape. Without values torch works even that out in Python, which takes it two seconds.
_SHAPE_KEPT = (nn.ReLU, nn.Tanh, nn.Dropout, nn.BatchNorm2d, nn.LocalResponseNorm)


class LayerCost(NamedTuple):
    """One layer that has parameters."""

    name: str
    outputs: tuple[int, ...]  # (channels, height, width), or (units,)
    cost: Cost

    @property
    def units(self) -> int:
        """Numbers that it puts out for one picture."""
        return prod(self.outputs)


def layer_costs(build: Callable[[], nn.Module], shape: tuple[int, ...]) -> list[LayerCost]:
    """Return what each layer costs for one picture, in the order in which they run.

    Args:
        build: returns the network; its weights take no memory.
        shape: (channels, height, width) of a picture.

    Raises:
        ValueError: the network can't see a picture of this shape.
    """
    with torch.device("meta"):
        network, picture = build().eval(), torch.zeros(1, *shape)
    found: list[LayerCost] = []

    def hook(name: str) -> Callable[[nn.Module, tuple[Tensor, ...], Tensor], None]:
        def count(layer: nn.Module, inputs: tuple[Tensor, ...], outputs: Tensor) -> None:
            parameters = sum(each.numel() for each in layer.parameters(recurse=False))
            used = 0
            if isinstance(layer, nn.Conv2d | nn.Linear):
                used = layer.weight.numel() * prod(outputs.shape[2:])
            found.append(LayerCost(name, tuple(outputs.shape[1:]), Cost(parameters, used)))

        return count

    for name, layer in network.named_modules():
        if isinstance(layer, _SHAPE_KEPT):
            layer.forward = nn.Identity().forward  # type: ignore[method-assign]
        if next(layer.parameters(recurse=False), None) is not None:
            layer.register_forward_hook(hook(name))
    try:
        network(picture)
    except RuntimeError as error:
        raise ValueError(f"shape is {shape}; the network is for another one: {error}") from error
    return found


def total(layers: Iterable[LayerCost]) -> Cost:
    """Return what layers cost together."""
    return sum((layer.cost for layer in layers), Cost(0, 0))


def network_cost(build: Callable[[], nn.Module], shape: tuple[int, ...]) -> Cost:
    """Return what a whole network costs; see `layer_costs`."""
    return total(layer_costs(build, shape))
