"""Max against average pooling: the same small network on clothes, with one or the other."""

from statistics import fmean, stdev

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_experiments.protocol import Experiment, measuring
from course_experiments.results import Measurement
from course_lib.data import load_fashion_mnist
from course_lib.training.loop import train_steps

EPOCHS, BATCH, SEEDS, HELD_OUT = 3, 50, 3, 1000
RATES = (1e-3, 4e-3)  # each kind gets the one that serves it better on what is held out of training
POOLS = {"max": nn.MaxPool2d, "average": nn.AvgPool2d}


def network(kind: str) -> nn.Sequential:
    """Return two convolutions, each with ReLU and a pooling of this kind (F = 3, S = 2), and a readout."""
    pool = POOLS[kind]
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        pool(3, 2),  # 28 → 13
        nn.Conv2d(8, 16, 3, padding=1),
        nn.ReLU(),
        pool(3, 2),  # 13 → 6
        nn.Flatten(),
        nn.Linear(16 * 6 * 6, 10),
    )


def clothes(part: str) -> tuple[Float[Tensor, "pictures 1 28 28"], Int[Tensor, "pictures"]]:
    """Return pictures, brightness 0 to 1, and labels of a part, "train" or "test"."""
    found = getattr(load_fashion_mnist(), part)
    return torch.tensor(found.images).unsqueeze(1) / 255, torch.tensor(found.labels)


def learn(kind: str, rate: float, seed: int) -> nn.Sequential:
    """Return a network after training on all but the last pictures of the training part."""
    torch.manual_seed(seed)
    model = network(kind)
    images, labels = (part[:-HELD_OUT] for part in clothes("train"))
    orders = [torch.randperm(len(labels)) for _ in range(EPOCHS)]
    batches = [batch for order in orders for batch in order.split(BATCH)]
    losses = (functional.cross_entropy(model(images[batch]), labels[batch]) for batch in batches)
    for _ in train_steps(losses, torch.optim.Adam(model.parameters(), rate)):
        pass
    return model


@torch.no_grad()
def accuracy(model: nn.Module, images: Tensor, labels: Tensor) -> float:
    """Return the share that is named right, in %."""
    return 100 * (model(images).argmax(dim=1) == labels).double().mean().item()


def measure() -> list[Measurement]:
    """Return the accuracy of both kinds on test clothes: mean and spread over seeds."""
    held_out = [part[-HELD_OUT:] for part in clothes("train")]
    found = []
    for kind in POOLS:
        first = {rate: learn(kind, rate, seed=0) for rate in RATES}
        rate = max(RATES, key=lambda rate: accuracy(first[rate], *held_out))
        models = [first[rate], *(learn(kind, rate, seed) for seed in range(1, SEEDS))]
        shares = [accuracy(model, *clothes("test")) for model in models]
        what = f"{kind} pooling in a small network: % of test clothes named right"
        found.append(Measurement(f"pooling-{kind}", "pooling", what, fmean(shares), stdev(shares)))
    return found


EXPERIMENTS = [Experiment("pooling", "max against average pooling on clothes", 2, measuring(measure))]
