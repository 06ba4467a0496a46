"""A vanilla network that starts where gradients explode, trained with clipping and without.

Pascanu, Mikolov and Bengio 2013.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.recurrent.gradients import clip_gradients
from course_lib.recurrent.rnn import RNN
from course_lib.recurrent.spectral import with_spectral_radius

HIDDEN, RADIUS, RATE = 32, 1.5, 0.2


class Descent(NamedTuple):
    """How a training went."""

    losses: list[float]  # before each step
    norms: list[float]  # of the whole gradient before clipping, at each step that was taken
    problem: str  # why it ended early; "" where it did not


def descend(series: Float[Tensor, "time"], threshold: float, steps: int, seed: int) -> Descent:
    """Train a network to predict each value of a series from all before it, by plain gradient descent.

    It starts at spectral radius 1.5.

    Args:
        series: of about unit size.
        threshold: largest norm of the gradient; see `clip_gradients`.
        steps: most to take; the first gradient that is not finite ends it.
        seed: of the start.
    """
    torch.manual_seed(seed)
    layer, head = RNN(1, HIDDEN), nn.Linear(HIDDEN, 1)
    with torch.no_grad():
        layer.W_h.weight.copy_(with_spectral_radius(layer.W_h.weight, RADIUS))
    parameters = [*layer.parameters(), *head.parameters()]
    optimiser = torch.optim.SGD(parameters, RATE)
    losses: list[float] = []
    norms: list[float] = []
    for _ in range(steps):
        predicted = head(layer(series[None, :-1, None])[0])[0, :, 0]
        loss = (predicted - series[1:]).square().mean()
        optimiser.zero_grad()
        loss.backward()
        losses.append(loss.item())
        try:
            norms.append(clip_gradients(parameters, threshold))
        except ValueError as problem:
            return Descent(losses, norms, str(problem))
        optimiser.step()
    return Descent(losses, norms, "")
