"""What comes next in a film? A ConvLSTM and plain LSTMs on moving digits, against copying the last frame."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from course_experiments.protocol import Budget, Experiment, Outcome
from course_experiments.results import Measurement
from course_lib.applications.frames import NETWORKS, FramePredictor, load_predictor
from course_lib.checkpoints import save_checkpoint
from course_lib.data.mnist import load_mnist
from course_lib.data.moving_digits import AHEAD, GIVEN, SIZE, films, half_size, moving_digits
from course_lib.training.loop import train_steps

SECONDS = 200.0  # CPU time of training, the same for each network
PROBE = 300  # films to measure on


def train_predictor(
    model: FramePredictor, cpu_seconds: float, seed: int, rate: float = 6e-3, batch: int = 8
) -> int:
    """Train on fresh films, for a time; return how many films were seen.

    Adam; the rate falls in a straight line to 0; gradients are clipped at norm 1. The loss is the binary
    cross-entropy of all frames that are told, the `AHEAD` last ones from the model's own answers.

    Args:
        model: is changed.
        cpu_seconds: of this process.
        seed: of the films.
        rate: highest learning rate.
        batch: films an update.
    """
    images = half_size(load_mnist().train.images)
    generator = Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    began = time.process_time()

    def losses() -> Iterator[Tensor]:
        while (spent := time.process_time() - began) < cpu_seconds:
            optimizer.param_groups[0]["lr"] = rate * (1 - spent / cpu_seconds)
            frames = moving_digits(images, batch, GIVEN + AHEAD, generator, size=SIZE).frames
            told = model(frames[:, :GIVEN], AHEAD)
            yield nn.functional.binary_cross_entropy_with_logits(told, frames[:, 1:])

    return batch * sum(1 for _ in train_steps(losses(), optimizer, clip=1.0))


@torch.no_grad()
def errors_ahead(
    foretell: Callable[[Tensor], Tensor], frames: Float[Tensor, "films time 1 size size"]
) -> list[float]:
    """Return the squared error of a frame, summed over its pixels, 1 to `AHEAD` frames ahead.

    Args:
        foretell: the first `GIVEN` frames -> the ink of the `AHEAD` next ones, 0 to 1.
        frames: whole films.
    """
    wrong = foretell(frames[:, :GIVEN]) - frames[:, GIVEN : GIVEN + AHEAD]
    return wrong.square().flatten(2).sum(dim=-1).mean(dim=0).tolist()


def ink_ahead(model: FramePredictor, given: Tensor) -> Tensor:
    """Return the ink that a model foretells, 0 to 1, of the `AHEAD` frames after the given ones."""
    return torch.sigmoid(model(given, AHEAD)[:, -AHEAD:])


def copied(given: Tensor) -> Tensor:
    """Return the last frame again, as often as is foretold."""
    return given[:, -1:].expand(-1, AHEAD, -1, -1, -1)


class Foretelling(NamedTuple):
    """One network, trained, and how wrong it is."""

    network: str  # of `NETWORKS`
    parameters: int
    films: int  # seen in training
    cpu_seconds: float
    errors: list[float]  # of `errors_ahead`


def try_predictor(network: str, path: Path, cpu_seconds: float = SECONDS) -> Foretelling:
    """Train a fresh network, write it to a file, and measure that file on `PROBE` films of test digits.

    Args:
        network: of `NETWORKS`.
        path: of the checkpoint.
        cpu_seconds: of training.
    """
    torch.manual_seed(0)
    model = NETWORKS[network]()
    seen = train_predictor(model, cpu_seconds, seed=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_checkpoint(path, model, {"network": network})
    errors = errors_ahead(partial(ink_ahead, load_predictor(path)), films("test", PROBE, seed=1).frames)
    return Foretelling(network, sum(p.numel() for p in model.parameters()), seen, cpu_seconds, errors)


def frame_results(runs: Sequence[Foretelling]) -> list[Measurement]:
    """Return what is recorded of trained networks, and of copying the last frame.

    Args:
        runs: one of each network.
    """
    new = partial(Measurement, experiment="conv-lstm")
    errors = {"copy": errors_ahead(copied, films("test", PROBE, seed=1).frames)}
    errors |= {run.network: run.errors for run in runs}
    sizes = [
        new(id=f"conv-lstm-{run.network}-{what}", metric=f"next frames, {run.network}: {told}", value=value)
        for run in runs
        for what, told, value in (
            ("parameters", "parameters", run.parameters),
            ("films", "films seen in training", run.films),
            ("cpu-seconds", "CPU seconds of training", run.cpu_seconds),
        )
    ]
    return sizes + [
        new(
            id=f"conv-lstm-{network}-ahead-{k}",
            metric=f"next frames, {network}: squared error summed over 32 × 32 pixels, {k} ahead; "
            f"{PROBE} films of 2 test digits",
            value=error,
        )
        for network, by_distance in errors.items()
        for k, error in enumerate(by_distance, start=1)
    ]


def predict_frames(path: Path) -> list[Measurement]:
    """Train all networks; write the ConvLSTM to a file, the others beside it; return what is to be recorded.

    Args:
        path: of the ConvLSTM's checkpoint.
    """
    beside = {name: path.with_name(f"{name}.safetensors") for name in NETWORKS}
    return frame_results([try_predictor(name, file) for name, file in (beside | {"conv-lstm": path}).items()])


def run(budget: Budget) -> Outcome:
    """Train all networks and measure them."""
    path = budget.folder / "conv_lstm_digits.safetensors"
    return Outcome(predict_frames(path), [path])


EXPERIMENTS = [
    Experiment(
        "conv_lstm_digits",
        "ConvLSTM beside LSTMs on films of digits",
        10,
        run,
        ships=("conv_lstm_digits.safetensors",),
    )
]
