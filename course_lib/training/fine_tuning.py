"""How a network that was trained before learns a new task; see `course_lib.vision.fine_tuning`."""

from collections.abc import Iterator

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn import functional

from course_lib.training.loop import train_steps
from course_lib.vision.fine_tuning import FineTuned


def fine_tune(
    network: FineTuned,
    seen: Tensor,
    labels: Int[Tensor, "pictures"],
    steps: int,
    rate: float,
    generator: torch.Generator,
    batch: int = 25,
) -> Iterator[float]:
    """Train what is not frozen; yield the loss of each step.

    The readout is new and learns at the whole rate. What was trained before learns at a tenth of it.

    Args:
        network: its readout and the stages that are not frozen are trained.
        seen: what `look` returned for the pictures, once and for all.
        labels: of the pictures.
        steps: batches.
        rate: of Adam, at the start; it falls in a straight line.
        generator: draws the batches.
        batch: pictures in a step.
    """
    groups: list[dict[str, object]] = [{"params": network.readout.parameters(), "lr": rate}]
    trained = list(network.trained.parameters())
    if trained:
        groups.append({"params": trained, "lr": rate / 10})
    optimizer = torch.optim.Adam(groups, lr=rate)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.05, steps)

    def losses() -> Iterator[Tensor]:
        for _ in range(steps):
            chosen = torch.randint(len(labels), (batch,), generator=generator)
            yield functional.cross_entropy(network.judge(seen[chosen]), labels[chosen])

    yield from train_steps(losses(), optimizer, scheduler=scheduler)
