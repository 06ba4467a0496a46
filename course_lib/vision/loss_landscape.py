"""The loss around trained weights, along two directions that fit the weights.

    L(a, b) = loss(θ + a·δ + b·η)          δ, η random, each filter of them as long as the filter of θ

A ReLU network does the same when a filter is doubled and what reads it is halved. Plain random directions
would then look twice as harmless along the doubled filter. Directions that grow with the filters do not: the
picture is the same for both networks. Biases and the numbers of normalisation layers stay where they are.

Li et al. 2018, *Visualizing the loss landscape of neural nets*, section 4 (filter normalisation).
"""

from collections.abc import Callable, Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

Weights = Mapping[str, Tensor]


def normalise_filters(direction: Tensor, weight: Tensor) -> Tensor:
    """Return the direction with each filter scaled to the length of the filter of the weights.

    Args:
        direction, weight: (filters, *shape); with one axis, biases or scales, the direction is 0.

    Returns:
        the direction; 0 where the filter is, or where the direction was.
    """
    if weight.dim() < 2:
        return torch.zeros_like(weight)
    axes = tuple(range(1, weight.dim()))
    wanted = torch.linalg.vector_norm(weight, dim=axes, keepdim=True)
    there = torch.linalg.vector_norm(direction, dim=axes, keepdim=True)
    return torch.where(there > 0, direction * wanted / there, torch.zeros_like(direction))


def random_direction(network: nn.Module, generator: torch.Generator) -> dict[str, Tensor]:
    """Return a random direction that fits the network's weights.

    Args:
        network: its weights are not changed.
        generator: draws the direction from a normal distribution.
    """
    return {
        name: normalise_filters(torch.randn(weight.shape, generator=generator), weight.detach())
        for name, weight in network.named_parameters()
    }


@torch.no_grad()
def loss_surface(
    network: nn.Module,
    loss: Callable[[Callable[..., Tensor]], Tensor],
    directions: tuple[Weights, Weights],
    steps: Sequence[float],
) -> Float[Tensor, "down across"]:
    """Return the loss at θ + a·δ + b·η, for all a (down) and b (across) among the steps.

    Args:
        network: in evaluation mode; its weights stay as they are.
        loss: of a function that is called as the network is.
        directions: δ and η.
        steps: how far; 0 is θ itself, 1 is as far as the weights are long.
    """
    weights = {name: weight.detach() for name, weight in network.named_parameters()}

    def at(a: float, b: float) -> Tensor:
        moved = {name: w + a * directions[0][name] + b * directions[1][name] for name, w in weights.items()}
        return loss(lambda *inputs: torch.func.functional_call(network, moved, inputs))

    return torch.stack([torch.stack([at(a, b) for b in steps]) for a in steps])
