"""The temporal order problem: which of four orders did A and B come in, early in a long sequence?

It needs a gradient that reaches back, and shows what Pascanu's Ω does about one that vanishes.
"""

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from course_lib.recurrent.gradients import clip_gradients, loss_and_penalty
from course_lib.recurrent.rnn import RNN
from course_lib.recurrent.spectral import with_spectral_radius
from course_lib.registers import Result, new_result

SYMBOLS, ORDERS = 6, 4  # A, B and four kinds of noise; AA, AB, BA, BB
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


def temporal_order(
    count: int, length: int, generator: Generator
) -> tuple[Float[Tensor, "count length symbols"], Int[Tensor, "count"]]:
    """Return one-hot sequences of noise with two marks, and the order of the marks.

    The first mark stands in the second tenth of a sequence, the second one in the fifth; each is A (symbol 0)
    or B (1). Classes: AA 0, AB 1, BA 2, BB 3.

    Args:
        count: sequences.
        length: steps, 10 or more.
        generator: where chance comes from.

    Raises:
        ValueError: too short for two marks.

    Source: Pascanu, Mikolov and Bengio 2013, section 4.1, after Hochreiter and Schmidhuber 1997, task 6a.
    """
    if length < 10:
        raise ValueError(f"length is {length}; allowed is 10 or more, for two marks")
    symbols = torch.randint(2, SYMBOLS, (count, length), generator=generator)
    marks = torch.randint(2, (count, 2), generator=generator)
    for column, tenth in enumerate((1, 4)):
        first, end = tenth * length // 10, (tenth + 1) * length // 10
        places = torch.randint(first, end, (count,), generator=generator)
        symbols[torch.arange(count), places] = marks[:, column]
    return nn.functional.one_hot(symbols, SYMBOLS).float(), 2 * marks[:, 0] + marks[:, 1]


def train_order(method: Method, steps: int, seed: int = 0, length: int = LENGTH) -> OrderRun:
    """Train a vanilla network on L + αΩ, each step on 32 fresh sequences, with clipping.

    It starts at spectral radius 0.9, where gradients vanish.
    """
    torch.manual_seed(seed)
    generator = Generator().manual_seed(seed)
    layer, head = RNN(SYMBOLS, HIDDEN), nn.Linear(HIDDEN, ORDERS)
    with torch.no_grad():
        layer.W_h.weight.copy_(with_spectral_radius(torch.randn(HIDDEN, HIDDEN), RADIUS))
    parameters = [*layer.parameters(), *head.parameters()]
    optimiser = method.optimiser(parameters)
    right: list[float] = []
    begin = time.process_time()
    for _ in range(steps):
        inputs, orders = temporal_order(BATCH, length, generator)

        def loss(states: Tensor, orders: Tensor = orders) -> Tensor:
            logits = head(states[:, -1])
            right.append((logits.argmax(dim=-1) == orders).float().mean().item())
            return nn.functional.cross_entropy(logits, orders)

        optimiser.zero_grad()
        if method.alpha:
            value, penalty = loss_and_penalty(layer, inputs, loss)
            (value + method.alpha * penalty).backward()
        else:
            loss(layer(inputs)[0]).backward()
        clip_gradients(parameters, CLIP)
        optimiser.step()
    return OrderRun(layer, head, right, time.process_time() - begin)


def order_results() -> list[Result]:
    """Train with each method and seed; return what is to be recorded."""
    torch.set_num_threads(1)
    found = []
    for name, method in METHODS.items():
        reached = [train_order(method, STEPS, seed).reached for seed in SEEDS]
        found.append(
            new_result(
                id=order_id(name),
                experiment="temporal-order",
                metric=f"temporal order over {LENGTH} steps, {name}: % right after {STEPS} training steps, "
                f"mean of {len(SEEDS)} seeds",
                value=100 * statistics.fmean(reached),
                spread=100 * statistics.stdev(reached),
                command="course train temporal_order --ship",
            )
        )
    return found


def order_id(method: str) -> str:
    """Return the id of a method's result in the register."""
    return "temporal-order-" + method.lower().replace(" ", "-").replace("ω", "omega")
