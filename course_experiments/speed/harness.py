"""How two implementations are timed side by side."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

import torch
from torch import Tensor

from course_experiments.results import Measurement

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Benchmark:
    """One comparison.

    Args:
        name: what was done, with its size.
        against: the other implementation.
        ours: our time in seconds.
        theirs: the other's time in seconds, for the same work.
        target: largest ratio ours / theirs that is good enough.
        how: what the times are of.

    Raises:
        ValueError: if a time or the target is not positive.
    """

    name: str
    against: str
    ours: float
    theirs: float
    target: float
    how: str = "median of interleaved rounds"

    def __post_init__(self) -> None:
        for field in ("ours", "theirs", "target"):
            if not getattr(self, field) > 0:
                raise ValueError(f"{field} of {self.name!r} is {getattr(self, field)}; it must be positive")

    @property
    def ratio(self) -> float:
        """Our time over theirs: below 1 we are the faster."""
        return self.ours / self.theirs

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.ratio <= self.target


def timed(work: Callable[[], Answer]) -> tuple[Answer, float]:
    """Return what the work returns, and the seconds that it took."""
    start = time.perf_counter()
    answer = work()
    return answer, time.perf_counter() - start


def fastest(work: Callable[[], object], rounds: int = 3) -> float:
    """Return the seconds of the fastest of several rounds, in processor time."""
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def side_by_side(
    ours: Callable[[], object], theirs: Callable[[], object], rounds: int = 9
) -> tuple[float, float]:
    """Return the median seconds of each, taken in turn after a round that does not count.

    The clock is the processor time of this process, so what else the machine runs decides little.
    """
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for work, taken in zip((ours, theirs), seconds, strict=True):
            start = time.process_time()
            work()
            taken.append(time.process_time() - start)
    return median(seconds[0][1:]), median(seconds[1][1:])


def training_step(weights: Sequence[Tensor], loss: Callable[[], Tensor]) -> Callable[[], None]:
    """Return a training step: forward, backward, gradient descent by too little to change anything."""
    optimizer = torch.optim.SGD(weights, lr=1e-9)

    def step() -> None:
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()

    return step


def check_same(name: str, ours: Tensor, theirs: Tensor) -> None:
    """Raise RuntimeError unless two results agree: the times of different work compare nothing."""
    if not torch.allclose(ours, theirs, atol=1e-4):
        raise RuntimeError(f"{name}: results differ by {(ours - theirs).abs().max():.2g}: no fair comparison")


def speed_result(id: str, measured: Benchmark) -> Measurement:
    """Return what the register keeps of a comparison: the ratio of the two times."""
    return Measurement(
        id=f"speed-{id}",
        experiment="speed",
        metric=f"our time over the other's, {measured.how}: {measured.name}, against {measured.against}",
        value=measured.ratio,
    )
