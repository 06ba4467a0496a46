"""How far back do networks remember? A TCN and an LSTM of equal size; and networks with several clocks.

Each network answers at every step of a sequence; a task says which answers count:

    adding problem, copy memory    TCN and LSTM; tasks of Bai, Kolter and Koltun 2018
    a delayed bit                  vanilla, delays, clockwork, hierarchical
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from course_lib.data.memory_tasks import REMEMBERED, SYMBOLS, adding_problem, copy_memory, delayed_bit
from course_lib.recurrent.lstm import LSTM
from course_lib.recurrent.rnn import RNN
from course_lib.recurrent.tcn import TCN
from course_lib.recurrent.time_scales import ClockworkRNN, DelayedRNN, HierarchicalRNN
from course_lib.training.loop import train_steps

LENGTH = GAP = 100  # steps of the adding problem; T of copy memory
WORD = 8  # steps of the hierarchical network between two moves of its slow part
DELAYS = (16, 32, 64, 128)


class Answers(nn.Module):
    """A network that reads sequences, and a linear answer at each step.

    Args:
        body: returns the features of each step, alone or as the first of a tuple.
        hidden_size: how many features.
        answers: numbers in an answer.
    """

    def __init__(self, body: nn.Module, hidden_size: int, answers: int) -> None:
        super().__init__()
        self.body = body
        self.head = nn.Linear(hidden_size, answers)

    def forward(self, inputs: Float[Tensor, "batch time input"]) -> Float[Tensor, "batch time answers"]:
        """Return the answer at each step."""
        features = self.body(inputs)
        return self.head(features if isinstance(features, Tensor) else features[0])


class Paragraphs(nn.Module):
    """A hierarchical network for sequences without words: every eighth step ends one.

    Args:
        input_size: features of an input.
        hidden_size: features of the fast state, and of the slow one.
    """

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.network = HierarchicalRNN(
            RNN(input_size + hidden_size, hidden_size), RNN(hidden_size, hidden_size)
        )

    def forward(self, inputs: Float[Tensor, "batch time input"]) -> Float[Tensor, "batch time both"]:
        """Return the fast and the slow state after each step, side by side."""
        ends = (torch.arange(inputs.shape[1]) % WORD == 0).expand(inputs.shape[:2])
        return torch.cat(self.network(inputs, ends), dim=-1)


@dataclass(frozen=True)
class Task:
    """Sequences and answers without end, and what an answer costs.

    Args:
        inputs, answers: features of an input and of an answer.
        sample: (count, generator=…) -> inputs (count, time, inputs), and targets.
        loss: (answers at each step, targets) -> the mean loss.
        trivial: loss of who remembers nothing.
    """

    inputs: int
    answers: int
    sample: Callable[..., tuple[Tensor, Tensor]]
    loss: Callable[[Tensor, Tensor], Tensor]
    trivial: float


def one_hot_copying(count: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Return copy memory with one feature a symbol."""
    symbols, targets = copy_memory(count, GAP, generator)
    return nn.functional.one_hot(symbols, SYMBOLS).float(), targets


def squared_error_at_the_end(answers: Tensor, targets: Tensor) -> Tensor:
    """Return the mean squared error of the last answers."""
    return nn.functional.mse_loss(answers[:, -1, 0], targets)


def cross_entropy_at_the_end(answers: Tensor, targets: Tensor) -> Tensor:
    """Return the nats that a bit costs, by the last answers."""
    return nn.functional.binary_cross_entropy_with_logits(answers[:, -1, 0], targets)


def cross_entropy_at_each_step(answers: Tensor, targets: Tensor) -> Tensor:
    """Return the mean nats a step."""
    return nn.functional.cross_entropy(answers.flatten(0, 1), targets.flatten())


TASKS = {
    "adding": Task(2, 1, partial(adding_problem, length=LENGTH), squared_error_at_the_end, 1 / 6),
    "copying": Task(
        SYMBOLS,
        SYMBOLS,
        one_hot_copying,
        cross_entropy_at_each_step,
        REMEMBERED * math.log(8) / (GAP + 2 * REMEMBERED),
    ),
    **{
        f"bit-{delay}": Task(1, 1, partial(delayed_bit, delay=delay), cross_entropy_at_the_end, math.log(2))
        for delay in DELAYS
    },
}
CLOCKS = {
    "vanilla": lambda: Answers(RNN(1, 48), 48, 1),
    "delays": lambda: Answers(DelayedRNN(1, 28, delays=(4, 16)), 28, 1),
    "clockwork": lambda: Answers(ClockworkRNN(1, 64, groups=8), 64, 1),
    "hierarchical": lambda: Answers(Paragraphs(1, 24), 48, 1),
}


