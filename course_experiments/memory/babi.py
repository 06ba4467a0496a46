"""The twenty tasks of bAbI, with 1,000 training questions each, answered by end-to-end memory networks.

Settings as in Sukhbaatar et al. 2015, section 4.2: plain gradient descent on batches of 32 questions, whose
losses are added up; the gradient of each matrix is clipped by itself. Training gets stuck now and then, so
several networks start, and the one that answers the *training* questions best is taken. They are trained side
by side, as one batched model.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn import functional

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.applications.story_reader import Stories, babi_stories, babi_vocabulary
from course_lib.checkpoints import save_checkpoint
from course_lib.data.babi import TASKS, StoryQuestion, load_babi
from course_lib.data.special import PAD
from course_lib.memory.end_to_end import MemoryNetwork

BATCH, RATE, CLIP, TIME_NOISE = 32, 0.01, 40.0, 0.1
FAILED = 5.0  # % of errors, above which a task counts as failed

PUBLISHED_SINGLE = (
    *(99.9, 78.4, 35.8, 96.2, 85.9, 92.1, 78.4, 87.4, 76.7, 82.6),
    *(95.7, 99.7, 90.1, 98.2, 100, 47.9, 49.9, 86.4, 12.6, 100),
)  # % right
PUBLISHED_JOINT = (
    *(0, 11.4, 21.9, 13.4, 14.4, 2.8, 18.3, 9.3, 1.9, 6.5),
    *(0.3, 0.1, 0.2, 6.9, 0, 2.7, 40.4, 9.4, 88, 0),
)  # % wrong
SINGLE_SOURCE = (
    "Sukhbaatar et al. 2015: 3 hops, position encoding, one task at a time, best of 10 starts by training "
    "error; without linear start and time noise"
)
JOINT_SOURCE = (
    "Sukhbaatar et al. 2015: 3 hops, position encoding, linear start, time noise, all tasks jointly, best of "
    "10 starts by training error"
)


@dataclass(frozen=True)
class Plan:
    """How networks are made and trained.

    Args:
        size, hops, encoding, temporal: of the networks.
        starts: how many networks.
        linear: passes without the softmax, at half the rate, before the others.
        passes: over the training questions; the rate is halved after each quarter of them.
        softmax: False leaves the scores bare in all passes.
    """

    size: int = 20
    hops: int = 3
    encoding: str = "position"
    temporal: bool = True
    starts: int = 5
    linear: int = 20
    passes: int = 100
    softmax: bool = True

    def network(self, vocabulary: int) -> MemoryNetwork:
        """Return a new network."""
        return MemoryNetwork(
            vocabulary,
            self.size,
            hops=self.hops,
            encoding=self.encoding,
            temporal=self.temporal,
            time_noise=TIME_NOISE,
        )

    def stage(self, number: int) -> tuple[float, bool]:
        """Return the rate of a pass, counted from 0, and whether it squashes scores by the softmax."""
        if number < self.linear:
            return RATE / 2, False
        return RATE / 2 ** (4 * (number - self.linear) // self.passes), self.softmax


SINGLE = Plan()
JOINT = Plan(size=50, starts=3, linear=30, passes=60)


class SideBySide(nn.Module):
    """Several networks as one: each weight has one more axis in front, and each network learns as if alone.

    Args:
        networks: of the same sizes.
    """

    def __init__(self, networks: Sequence[MemoryNetwork]) -> None:
        super().__init__()
        self.one = [networks[0]]  # in a list, so that its own weights are none of ours
        weights, _ = stack_module_state(list(networks))  # type: ignore[arg-type]
        self.names = list(weights)
        self.weights = nn.ParameterList(weights.values())

    def forward(
        self, stories: Stories, softmax: bool
    ) -> tuple[Float[Tensor, "starts batch vocabulary"], Float[Tensor, "starts batch hops slots"]]:
        """Return what each network returns."""
        network = self.one[0].train(self.training)

        def answer(weights: dict[str, Tensor]) -> Any:
            given = (stories.sentences, stories.questions, softmax)
            return functional_call(network, weights, given, tie_weights=False)  # tied tables are one module

        return vmap(answer, randomness="same")(dict(zip(self.names, self.weights, strict=True)))

    def descend(self, rate: float) -> None:
        """Take a step down the gradient; that of each matrix of each network is clipped by itself."""
        with torch.no_grad():
            for weight in self.weights:
                gradient, weight.grad = weight.grad, None
                assert gradient is not None
                norm = gradient.flatten(1).norm(dim=1).view(-1, 1, 1)
                weight -= rate * (CLIP / norm.clamp(min=CLIP)) * gradient

    def network(self, start: int) -> MemoryNetwork:
        """Return one of the networks, in eval mode."""
        network = deepcopy(self.one[0])
        for own, weight in zip(network.parameters(), self.weights, strict=True):
            own.data.copy_(weight[start])
        return network.eval()


def groups(stories: Stories) -> Iterator[Int[Tensor, "batch"]]:
    """Yield the places of all stories, a batch at a time, in random order; neighbours in length together."""
    order = torch.randperm(len(stories.answers))
    order = order[lengths(stories)[order].argsort(stable=True)]
    several = order.split(BATCH)
    for i in torch.randperm(len(several)).tolist():
        yield several[i]


def lengths(stories: Stories) -> Int[Tensor, "batch"]:
    """Return how many sentences each story has."""
    return (stories.sentences != PAD).any(dim=-1).sum(dim=1)


def chosen(stories: Stories, places: Int[Tensor, "batch"]) -> Stories:
    """Return some of the stories, no wider than the longest of them."""
    few = Stories(*(part[places] for part in stories))
    return few._replace(sentences=few.sentences[:, : int(lengths(few).max())])


@torch.no_grad()
def judge(
    together: SideBySide, stories: Stories, softmax: bool = True
) -> tuple[Bool[Tensor, "starts batch"], Float[Tensor, "starts"]]:
    """Return for each network which questions it answers wrong, and its mean loss."""
    together.eval()
    logits = torch.cat([together(Stories(*part), softmax)[0] for part in parts(stories)], dim=1)
    wrong = logits.argmax(dim=-1) != stories.answers
    losses = [functional.cross_entropy(one, stories.answers) for one in logits]
    return wrong, torch.stack(losses)


def parts(stories: Stories, size: int = 500) -> Iterator[tuple[Tensor, ...]]:
    """Yield stories so many at a time, in their order."""
    yield from zip(*(tensor.split(size) for tensor in stories), strict=True)


class Trained(NamedTuple):
    """Networks that were trained side by side."""

    together: SideBySide
    minutes: float  # of processor time


def train(
    stories: Stories, vocabulary: int, plan: Plan, path: Path, over: Callable[[], bool]
) -> Trained | None:
    """Train networks side by side; go on from what an interrupted run left.

    Args:
        stories: questions to learn from.
        vocabulary: words that there are.
        plan: how.
        path: where the state is kept after every tenth pass.
        over: whether to pause.

    Returns:
        the networks, or None if they are not ready yet.
    """
    networks = []
    for start in range(plan.starts):
        torch.manual_seed(start)
        networks.append(plan.network(vocabulary))
    together, first, minutes = SideBySide(networks), 0, 0.0
    if path.exists():
        saved = torch.load(path, weights_only=True)
        together.load_state_dict(saved["weights"])
        first, minutes = saved["passes"], saved["minutes"]
    total = plan.linear + plan.passes
    for number in range(first, total):
        torch.manual_seed(number)  # so a run that was interrupted draws what one that was not draws
        begin, (rate, softmax) = time.process_time(), plan.stage(number)
        together.train()
        for places in groups(stories):
            batch = chosen(stories, places)
            logits, _ = together(batch, softmax)
            targets = batch.answers.repeat(plan.starts)
            functional.cross_entropy(logits.flatten(0, 1), targets, reduction="sum").backward()
            together.descend(rate)
        minutes += (time.process_time() - begin) / 60
        if number % 10 == 9 or number == total - 1:
            torch.save({"weights": together.state_dict(), "passes": number + 1, "minutes": minutes}, path)
            if over() and number < total - 1:
                return None
    return Trained(together, minutes)


class Chosen(NamedTuple):
    """The network that answers the training questions best."""

    network: MemoryNetwork
    training_error: float  # %
    start: int


def choose(together: SideBySide, stories: Stories, softmax: bool = True) -> Chosen:
    """Return the network with the fewest errors on these; of several, the one with the smallest loss."""
    wrong, losses = judge(together, stories, softmax)
    errors = 100 * wrong.double().mean(dim=1)
    start = min(range(len(errors)), key=lambda i: (float(errors[i]), float(losses[i])))
    return Chosen(together.network(start), float(errors[start]), start)


def error(network: MemoryNetwork, stories: Stories, softmax: bool = True) -> float:
    """Return the share of wrong answers, in %."""
    return 100 * judge(SideBySide([network]), stories, softmax)[0].double().mean().item()


def tasks(numbers: Sequence[int], part: str) -> list[StoryQuestion]:
    """Return the questions of some tasks, "train" or "test"."""
    return [question for number in numbers for question in getattr(load_babi(number), part)]


def words(numbers: Sequence[int]) -> list[str]:
    """Return the vocabulary of some tasks."""
    return babi_vocabulary([*tasks(numbers, "train"), *tasks(numbers, "test")])


@torch.no_grad()
def support_found(
    network: MemoryNetwork, questions: Sequence[StoryQuestion], vocabulary: Sequence[str]
) -> tuple[list[float], float]:
    """Return how often each hop looks most at a supporting sentence, and how often the hops find them all.

    Args:
        network: trained.
        questions: those asked.
        vocabulary: of the network.

    Returns:
        a share in % for each hop, and the share in % of questions of which each supporting sentence is the
        one that some hop looks at most.
    """
    stories = babi_stories(questions, vocabulary, network.memory)
    looked = torch.cat([network.eval()(s, q)[1].argmax(dim=-1) for s, q, _ in parts(stories)]).tolist()
    hits, all_found = [], []
    for hops, question in zip(looked, questions, strict=True):
        places = [len(question.story) - 1 - age for age in hops]
        hits.append([place in question.supporting for place in places])
        all_found.append(set(question.supporting) <= set(places))
    return [100 * fmean(column) for column in zip(*hits, strict=True)], 100 * fmean(all_found)


def save(path: Path, network: MemoryNetwork, plan: Plan, vocabulary: Sequence[str]) -> Path:
    """Write a network, and what builds it again."""
    shape = {
        key: value for key, value in asdict(plan).items() if key in ("size", "hops", "encoding", "temporal")
    }
    save_checkpoint(path, network, {"vocabulary": list(vocabulary), **shape})
    return path


def rows(kind: str, what: str, errors: Mapping[int, float]) -> list[Measurement]:
    """Return the errors of all tasks, their mean and the number of failed tasks, for the register."""
    single = kind == "single"
    published = [round(100 - right, 1) for right in PUBLISHED_SINGLE] if single else PUBLISHED_JOINT
    source = SINGLE_SOURCE if single else JOINT_SOURCE
    found = [
        Measurement(
            f"babi-{kind}-{task:02}",
            "babi",
            f"task {task}, {load_babi(task).name}: % of 1,000 test questions answered wrong, {what}",
            value,
            published=published[task - 1],
            published_source=source,
        )
        for task, value in errors.items()
    ]
    mean, failed = (20.3, None) if single else (12.4, 11)
    return [
        *found,
        Measurement(
            f"babi-{kind}-mean",
            "babi",
            f"mean of the {len(errors)} tasks: % of test questions answered wrong, {what}",
            fmean(errors.values()),
            published=mean,
            published_source=source,
        ),
        Measurement(
            f"babi-{kind}-failed",
            "babi",
            f"tasks of {len(errors)} with more than {FAILED:g} % of test questions answered wrong, {what}",
            sum(value > FAILED for value in errors.values()),
            published=failed,
            published_source=source if failed else "",
        ),
    ]


def one_at_a_time(budget: Budget) -> Outcome:
    """Train five networks for each task, and measure the best."""
    over, minutes = budget.clock(), 0.0
    errors, support = {}, list[Measurement]()
    path = budget.folder / "babi_single.safetensors"
    for task in TASKS:
        vocabulary = words([task])
        train_set, test_set = (babi_stories(tasks([task], part), vocabulary) for part in ("train", "test"))
        trained = train(train_set, len(vocabulary), SINGLE, budget.folder / f"task{task}.pt", over)
        if trained is None:
            return PAUSED
        minutes += trained.minutes
        network = choose(trained.together, train_set).network
        errors[task] = error(network, test_set)
        if task in SUPPORTED:
            support += supports(task, network, vocabulary)
        if task == SHIPPED:
            save(path, network, SINGLE, vocabulary)
    what = f"trained on this task alone, best of {SINGLE.starts} starts by training error"
    cost = Measurement(
        "babi-single-cpu-minutes",
        "babi",
        f"CPU minutes of training, {len(errors)} tasks, {SINGLE.starts} starts each side by side",
        minutes,
    )
    return Outcome([*rows("single", what, errors), *support, cost], [path])


SHIPPED = 2  # the task whose network ships
SUPPORTED = (1, 2, 3)  # tasks of which the register says how many supporting sentences are found


def supports(task: int, network: MemoryNetwork, vocabulary: Sequence[str]) -> list[Measurement]:
    """Return the shares of supporting sentences found on a task's test questions, for the register."""
    hops, everything = support_found(network, tasks([task], "test"), vocabulary)
    where = f"1,000 test questions of task {task}, {load_babi(task).name}"
    return [
        *(
            Measurement(
                f"babi-support-{task:02}-hop-{hop}",
                "babi",
                f"% of {where}, at which hop {hop} looks most at a supporting sentence",
                share,
            )
            for hop, share in enumerate(hops, start=1)
        ),
        Measurement(
            f"babi-support-{task:02}-all",
            "babi",
            f"% of {where}, at which the hops find every supporting sentence",
            everything,
        ),
    ]


