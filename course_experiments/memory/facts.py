"""Networks that are told in training which sentences support an answer.

The dynamic memory network (Kumar et al. 2016), whose gates are asked to open at the supporting sentences, and
the original memory network (Weston, Chopra and Bordes 2015), whose sentences compete. On bAbI, with 1,000
training questions a task.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor, nn
from torch.nn import functional

from course_experiments.memory.babi import BATCH, chosen, groups, parts, tasks, words
from course_experiments.memory.keeping import kept
from course_experiments.protocol import Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.applications.story_reader import Stories, babi_stories
from course_lib.checkpoints import save_checkpoint
from course_lib.data.babi import StoryQuestion, load_babi
from course_lib.memory.dynamic import DynamicMemoryNetwork
from course_lib.memory.original import OriginalMemoryNetwork
from course_lib.training.loop import train_steps

LONGEST = 300  # sentences; no story of these tasks is longer


class Lesson(NamedTuple):
    """A kind of network and a task, and what it takes."""

    make: Callable[..., nn.Module]
    task: int
    hops: int  # of an original network; passes over the facts of a dynamic one
    size: int
    epochs: int


LESSONS = {
    "original_1": Lesson(OriginalMemoryNetwork, 1, 1, 30, 10),
    "original_2": Lesson(OriginalMemoryNetwork, 2, 2, 30, 10),
    "dynamic_1": Lesson(DynamicMemoryNetwork, 1, 2, 40, 16),
    "dynamic_6": Lesson(DynamicMemoryNetwork, 6, 2, 40, 30),
    "dynamic_15": Lesson(DynamicMemoryNetwork, 15, 2, 40, 20),
}
RATES: dict[type[nn.Module], float] = {OriginalMemoryNetwork: 1e-2, DynamicMemoryNetwork: 3e-3}
SHUT = 1e-6  # a gate is no nearer to 0 or 1 than this when its logarithm is taken


class Told(NamedTuple):
    """Questions of a task as ids, and where their supporting sentences stand."""

    stories: Stories
    supporting: Int[Tensor, "batch hops"]  # 0 is the newest sentence, in the order in which to find them

    @classmethod
    def of(cls, questions: Sequence[StoryQuestion], vocabulary: Sequence[str]) -> "Told":
        """Return questions that all have equally many supporting sentences."""
        ages = [[len(q.story) - 1 - place for place in q.supporting] for q in questions]
        return cls(babi_stories(questions, vocabulary, LONGEST), torch.tensor(ages))


def original_loss(network: OriginalMemoryNetwork, stories: Stories, supporting: Tensor) -> Tensor:
    """Return what lacks to the margin."""
    return network.loss(*stories, supporting)


def dynamic_loss(network: DynamicMemoryNetwork, stories: Stories, supporting: Tensor) -> Tensor:
    """Return the cross-entropy of the answers plus that of the gates, summed over the facts.

    Pass k shall open to the k-th supporting sentence; passes that are left, to the last one.
    """
    logits, gates = network(stories.sentences, stories.questions)
    last = supporting.shape[1] - 1
    wanted = torch.zeros_like(gates)
    for number in range(gates.shape[1]):
        wanted[:, number].scatter_(1, supporting[:, min(number, last), None], 1.0)
    opened = functional.binary_cross_entropy(gates.clamp(SHUT, 1 - SHUT), wanted, reduction="sum")
    return functional.cross_entropy(logits, stories.answers) + opened / len(gates)


LOSSES: dict[type[nn.Module], Callable[..., Tensor]] = {
    OriginalMemoryNetwork: original_loss,
    DynamicMemoryNetwork: dynamic_loss,
}


def learn(network: nn.Module, told: Told, epochs: int) -> Iterator[float]:
    """Train a network so many times over all questions, and yield the loss of each step."""

    def losses() -> Iterator[Tensor]:
        for _ in range(epochs):
            for places in groups(told.stories):
                yield LOSSES[type(network)](network, chosen(told.stories, places), told.supporting[places])

    steps = epochs * -(-len(told.supporting) // BATCH)
    optimizer = torch.optim.Adam(network.parameters(), RATES[type(network)])
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, steps)
    yield from train_steps(losses(), optimizer, 5.0, falling)


@torch.no_grad()
def measure(network: nn.Module, told: Told) -> tuple[float, list[float]]:
    """Return the share of wrong answers, and of hops that look most at a sentence that supports, in %."""
    logits, looked = [], []
    for sentences, questions, _ in parts(told.stories):
        said, places = network(sentences, questions)
        logits.append(said)
        looked.append(places if isinstance(network, OriginalMemoryNetwork) else places.argmax(dim=-1))
    wrong = torch.cat(logits).argmax(dim=-1) != told.stories.answers
    hits = (torch.cat(looked).unsqueeze(2) == told.supporting.unsqueeze(1)).any(dim=2)
    return 100 * wrong.double().mean().item(), (100 * hits.double().mean(dim=0)).tolist()


def run(name: str, budget: Budget) -> Outcome:
    """Train a network, and measure it."""
    lesson = LESSONS[name]
    vocabulary = words([lesson.task])
    told = {part: Told.of(tasks([lesson.task], part), vocabulary) for part in ("train", "test")}
    network, minutes = kept(
        budget.folder / "network.pt",
        partial(lesson.make, len(vocabulary), lesson.size, lesson.hops),
        partial(learn, told=told["train"], epochs=lesson.epochs),
        seed=0,
    )
    path = budget.folder / f"facts_{name}.safetensors"
    hops = "passes" if lesson.make is DynamicMemoryNetwork else "hops"
    config = {"vocabulary": vocabulary, "size": lesson.size, hops: lesson.hops}
    save_checkpoint(path, network, config, int8=True)
    return Outcome(measured(name, network, told["test"], minutes), [path])


def measured(name: str, network: nn.Module, told: Told, minutes: float) -> list[Measurement]:
    """Return what is to be recorded."""
    kind, task = name.split("_")
    where = f"1,000 test questions of task {task}, {load_babi(int(task)).name}"
    what = {"original": "the original memory network", "dynamic": "the dynamic memory network"}[kind]
    who = f"{what}, told the supporting sentences in training"
    hop = {"original": "hop", "dynamic": "pass"}[kind]
    wrong, hits = measure(network, told)
    values = {"wrong": (f"% of {where}, answered wrong", wrong)}
    for number, share in enumerate(hits, start=1):
        values[f"{hop}-{number}"] = (
            f"% of {where}, at which {hop} {number} looks most at one that supports",
            share,
        )
    values["cpu-minutes"] = (f"CPU minutes of training on task {task}", minutes)
    return [
        Measurement(f"facts-{kind}-{int(task):02}-{key}", "facts", f"{who}: {text}", value)
        for key, (text, value) in values.items()
    ]


EXPERIMENTS = [
    Experiment(
        f"facts_{name}",
        f"task {lesson.task} of bAbI, supporting sentences told: {lesson.make.__name__}",
        1,
        partial(run, name),
        ships=("facts_dynamic_15.safetensors",) * (name == "dynamic_15"),
    )
    for name, lesson in LESSONS.items()
]
