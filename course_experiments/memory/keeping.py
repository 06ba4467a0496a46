"""A training that is done once: what was trained before is read."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import torch
from torch import nn

Network = TypeVar("Network", bound=nn.Module)


def kept(
    path: Path, make: Callable[[], Network], learn: Callable[[Network], Iterable[float]], seed: int
) -> tuple[Network, float]:
    """Return a network after training, and the CPU minutes that took.

    Args:
        path: where the network is kept.
        make: makes a new one.
        learn: trains it as its losses are asked for.
        seed: of its first weights, and of what chance has to say in training.
    """
    torch.manual_seed(seed)
    network, begin = make(), time.process_time()
    if not path.exists():
        for _ in learn(network):
            pass
        torch.save({"weights": network.state_dict(), "minutes": (time.process_time() - begin) / 60}, path)
    saved = torch.load(path, weights_only=True)
    network.load_state_dict(saved["weights"])
    return network.eval(), saved["minutes"]