def jointly(budget: Budget) -> Outcome:
    """Train networks on all tasks at once, and measure the best."""
    vocabulary = words(TASKS)
    train_set = babi_stories(tasks(TASKS, "train"), vocabulary)
    trained = train(train_set, len(vocabulary), JOINT, budget.folder / "joint.pt", budget.clock())
    if trained is None:
        return PAUSED
    network = choose(trained.together, train_set).network
    errors = {task: error(network, babi_stories(tasks([task], "test"), vocabulary)) for task in TASKS}
    what = f"trained on all tasks jointly, best of {JOINT.starts} starts by training error"
    cost = Measurement(
        "babi-joint-cpu-minutes",
        "babi",
        f"CPU minutes of training jointly, {JOINT.starts} starts side by side",
        trained.minutes,
    )
    path = save(budget.folder / "babi_joint.safetensors", network, JOINT, vocabulary)
    return Outcome([*rows("joint", what, errors), cost], [path])


LEFT_OUT: dict[str, dict[str, Any]] = {
    "nothing": {},
    "position encoding": {"encoding": "bag"},
    "temporal encoding": {"temporal": False},
    "linear start": {"linear": 0},
    "softmax": {"softmax": False},
    "third hop": {"hops": 2},
    "second and third hop": {"hops": 1},
}
TRIED = (1, 2, 4)


