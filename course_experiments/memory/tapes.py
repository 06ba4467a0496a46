"""Copying: a neural Turing machine beside an LSTM of equal size, far beyond the length that they trained on.

Graves, Wayne and Danihelka 2014, sections 4.1 and 4.2, with a smaller machine: 64 units, rows of 16 numbers,
one head that reads and one that writes. No weight of a machine depends on how many rows its tape has. So it
learns on a short tape, and gets a longer one for longer sequences.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional

from course_experiments.memory.keeping import kept
from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.applications.tapes import CopyTask
from course_lib.checkpoints import save_checkpoint
from course_lib.data.memory_tasks import BITS, vectors_to_copy
from course_lib.memory.turing_machine import NeuralTuringMachine
from course_lib.recurrent.lstm import LSTM
from course_lib.training.loop import train_steps

BATCH, RATE, CLIP, SEEDS = 16, 1e-2, 10.0, 3
PROBES = 50  # sequences of each length that is tried


@dataclass(frozen=True)
class Lesson:
    """What networks learn from, and what they are tried on.

    Args:
        longest: most vectors of a sequence in training.
        most: most repeats in training.
        steps: of training, each on 16 sequences of one length.
        tried: (vectors, repeats) of the sequences that they are tried on.
    """

    longest: int
    most: int
    steps: int
    tried: tuple[tuple[int, int], ...]


LESSONS: dict[CopyTask, Lesson] = {
    "copy": Lesson(20, 1, 1500, ((10, 1), (20, 1), (40, 1), (80, 1))),
    "repeat": Lesson(6, 5, 2000, ((6, 5), (12, 5), (6, 10))),
}
TAPE, LONG_TAPE = 32, 100  # rows in training, and of the machine that is tried
MACHINE = {"input_size": BITS + 1, "output_size": BITS, "hidden_size": 64, "size": 16}


class PlainLSTM(nn.Module):
    """An LSTM with nothing beside its state; of about as many weights as the machine."""

    def __init__(self, hidden_size: int = 79) -> None:
        super().__init__()
        self.layer = LSTM(BITS + 1, hidden_size)
        self.output = nn.Linear(hidden_size, BITS)

    def forward(
        self, inputs: Float[Tensor, "batch time channels"]
    ) -> tuple[Float[Tensor, "batch time bits"], None]:
        """Return the output at each step, before any squashing, and no tape."""
        return self.output(self.layer(inputs)[0]), None


NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "machine": lambda: NeuralTuringMachine(rows=TAPE, **MACHINE),
    "lstm": PlainLSTM,
}


def answers(network: nn.Module, inputs: Tensor, asked: int) -> Float[Tensor, "batch asked bits"]:
    """Return what a network says at the last steps, before any squashing."""
    return network(inputs)[0][:, -asked:]


def learn(network: nn.Module, lesson: Lesson, seed: int) -> Iterator[float]:
    """Train a network on sequences of random lengths, and yield the loss of each step."""
    generator = Generator().manual_seed(seed)

    def losses() -> Iterator[Tensor]:
        for _ in range(lesson.steps):
            length = int(torch.randint(1, lesson.longest + 1, (), generator=generator))
            repeats = int(torch.randint(1, lesson.most + 1, (), generator=generator))
            inputs, wanted = vectors_to_copy(BATCH, length, generator, repeats)
            said = answers(network, inputs, wanted.shape[1])
            yield functional.binary_cross_entropy_with_logits(said, wanted)

    optimizer = torch.optim.Adam(network.parameters(), RATE)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, lesson.steps)
    yield from train_steps(losses(), optimizer, CLIP, falling)


@torch.no_grad()
def wrong_bits(network: nn.Module, length: int, repeats: int) -> float:
    """Return the share of wrong bits, in %, on fresh sequences; chance is 50."""
    inputs, wanted = vectors_to_copy(PROBES, length, Generator().manual_seed(1), repeats)
    said = answers(network, inputs, wanted.shape[1])
    return 100 * ((said > 0) != wanted.bool()).double().mean().item()


def within(network: nn.Module, lesson: Lesson) -> float:
    """Return the share of wrong bits, in %, over all lengths and repeats of training alike."""
    shares = [
        wrong_bits(network, length, repeats)
        for length in range(1, lesson.longest + 1)
        for repeats in range(1, lesson.most + 1)
    ]
    return sum(shares) / len(shares)


def run(task: CopyTask, budget: Budget) -> Outcome:
    """Train three machines and three LSTMs on a task; measure the best of each."""
    over, lesson, found = budget.clock(), LESSONS[task], list[Measurement]()
    path = budget.folder / f"tape_{task}.safetensors"
    for kind, make in NETWORKS.items():
        networks, minutes = [], 0.0
        for seed in range(SEEDS):
            learning = partial(learn, lesson=lesson, seed=seed)
            network, cost = kept(budget.folder / f"{kind}-{seed}.pt", make, learning, seed)
            networks.append(network)
            minutes += cost
            if over():
                return PAUSED
        best = min(networks, key=lambda network: within(network, lesson))
        if kind == "machine":
            save_checkpoint(path, best, {**MACHINE, "rows": TAPE})
        found += measured(kind, task, best, minutes)
    return Outcome(found, [path])


def measured(kind: str, task: CopyTask, network: nn.Module, minutes: float) -> list[Measurement]:
    """Return what is to be recorded of the best network of a kind."""
    lesson, own = LESSONS[task], f"tape-{task}-{kind}"
    size = sum(weight.numel() for weight in network.parameters())
    name = "neural Turing machine" if kind == "machine" else "LSTM"
    who = f"{name}, {size:,} parameters, best of {SEEDS} within the lengths of training"
    seen = f"1 to {lesson.longest} vectors" + f", said 1 to {lesson.most} times" * (lesson.most > 1)
    values: dict[str, tuple[str, Any]] = {
        "within": (f"% of bits wrong on fresh sequences as in training, {seen}", within(network, lesson))
    }
    if isinstance(network, NeuralTuringMachine):
        network.rows = LONG_TAPE
    for length, repeats in lesson.tried:
        times = f", said {repeats} times" * (lesson.most > 1)
        what = f"% of bits wrong on sequences of {length} vectors{times}; trained on {seen}"
        values[f"{length}" + f"-{repeats}" * (lesson.most > 1)] = (what, wrong_bits(network, length, repeats))
    values["cpu-minutes"] = (f"CPU minutes of training, {SEEDS} networks", minutes)
    return [
        Measurement(f"{own}-{key}", "tapes", f"{task}: {who}: {what}", value)
        for key, (what, value) in values.items()
    ]


EXPERIMENTS = [
    Experiment(
        f"tape_{task}",
        f"neural Turing machines and LSTMs learn to {task}, far beyond the length of training",
        6,
        partial(run, task),
        ships=(f"tape_{task}.safetensors",),
    )
    for task in get_args(CopyTask)
]
