"""Say what was written in its order, and then in reverse: with links from row to row, and by content alone.

The differentiable neural computer (Graves et al. 2016) with one reading head, beside the same one whose head
may read by content only. This one can still learn to number what it writes and to look for the next number,
as far as it has seen numbers. Links go on to any length.
"""

from collections.abc import Iterator
from functools import partial

import torch
from torch import Generator, Tensor
from torch.nn import functional

from course_experiments.memory.keeping import kept
from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.checkpoints import save_checkpoint
from course_lib.data.memory_tasks import BITS, vectors_forth_and_back
from course_lib.memory.dnc import DifferentiableNeuralComputer, Orders
from course_lib.training.loop import train_steps

BATCH, RATE, CLIP, SEEDS, STEPS = 16, 1e-2, 10.0, 3, 1500
LONGEST, TRIED = 10, (5, 10, 12, 15, 20)  # vectors of a sequence: most in training, and those that are tried
MACHINE = {"input_size": BITS + 2, "output_size": BITS, "hidden_size": 64, "rows": 16, "size": 16}
LARGE = 32  # rows of the memory that is tried
PROBES = 50


class ContentOnly(DifferentiableNeuralComputer):
    """The same computer, whose heads find rows by their content only."""

    def orders(self, hidden: Tensor) -> Orders:
        """Return what the controller asks, but for the modes of reading."""
        asked = super().orders(hidden)
        return asked._replace(read_modes=torch.tensor([0.0, 1.0, 0.0]).expand_as(asked.read_modes))


COMPUTERS = {"links": DifferentiableNeuralComputer, "content": ContentOnly}


def learn(computer: DifferentiableNeuralComputer, steps: int, seed: int) -> Iterator[float]:
    """Train a computer on sequences of random lengths, and yield the loss of each step."""
    generator = Generator().manual_seed(seed)

    def losses() -> Iterator[Tensor]:
        for _ in range(steps):
            length = int(torch.randint(1, LONGEST + 1, (), generator=generator))
            inputs, wanted = vectors_forth_and_back(BATCH, length, generator)
            said = computer(inputs)[0][:, -wanted.shape[1] :]
            yield functional.binary_cross_entropy_with_logits(said, wanted)

    optimizer = torch.optim.Adam(computer.parameters(), RATE)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, steps)
    yield from train_steps(losses(), optimizer, CLIP, falling)


@torch.no_grad()
def wrong_bits(computer: DifferentiableNeuralComputer, length: int) -> float:
    """Return the share of wrong bits, in %, on fresh sequences; chance is close to 50."""
    inputs, wanted = vectors_forth_and_back(PROBES, length, Generator().manual_seed(1))
    said = computer(inputs)[0][:, -wanted.shape[1] :]
    return 100 * ((said > 0) != wanted.bool()).double().mean().item()


def within(computer: DifferentiableNeuralComputer) -> float:
    """Return the share of wrong bits, in %, over all lengths of training alike."""
    return sum(wrong_bits(computer, length) for length in range(1, LONGEST + 1)) / LONGEST


def run(budget: Budget) -> Outcome:
    """Train three computers of each kind, and measure the best of each."""
    over, found = budget.clock(), list[Measurement]()
    shipped = budget.folder / "two_ways.safetensors"
    for kind, make in COMPUTERS.items():
        computers, minutes = [], 0.0
        for seed in range(SEEDS):
            path = budget.folder / f"{kind}-{seed}.pt"
            learning = partial(learn, steps=STEPS, seed=seed)
            computer, cost = kept(path, partial(make, **MACHINE), learning, seed)
            computers.append(computer)
            minutes += cost
            if over():
                return PAUSED
        best = min(computers, key=within)
        if kind == "links":
            save_checkpoint(shipped, best, MACHINE)
        found += measured(kind, best, minutes)
    return Outcome(found, [shipped])


def measured(kind: str, computer: DifferentiableNeuralComputer, minutes: float) -> list[Measurement]:
    """Return what is to be recorded of the best computer of a kind."""
    reads = "by links and content" if kind == "links" else "by content only"
    who = f"DNC that reads {reads}, best of {SEEDS} within the lengths of training"
    computer.rows = LARGE
    values = {
        str(length): (
            f"% of bits wrong, {length} vectors; trained on 1 to {LONGEST}",
            wrong_bits(computer, length),
        )
        for length in TRIED
    }
    values["cpu-minutes"] = (f"CPU minutes of training, {SEEDS} networks", minutes)
    return [
        Measurement(f"two-ways-{kind}-{key}", "two-ways", f"in order, then in reverse: {who}: {what}", value)
        for key, (what, value) in values.items()
    ]


EXPERIMENTS = [
    Experiment(
        "two_ways",
        "a DNC says sequences in order and in reverse, with links and by content alone",
        6,
        run,
        ships=("two_ways.safetensors",),
    )
]
