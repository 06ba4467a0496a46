"""One training loop for the whole course: progress bar, clipping, early stopping, resume.

`fit` trains a model that is to be kept; `train_steps` is the bare loop, for short trials.
"""

import math
import os
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from tqdm.auto import tqdm


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train.

    The learning rate climbs in a straight line for `warmup` steps, then falls in a straight line
    to zero at the last step.

    Args:
        epochs: passes over the training set.
        learning_rate: the highest one (Adam).
        warmup: steps to reach it.
        clip: largest norm of the gradient; a longer one is scaled down, before the step.
        patience: epochs without a better validation loss before training stops early.
    """

    epochs: int
    learning_rate: float
    warmup: int = 500
    clip: float = 1.0
    patience: int = 4

    def factor(self, step: int, steps: int) -> float:
        """Return the share of the highest learning rate at a step."""
        return min((step + 1) / self.warmup, max(0.0, (steps - step) / max(1, steps - self.warmup)))


@dataclass
class Progress:
    """Where a training run stands."""

    epoch: int = 0
    cpu_seconds: float = 0.0
    best_loss: float = math.inf
    best_epoch: int = 0
    history: list[dict[str, float]] = field(default_factory=list)
    stopped: str = ""  # "finished", "early" or "paused"


def fit(
    model: nn.Module,
    loss: Callable[[Any], Tensor],
    batches: Callable[[int], Iterable[Any]],
    batches_per_epoch: int,
    validate: Callable[[], float],
    schedule: Schedule,
    folder: Path,
    minutes: float | None = None,
) -> Progress:
    """Train, keep the weights of the best epoch, and be ready to go on after any interruption.

    After each epoch the whole state goes to `folder/last.pt`. A later call with the same folder goes on
    from there and ends with the same weights as a run that was never interrupted.

    Args:
        model: ends with the weights of its best epoch so far; `loss` and `batches` work where it is, on a CPU
            or a GPU.
        loss: batch -> the scalar to make small.
        batches: epoch number -> the batches of that epoch, always the same for the same number.
        batches_per_epoch: how many these are.
        validate: measures the model; smaller is better.
        schedule: how long and how fast.
        folder: where the state is kept.
        minutes: pause after the epoch in which this much wall-clock time is over; None never pauses.

    Returns:
        the progress; `stopped` says "finished", "early" (no progress for `patience` epochs) or "paused".
    """
    folder.mkdir(parents=True, exist_ok=True)
    last, best = folder / "last.pt", folder / "best.pt"
    optimizer = torch.optim.Adam(model.parameters(), lr=schedule.learning_rate, fused=True)
    steps = schedule.epochs * batches_per_epoch
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: schedule.factor(step, steps))
    progress = Progress()
    if last.exists():
        saved = torch.load(last, weights_only=True)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        scheduler.load_state_dict(saved["scheduler"])
        torch.set_rng_state(saved["random"])
        progress = Progress(**saved["progress"])

    started, resumed_at = time.monotonic(), progress.epoch

    def why_stop() -> str:
        if progress.epoch >= schedule.epochs:
            return "finished"
        if progress.epoch - progress.best_epoch >= schedule.patience:
            return "early"
        over = minutes is not None and time.monotonic() - started >= minutes * 60
        return "paused" if over and progress.epoch > resumed_at else ""

    while not (stopped := why_stop()):
        cpu = time.process_time()
        bar = tqdm(
            batches(progress.epoch),
            total=batches_per_epoch,
            desc=f"epoch {progress.epoch + 1}/{schedule.epochs}",
            leave=False,
            mininterval=1,
        )
        model.train()
        training_loss = statistics.fmean(train_steps(map(loss, bar), optimizer, schedule.clip, scheduler))
        model.eval()
        validation_loss = validate()
        if not math.isfinite(validation_loss):
            raise FloatingPointError(
                f"validation loss is {validation_loss} in epoch {progress.epoch + 1}: lower the learning rate"
            )
        progress.epoch += 1
        progress.cpu_seconds += time.process_time() - cpu
        progress.history.append(
            {"epoch": progress.epoch, "training_loss": training_loss, "validation_loss": validation_loss}
        )
        tqdm.write(
            f"epoch {progress.epoch}: training loss {training_loss:.3f}, "
            f"validation loss {validation_loss:.3f}, {progress.cpu_seconds / 60:.1f} CPU minutes"
        )
        if validation_loss < progress.best_loss:
            progress.best_loss, progress.best_epoch = validation_loss, progress.epoch
            _replace(best, model.state_dict())
        state = {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
            "random": torch.get_rng_state(),
            "progress": vars(progress),
        }
        _replace(last, state)
    progress.stopped = stopped
    model.load_state_dict(torch.load(best, weights_only=True))
    return progress


def train_steps(
    losses: Iterable[Tensor],
    optimizer: torch.optim.Optimizer,
    clip: float | None = None,
    scheduler: torch.optim.lr_scheduler.LRScheduler | None = None,
) -> Iterator[float]:
    """Take one step of an optimizer for each loss, and yield the loss.

    Losses are asked for one at a time: each is computed with the weights that the step before it left.

    Args:
        losses: scalars, each with a graph of its own.
        optimizer: holds what is trained.
        clip: largest norm of the gradient; a longer one is scaled down before the step. None leaves it.
        scheduler: takes a step after the optimizer.
    """
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    for loss in losses:
        optimizer.zero_grad()
        loss.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(parameters, clip)
        optimizer.step()
        if scheduler is not None:
            scheduler.step()
        yield loss.item()


def _replace(path: Path, state: Any) -> None:
    """Write beside, then rename: an interruption leaves the old file whole."""
    beside = path.with_suffix(".part")
    torch.save(state, beside)
    os.replace(beside, path)
