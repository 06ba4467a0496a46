"""The temporal order problem: which of four orders did A and B come in, early in a long sequence?

It needs a gradient that reaches back, and shows what Pascanu's Ω does about one that vanishes.
"""

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch import Generator, Tensor, nn

from course_experiments.protocol import Experiment, measuring, over_seeds
from course_experiments.results import Measurement
from course_lib.data.memory_tasks import ORDER_SYMBOLS, ORDERS, temporal_order
from course_lib.recurrent.gradients import clip_gradients, loss_and_penalty
from course_lib.recurrent.rnn import RNN
from course_lib.recurrent.spectral import with_spectral_radius
from course_lib.training.loop import train_steps

HIDDEN, BATCH, RADIUS, CLIP = 50, 32, 0.9, 1.0
LENGTH, STEPS, SEEDS = 50, 1000, range(5)
BLOCK = 50  # steps at the end over which a share of right answers is averaged


@dataclass(frozen=True)
class Method:
    """A way to train: the weight α of Ω, and the optimiser."""

    alpha: float
    optimiser: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]


METHODS = {
    "gradient descent": Method(0.0, lambda weights: torch.optim.SGD(weights, 0.03, momentum=0.9)),
    "Adam": Method(0.0, lambda weights: torch.optim.Adam(weights, 0.003)),
    "gradient descent with Ω": Method(2.0, lambda weights: torch.optim.SGD(weights, 0.03, momentum=0.9)),
}


@dataclass(frozen=True)
class OrderRun:
    """A trained network, and how it went.

    Attributes:
        layer, head: the network; the head answers from the last state.
        right: share of right answers at each step, on sequences not seen before.
        cpu_seconds: processor time.
    """

    layer: RNN
    head: nn.Linear
    right: list[float]
    cpu_seconds: float

    @property
    def reached(self) -> float:
        """Share of right answers over the last 50 steps."""
        return statistics.fmean(self.right[-BLOCK:])


def train_order(method: Method, steps: int, seed: int = 0, length: int = LENGTH) -> OrderRun:
    """Train a vanilla network on L + αΩ, each step on 32 fresh sequences, with clipping.

    It starts at spectral radius 0.9, where gradients vanish.
    """
    torch.manual_seed(seed)
    generator = Generator().manual_seed(seed)
    layer, head = RNN(ORDER_SYMBOLS, HIDDEN), nn.Linear(HIDDEN, ORDERS)
    with torch.no_grad():
        layer.W_h.weight.copy_(with_spectral_radius(torch.randn(HIDDEN, HIDDEN), RADIUS))
    parameters = [*layer.parameters(), *head.parameters()]
    optimiser = method.optimiser(parameters)

    def clip(*_: object) -> None:
        clip_gradients(parameters, CLIP)

    optimiser.register_step_pre_hook(clip)
    right: list[float] = []

    def loss() -> Tensor:
        inputs, orders = temporal_order(BATCH, length, generator)

        def of_states(states: Tensor) -> Tensor:
            logits = head(states[:, -1])
            right.append((logits.argmax(dim=-1) == orders).float().mean().item())
            return nn.functional.cross_entropy(logits, orders)

        if not method.alpha:
            return of_states(layer(inputs)[0])
        value, penalty = loss_and_penalty(layer, inputs, of_states)
        return value + method.alpha * penalty

    begin = time.process_time()
    for _ in train_steps((loss() for _ in range(steps)), optimiser):
        pass
    return OrderRun(layer, head, right, time.process_time() - begin)


def order_results() -> list[Measurement]:
    """Train with each method and seed; return what is to be recorded."""
    found = []
    for name, method in METHODS.items():
        reached = [100 * train_order(method, STEPS, seed).reached for seed in SEEDS]
        found.append(
            over_seeds(
                order_id(name),
                "temporal-order",
                f"temporal order over {LENGTH} steps, {name}: % right after {STEPS} training steps, "
                f"mean of {len(SEEDS)} seeds",
                reached,
            )
        )
    return found


def order_id(method: str) -> str:
    """Return the id of a method's result in the register."""
    return "temporal-order-" + method.lower().replace(" ", "-").replace("ω", "omega")


EXPERIMENTS = [
    Experiment(
        "temporal_order",
        "temporal order with and without Pascanu's penalty, five seeds",
        3,
        measuring(order_results),
    )
]
