"""Train small LSTMs and GRUs on aⁿbⁿ and aⁿbⁿcⁿ, and see how far they count.

As in Weiss, Goldberg and Yahav 2018, section 5: networks of ten units predict the next symbol, see words of
the language only, and are then tried on words longer than any they saw. To fit minutes, training stops at
n = 50. Noise on the weights takes the place of many updates: it leaves no use for steps up and down that are
only nearly equal, tuned to cancel.
"""

import itertools
import statistics
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import get_args

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor, nn
from torch.func import functional_call
from torch.nn import functional

from course_experiments.protocol import Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.applications.counter import IGNORED, LAYERS, UNITS, CountingModel, Kind, words
from course_lib.checkpoints import save_checkpoint
from course_lib.training.loop import train_steps

LANGUAGES = {"ab": "aⁿbⁿ", "abc": "aⁿbⁿcⁿ"}
NETWORKS = 5
LONGEST = 50  # the largest n in training
STEPS = 12_000
BATCH_SIZE = 20
RATE = 0.01
NOISE = 0.05  # standard deviation of what is added to each weight, anew at each update
FARTHEST = 1000  # the largest n tried

# What section 5 of the paper reports: (largest n in training, n up to which the words are read right).
PUBLISHED = {
    ("lstm", "ab"): (100, 256),
    ("gru", "ab"): (100, 38),
    ("lstm", "abc"): (50, 100),
    ("gru", "abc"): (50, 8),
}


class SideBySide(nn.Module):
    """Several networks as one with block-diagonal matrices: as fast as one, and each learns as if alone.

    Args:
        models: of one language and kind.
    """

    def __init__(self, models: Sequence[CountingModel]) -> None:
        super().__init__()
        first, self.count = models[0], len(models)
        self.read = first.read
        self.recurrent = LAYERS[first.kind](len(first.letters), UNITS * self.count, batch_first=True)
        self.head = nn.Linear(UNITS * self.count, first.head.out_features * self.count)
        for name, weight in self.named_parameters():
            mask = torch.zeros_like(weight)
            weight.data.zero_()
            for i, model in enumerate(models):
                share = self.share(name, weight.data, i)
                share.copy_(model.get_parameter(name).view_as(share))
                self.share(name, mask, i).fill_(1)
            weight.register_hook(mask.mul)

    def share(self, name: str, weight: Tensor, i: int) -> Tensor:
        """Return one network's part of a weight or of its gradient, as a view."""
        if name.startswith("head"):
            rows = weight.unflatten(0, (self.count, -1))[i]
        else:
            rows = weight.unflatten(0, (-1, self.count, UNITS))[:, i]
        if name in ("head.weight", "recurrent.weight_hh_l0"):
            return rows.unflatten(-1, (self.count, UNITS))[..., i, :]
        return rows

    def forward(self, symbols: Int[Tensor, "batch time"]) -> Float[Tensor, "batch time networks symbols"]:
        """Return each network's logits of each next symbol."""
        return self.head(self.recurrent(self.read(symbols))[0]).unflatten(-1, (self.count, -1))

    def disturbed(
        self, symbols: Int[Tensor, "batch time"], noise: float, generators: Sequence[Generator]
    ) -> Float[Tensor, "batch time networks symbols"]:
        """Return the same with normal noise of this standard deviation on every weight of each network.

        Source: Jim, Giles and Horne 1996, An Analysis of Noise in Recurrent Neural Networks.
        """
        weights = {}
        for name, weight in self.named_parameters():
            added = torch.zeros_like(weight)
            for i, generator in enumerate(generators):
                share = self.share(name, added, i)
                share.copy_(noise * torch.randn(share.shape, generator=generator))
            weights[name] = weight + added
        return functional_call(self, weights, symbols)

    def clip(self, threshold: float) -> None:
        """Scale each network's gradient to at most this norm."""
        for i in range(self.count):
            shares = [
                self.share(name, weight.grad, i)
                for name, weight in self.named_parameters()
                if weight.grad is not None
            ]
            norm = torch.stack([share.norm() for share in shares]).norm()
            for share in shares:
                share.mul_((threshold / norm).clamp(max=1))


def train_counters(
    letters: str,
    kind: Kind,
    networks: int = NETWORKS,
    steps: int = STEPS,
    longest: int = LONGEST,
    noise: float = NOISE,
) -> list[CountingModel]:
    """Train networks that differ in their first weights, on the same words, on one thread.

    Args:
        letters: the language, as in `counting_word`.
        kind: "lstm" or "gru".
        networks: how many; the i-th starts from seed i.
        steps: updates of Adam, each on `BATCH_SIZE` words; the rate falls in a straight line to zero.
        longest: largest n; each n is as likely as the others.
        noise: see `SideBySide.disturbed`.
    """
    models = []
    for seed in range(networks):
        torch.manual_seed(seed)
        models.append(CountingModel(letters, kind))
    together = SideBySide(models)
    optimizer = torch.optim.Adam(together.parameters(), lr=RATE)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    generator = Generator().manual_seed(0)
    shakes = [Generator().manual_seed(seed) for seed in range(networks)]
    optimizer.register_step_pre_hook(lambda *_: together.clip(1.0))

    def loss() -> Tensor:
        sizes = torch.randint(1, longest + 1, (BATCH_SIZE,), generator=generator)
        read, following = words(letters, sizes.tolist())
        certain = following != IGNORED
        logits = together.disturbed(read, noise, shakes)[certain]
        targets = following[certain].unsqueeze(1).expand(-1, networks)
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten()) * networks

    for _ in train_steps((loss() for _ in range(steps)), optimizer, scheduler=scheduler):
        pass
    for name, weight in together.named_parameters():
        for i, model in enumerate(models):
            own = model.get_parameter(name).data
            own.copy_(together.share(name, weight.data, i).reshape(own.shape))
    return [model.eval() for model in models]


