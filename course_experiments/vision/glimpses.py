"""Where to look: a recurrent attention model on digits that stand anywhere, alone or in clutter.

Beside it the same model that looks at random, and two networks that see the whole canvas and multiply as
often: a fully connected and a convolutional one. All train on as many canvases, each made anew from 7,500
digits; the paper has 60,000. Where a difference is small, three seeds say how much of it is chance; and any
eye can get stuck.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from jaxtyping import Int
from torch import Generator, Tensor, nn
from torch.nn import functional

from course_experiments.protocol import PAUSED, Budget, Experiment, Outcome, each_seed, over_seeds, sweep
from course_lib.checkpoints import save_checkpoint
from course_lib.data.mnist import load_mnist
from course_lib.data.placed_digits import PIECES, SIDE, PlacedDigits, place_digits
from course_lib.training.loop import Schedule, fit
from course_lib.visual_attention.ram import RecurrentAttentionModel, ram_loss

SEEDS = {  # else 1
    ("ram", "translated"): 3,
    ("random", "translated"): 3,
    ("connected", "translated"): 3,
    ("ram", "cluttered"): 3,
}
BATCH, BATCHES, EPOCHS, RATE = 128, 250, 45, 1.5e-3
HELD_OUT = 500  # training digits that choose the best epoch
CLASSES = 10
CLUTTER = {"translated": 0, "cluttered": PIECES}
EDITION = "Mnih et al. 2014, NIPS edition, 60×60, "
OTHERS = "; trained on 60,000 digits"
# Error in %, and where it stands.
PUBLISHED = {
    ("ram", "translated"): (1.22, f"{EDITION}table 1b, 6 glimpses of 12×12 at 3 scales{OTHERS}"),
    ("ram", "cluttered"): (4.08, f"{EDITION}table 2a, 6 glimpses of 12×12 at 3 scales{OTHERS}"),
    ("random", "cluttered"): (14.4, f"{EDITION}text of section 4.1, random glimpses{OTHERS}"),
    ("connected", "translated"): (2.63, f"{EDITION}table 1b, two layers of 256{OTHERS}"),
    ("convolutional", "translated"): (1.62, f"{EDITION}table 1b, convolutional, two layers{OTHERS}"),
}


def connected(width: int = 428) -> nn.Sequential:
    """Return two fully connected layers and a readout."""
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(SIDE**2, width),
        nn.ReLU(),
        nn.Linear(width, width),
        nn.ReLU(),
        nn.Linear(width, CLASSES),
    )


def convolutional(channels: int = 23, width: int = 256) -> nn.Sequential:
    """Return two convolutions with a stride of 2, a fully connected layer and a readout."""
    return nn.Sequential(
        nn.Unflatten(1, (1, SIDE)),
        nn.Conv2d(1, channels, 5, stride=2, padding=2),  # 60 → 30
        nn.ReLU(),
        nn.Conv2d(channels, channels, 3, stride=2, padding=1),  # 30 → 15
        nn.ReLU(),
        nn.MaxPool2d(3),  # 15 → 5
        nn.Flatten(),
        nn.Linear(channels * 25, width),
        nn.ReLU(),
        nn.Linear(width, CLASSES),
    )


NETWORKS: dict[str, tuple[Callable[[], nn.Module], str]] = {
    "ram": (partial(RecurrentAttentionModel, CLASSES), "recurrent attention, 6 glimpses, one run"),
    "random": (partial(RecurrentAttentionModel, CLASSES, at_random=True), "the same, looking at random"),
    "connected": (connected, "fully connected"),
    "convolutional": (convolutional, "convolutional"),
}


def batches(kind: str, seed: int, epoch: int, count: int = BATCHES) -> Iterator[PlacedDigits]:
    """Yield canvases of training digits; the same for the same seed and epoch.

    Args:
        kind: of `CLUTTER`.
        seed: of the run.
        epoch: from 0.
        count: batches.
    """
    pictures = load_mnist().train
    generator = Generator().manual_seed(1000 * seed + epoch)
    for _ in range(count):
        chosen = torch.randint(len(pictures.labels) - HELD_OUT, (BATCH,), generator=generator)
        yield place_digits(pictures, chosen, generator, CLUTTER[kind])


def canvases(part: str, kind: str) -> PlacedDigits:
    """Return fixed canvases: one of each test digit ("test"), or of each digit held out ("held out").

    Args:
        part: "test" or "held out".
        kind: of `CLUTTER`.
    """
    pictures = load_mnist().test if part == "test" else load_mnist().train
    digits = torch.arange(len(pictures.labels))
    chosen = digits if part == "test" else digits[-HELD_OUT:]
    return place_digits(pictures, chosen, Generator().manual_seed(10_000), CLUTTER[kind])


def loss(network: nn.Module, batch: PlacedDigits) -> Tensor:
    """Return what is made small."""
    if isinstance(network, RecurrentAttentionModel):
        return ram_loss(network(batch.pixels), batch.labels)
    return functional.cross_entropy(network(batch.pixels), batch.labels)


@torch.no_grad()
def answers(network: nn.Module, batch: PlacedDigits) -> Tensor:
    """Return logits (canvases, classes); a model that draws places runs once, its draws fixed."""
    if isinstance(network, RecurrentAttentionModel):
        return network(batch.pixels, Generator().manual_seed(0)).logits[:, -1]
    return network(batch.pixels)


def error(logits: Tensor, labels: Int[Tensor, "canvases"]) -> float:
    """Return how many are named wrong, in %."""
    return 100 * (logits.argmax(dim=1) != labels).double().mean().item()


def learn(network: nn.Module, kind: str, seed: int, folder: Path) -> float:
    """Train, or go on with it; return the CPU minutes.

    Args:
        network: is trained in place, and ends with its best epoch.
        kind: of `CLUTTER`.
        seed: of the run.
        folder: where the state is kept.
    """
    held_out = canvases("held out", kind)

    def validate() -> float:
        return functional.cross_entropy(answers(network, held_out), held_out.labels).item()

    schedule = Schedule(EPOCHS, RATE, warmup=BATCHES, clip=5.0, patience=EPOCHS)
    made = partial(batches, kind, seed)
    progress = fit(network, partial(loss, network), made, BATCHES, validate, schedule, folder)
    return progress.cpu_seconds / 60


def run(name: str, kind: str, budget: Budget) -> Outcome:
    """Train a network on canvases of one kind, with one seed or several, and measure it on test digits.

    Args:
        name: of `NETWORKS`.
        kind: of `CLUTTER`.
        budget: of the experiment.
    """
    make, told = NETWORKS[name]
    seeds = SEEDS.get((name, kind), 1)
    test = canvases("test", kind)
    path = budget.folder / f"{name}_{kind}.safetensors"

    def one(_: str, seed: int, before: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """Return error in % and CPU minutes; of the first eye keep the weights."""
        torch.manual_seed(seed)
        network = make()
        minutes = learn(network, kind, seed, budget.folder / f"seed-{seed}")
        if name == "ram" and not before:
            save_checkpoint(path, network, {"classes": CLASSES}, int8=True)
        return error(answers(network, test), test.labels), minutes

    runs = sweep(budget, [(name, seed) for seed in range(seeds)], one)
    if runs is None:
        return PAUSED
    errors, minutes = zip(*runs[name], strict=True)
    id, what = f"glimpses-{kind}-{name}", f"{kind} digits, 60×60, {told}"
    several = f", mean of {seeds} seeds" if seeds > 1 else ""
    published, source = PUBLISHED.get((name, kind), (None, ""))
    measure = f"{what}: error in % on 2,000 test digits"
    wrong = over_seeds(id, "glimpses", f"{measure}{several}", errors)
    each = each_seed(id, "glimpses", measure, errors) if seeds > 1 else []
    cost = over_seeds(f"{id}-minutes", "glimpses", f"{what}: CPU minutes of training{several}", minutes)
    found = [replace(wrong, published=published, published_source=source), *each, cost]
    return Outcome(found, [path] if name == "ram" else [])


MINUTES = {"ram": 7, "random": 7, "connected": 4, "convolutional": 13}  # of one seed


def cost(name: str, kind: str) -> int:
    """Return the CPU minutes of an experiment."""
    return MINUTES[name] * SEEDS.get((name, kind), 1)


EXPERIMENTS = [
    Experiment(
        "ram_translated",
        "a recurrent attention model on digits set anywhere",
        cost("ram", "translated"),
        partial(run, "ram", "translated"),
        ("ram_translated.safetensors",),
    ),
    Experiment(
        "random_glimpses",
        "the same, looking at random",
        cost("random", "translated"),
        partial(run, "random", "translated"),
    ),
    *(
        Experiment(
            f"{name}_canvas",
            f"the same digits, read at equal cost from all of the canvas: {NETWORKS[name][1]}",
            cost(name, "translated"),
            partial(run, name, "translated"),
        )
        for name in ("connected", "convolutional")
    ),
    *(
        Experiment(
            f"{name}_cluttered",
            f"digits among pieces of others: {told}",
            cost(name, "cluttered"),
            partial(run, name, "cluttered"),
        )
        for name, (_, told) in NETWORKS.items()
    ),
]