def ingredients(budget: Budget) -> Outcome:
    """Leave out one ingredient at a time, on a few tasks."""
    over, found = budget.clock(), []
    for task in TRIED:
        vocabulary = words([task])
        train_set, test_set = (babi_stories(tasks([task], part), vocabulary) for part in ("train", "test"))
        for missing, change in LEFT_OUT.items():
            plan = Plan(starts=3, **change)
            name = missing.replace(" ", "-")
            trained = train(train_set, len(vocabulary), plan, budget.folder / f"{name}-{task}.pt", over)
            if trained is None:
                return PAUSED
            network = choose(trained.together, train_set, plan.softmax).network
            found.append(
                Measurement(
                    f"babi-without-{name}-{task:02}",
                    "babi",
                    f"{missing} left out: % of 1,000 test questions of task {task}, {load_babi(task).name}, "
                    f"answered wrong, best of {plan.starts} starts by training error",
                    error(network, test_set, plan.softmax),
                )
            )
    return Outcome(found)


EXPERIMENTS = [
    Experiment(
        "babi_single",
        "the twenty tasks of bAbI, one at a time, five memory networks each",
        11,
        one_at_a_time,
        ships=("babi_single.safetensors",),
    ),
    Experiment(
        "babi_joint",
        "the twenty tasks of bAbI jointly, three memory networks",
        11,
        jointly,
        ships=("babi_joint.safetensors",),
    ),
    Experiment("babi_ingredients", "memory networks that lack something, on three tasks", 8, ingredients),
]