def parameters(model: nn.Module) -> int:
    """Return how many numbers a model can learn; those that a clockwork mask hides count for nothing."""
    hidden = sum(int((~m.mask).sum()) for m in model.modules() if isinstance(m, ClockworkRNN))
    return sum(p.numel() for p in model.parameters()) - hidden


def same_size_lstm(inputs: int, answers: int, wanted: int) -> Answers:
    """Return the LSTM with a linear answer whose parameters come nearest to a number.

    Args:
        inputs, answers: features of an input and of an answer.
        wanted: 4h(inputs + h + 1) + answers(h + 1) should be this.
    """
    size = min(range(1, 1000), key=lambda h: abs(4 * h * (inputs + h + 1) + answers * (h + 1) - wanted))
    return Answers(LSTM(inputs, size), size, answers)


def pair(inputs: int, answers: int, width: int, blocks: int, kernel_size: int) -> dict[str, Answers]:
    """Return a TCN, and an LSTM with as many parameters.

    Args:
        inputs, answers: features of an input and of an answer.
        width, blocks, kernel_size: of the TCN.
    """
    tcn = Answers(TCN(inputs, width, blocks, kernel_size), width, answers)
    return {"tcn": tcn, "lstm": same_size_lstm(inputs, answers, parameters(tcn))}


def learn(
    task: Task,
    model: nn.Module,
    steps: int,
    rate: float,
    seed: int,
    every: int = 100,
    batch: int = 32,
    probe: int = 500,
) -> list[float]:
    """Train on fresh sequences, by Adam, gradients clipped at norm 1; return the learning curve.

    Args:
        task: what to learn.
        model: answers at each step; it is changed.
        steps: updates.
        rate: learning rate.
        seed: of the sequences.
        every: steps between two points of the curve.
        batch: sequences an update.
        probe: held-out sequences, the same for all seeds, on which the loss is measured.

    Returns:
        the held-out loss before the first step, and after every `every` steps.
    """
    inputs, targets = task.sample(probe, generator=Generator().manual_seed(10_000))
    training = Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)

    def losses() -> Iterator[Tensor]:
        for _ in range(steps):
            sequences, wanted = task.sample(batch, generator=training)
            yield task.loss(model(sequences), wanted)

    @torch.no_grad()
    def held_out() -> float:
        return task.loss(model(inputs), targets).item()

    curve = [held_out()]
    for step, _ in enumerate(train_steps(losses(), optimizer, clip=1.0), start=1):
        if step % every == 0:
            curve.append(held_out())
    return curve


@torch.no_grad()
def right_at_the_end(task: Task, model: nn.Module, probe: int = 1000) -> float:
    """Return the share of held-out bits that a model tells right, 0 to 1."""
    inputs, bits = task.sample(probe, generator=Generator().manual_seed(10_000))
    return ((model(inputs)[:, -1, 0] > 0) == bits.bool()).float().mean().item()


class Trial(NamedTuple):
    """One training run of one network on one task."""

    task: str  # of `TASKS`
    network: str  # "tcn" or "lstm"; or of `CLOCKS`
    seed: int
    parameters: int
    cpu_seconds: float
    curve: list[float]  # held-out loss every 100 steps, from step 0
    right: float  # of a delayed bit: share told right after training; else nan


PLANS = {  # steps, and the learning rate of each network: the first one tried that learned the adding problem
    "adding": (1100, {"tcn": 4e-3, "lstm": 1e-2}),
    "copying": (700, {"tcn": 6e-3, "lstm": 1e-2}),
}
BIT_STEPS, BIT_RATE = 60, 2e-3  # few: who learns sooner?


def try_network(task: str, network: str, seed: int) -> Trial:
    """Train a fresh network on a task as the course's recorded results do.

    Args:
        task: of `TASKS`.
        network: "tcn" or "lstm"; for a delayed bit, of `CLOCKS`.
        seed: of the first weights and of the sequences.
    """
    torch.manual_seed(seed)
    todo = TASKS[task]
    bit = task not in PLANS
    if bit:
        model, steps, rate = CLOCKS[network](), BIT_STEPS, BIT_RATE
    else:
        model = pair(todo.inputs, todo.answers, 12, 4, 8)[network]
        steps, rate = PLANS[task][0], PLANS[task][1][network]
    began = time.process_time()
    curve = learn(todo, model, steps, rate, seed)
    right = right_at_the_end(todo, model) if bit else math.nan
    return Trial(task, network, seed, parameters(model), time.process_time() - began, curve, right)