def learn_to_count(model: CountingModel, steps: int, longest: int, seed: int) -> Iterator[float]:
    """Train one network without noise, and yield the loss of each step: what a lecture can watch.

    Args:
        model: ends trained.
        steps, longest: see `train_counters`.
        seed: of the words.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=2 * RATE)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    generator = Generator().manual_seed(seed)

    def loss() -> Tensor:
        sizes = torch.randint(1, longest + 1, (BATCH_SIZE,), generator=generator)
        read, following = words(model.letters, sizes.tolist())
        return functional.cross_entropy(model(read).transpose(1, 2), following, ignore_index=IGNORED)

    return train_steps((loss() for _ in range(steps)), optimizer, clip=1.0, scheduler=scheduler)


@torch.no_grad()
def reads_right(model: CountingModel, sizes: Sequence[int]) -> Bool[Tensor, "words"]:
    """Return for each n whether the likeliest next symbol is right wherever it is certain.

    Such a network ends aⁿbᵐ exactly at m = n.
    """
    right = []
    for start in range(0, len(sizes), 50):
        read, following = words(model.letters, sizes[start : start + 50])
        right.append(((model(read).argmax(dim=-1) == following) | (following == IGNORED)).all(dim=1))
    return torch.cat(right)


def reach(model: CountingModel, farthest: int = FARTHEST) -> int:
    """Return the largest n, at most `farthest`, such that the network reads every word up to it right."""
    sizes = range(1, farthest + 1)
    blocks = (reads_right(model, sizes[start : start + 50]).tolist() for start in range(0, farthest, 50))
    return sum(1 for _ in itertools.takewhile(bool, itertools.chain.from_iterable(blocks)))


def halved_reaches(models: Sequence[CountingModel]) -> list[int]:
    """Give networks the half precision in which a checkpoint keeps them; return how far each counts then."""
    return [reach(model.half().float()) for model in models]


def count(kind: Kind, letters: str, path: Path) -> list[Measurement]:
    """Train five networks with noise, and five without; return what was measured, for the register.

    The one of median reach, of those with noise, is written.

    Args:
        kind: "lstm" or "gru".
        letters: "ab" or "abc".
        path: of the checkpoint, `count_KIND_LETTERS.safetensors`.
    """
    begin = time.process_time()
    models = train_counters(letters, kind)
    minutes = (time.process_time() - begin) / 60
    reaches = halved_reaches(models)
    still = halved_reaches(train_counters(letters, kind, noise=0.0))
    learned = [reads_right(model, range(1, LONGEST + 1)).double().mean().item() for model in models]
    median = int(statistics.median(reaches))
    path.parent.mkdir(parents=True, exist_ok=True)
    save_checkpoint(path, models[reaches.index(median)], {"letters": letters, "kind": kind})
    name = f"{kind.upper()} on {LANGUAGES[letters]}, trained up to n = {LONGEST}"
    values = {
        **{
            f"{training}{metric}": (
                choose(found),
                f"{how}largest n up to which every word is read right, {which} of {len(models)} networks",
            )
            for training, how, found in (("", "", reaches), ("-still", "without noise, ", still))
            for metric, which, choose in (
                ("", "median", statistics.median),
                ("-lowest", "lowest", min),
                ("-highest", "highest", max),
            )
        },
        "-learned": (
            statistics.fmean(learned),
            "share of the training words read right, mean of the networks",
        ),
        "-cpu-minutes": (minutes, f"CPU minutes of training, {len(models)} networks side by side"),
    }
    seen, published = PUBLISHED[kind, letters]
    source = f"Weiss, Goldberg and Yahav 2018, section 5; one network, trained longer and up to n = {seen}"
    return [
        Measurement(
            id=f"counting-{kind}-{letters}{metric}",
            experiment="counting",
            metric=f"{name}: {what}",
            value=value,
            published=None if metric else published,
            published_source="" if metric else source,
        )
        for metric, (value, what) in values.items()
    ]


def run(kind: Kind, letters: str, budget: Budget) -> Outcome:
    """Train counters and measure them."""
    path = budget.folder / f"count_{kind}_{letters}.safetensors"
    return Outcome(count(kind, letters, path), [path])


EXPERIMENTS = [
    Experiment(
        f"count_{kind}_{letters}",
        f"five {kind.upper()}s that learn to count",
        10,
        partial(run, kind, letters),
        ships=(f"count_{kind}_{letters}.safetensors",),
    )
    for kind in get_args(Kind)
    for letters in LANGUAGES
]
