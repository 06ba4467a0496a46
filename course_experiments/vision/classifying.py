"""What experiments on classifying clothes share: one way to train, and rates chosen on what is held out."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from course_experiments.vision.pooling import accuracy, clothes
from course_lib.training.loop import train_steps

BATCH, HELD_OUT = 50, 1000
EPOCHS = 3
RATES = (2e-3, 1e-2)  # each network gets the one that served its first seed better on what is held out
SEEDS = (0, 1, 2)

Network = TypeVar("Network", bound=nn.Module)
Found = dict[str, float]


def start(network: nn.Module) -> None:
    """Draw the weights as He et al. 2015, with which deep ReLU networks learn; biases are 0."""
    for layer in network.modules():
        if isinstance(layer, nn.Conv2d | nn.Linear):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


def learn(network: Network, rate: float, epochs: int = EPOCHS) -> Network:
    """Train a network on all but the last clothes of the training part; return it in evaluation mode.

    Args:
        network: is trained in place.
        rate: of Adam, at the start; it falls in a straight line to a twentieth.
        epochs: passes over 7,000 pictures.
    """
    images, labels = (part[:-HELD_OUT] for part in clothes("train"))
    batches = [batch for _ in range(epochs) for batch in torch.randperm(len(labels)).split(BATCH)]
    optimizer = torch.optim.Adam(network.parameters(), rate)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, len(batches))

    def loss(batch: Tensor) -> Tensor:
        return functional.cross_entropy(network(images[batch]), labels[batch])

    network.train()
    for _ in train_steps(map(loss, batches), optimizer, scheduler=scheduler):
        pass
    return network.eval()


def trained(build: Callable[[], Network], rate: float, seed: int, epochs: int = EPOCHS) -> Network:
    """Return a network after its training; the seed decides about its start and the order of the pictures."""
    torch.manual_seed(seed)
    network = build()
    start(network)
    return learn(network, rate, epochs)


@torch.no_grad()
def shares(network: nn.Module) -> Found:
    """Return what share is named right, in %: of what was held out, of test clothes, of 1,000 trained on."""
    images, labels = clothes("train")
    return {
        "held out": accuracy(network, images[-HELD_OUT:], labels[-HELD_OUT:]),
        "test": accuracy(network, *clothes("test")),
        "seen": accuracy(network, images[:HELD_OUT], labels[:HELD_OUT]),
    }


def try_rates(build: Callable[[], nn.Module], seed: int, earlier: Sequence[Found]) -> Found:
    """Train with each rate, or with the one that an earlier seed chose on what was held out.

    Args:
        build: returns the network before training.
        seed: of this run.
        earlier: what other seeds found.
    """
    runs = []
    for rate in [earlier[0]["rate"]] if earlier else RATES:
        began = time.process_time()
        found = shares(trained(build, rate, seed))
        runs.append(found | {"rate": rate, "cpu seconds": time.process_time() - began})
    return max(runs, key=lambda found: found["held out"])
