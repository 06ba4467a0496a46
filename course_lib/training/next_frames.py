"""What comes next in a film? A ConvLSTM and plain LSTMs on moving digits, against copying the last frame."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from course_lib.checkpoints import FOLDER, read_checkpoint, save_checkpoint
from course_lib.data.mnist import load_mnist
from course_lib.data.moving_digits import Films, half_size, moving_digits
from course_lib.recurrent.conv_lstm import ConvLSTM
from course_lib.recurrent.lstm import LSTM
from course_lib.registers import Result, new_result

SIZE, PATCH = 32, 4  # pixels: side of a frame, and of the patches that the ConvLSTM reads as one
GIVEN, AHEAD = 6, 6  # frames that are seen, and frames that are foretold
SHIPPED = FOLDER / "conv_lstm_digits.safetensors"
SECONDS = {"conv-lstm": 200.0, "lstm-same-size": 40.0, "lstm-wide": 60.0}  # CPU time of training
PROBE = 300  # films to measure on


class FramePredictor(nn.Module):
    """Reads a film and says the next frame at each step; its own answers can be read on.

    Args:
        layer: reads frames as `read` gives them; returns states and its last state.
        head: state -> frame, as `write` takes it.
        read: frames (films, time, 1, height, width) -> what the layer reads.
        write: what the head gives -> logits, in the shape of frames.
    """

    def __init__(
        self,
        layer: nn.Module,
        head: nn.Module,
        read: Callable[[Tensor], Tensor],
        write: Callable[[Tensor], Tensor],
    ) -> None:
        super().__init__()
        self.layer, self.head, self.read, self.write = layer, head, read, write

    def forward(
        self, films: Float[Tensor, "films given 1 height width"], ahead: int = 1
    ) -> Float[Tensor, "films told 1 height width"]:
        """Return logits of the ink at frames 2 … given + ahead; from given + 2 on, own answers are read.

        Args:
            films: what is seen.
            ahead: frames to tell beyond it, 1 or more.

        Raises:
            ValueError: ahead is below 1.
        """
        if ahead < 1:
            raise ValueError(f"ahead is {ahead}; allowed is 1 or more")
        states, state = self.layer(self.read(films))
        told = [self.write(self.head(states))]
        for _ in range(ahead - 1):
            states, state = self.layer(self.read(torch.sigmoid(told[-1][:, -1:])), state)
            told.append(self.write(self.head(states)))
        return torch.cat(told, dim=1)


class ForEachFrame(nn.Module):
    """A module for images, used on every frame of a film.

    Args:
        module: images (batch, channels, height, width) -> images.
    """

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(
        self, films: Float[Tensor, "films time channels height width"]
    ) -> Float[Tensor, "films time out height2 width2"]:
        """Return what the module makes of each frame."""
        return self.module(films.flatten(0, 1)).unflatten(0, films.shape[:2])


def convolutional(hidden_size: int = 32, kernel_size: int = 3) -> FramePredictor:
    """Return a ConvLSTM that reads frames as 8 × 8 places with 16 channels, one a pixel of a patch.

    Args:
        hidden_size: channels of its state.
        kernel_size: of its convolutions, odd.

    Source: Shi et al. 2015, section 4.1 (patches of 4 × 4).
    """
    side = SIZE // PATCH
    return FramePredictor(
        ConvLSTM(PATCH**2, hidden_size, kernel_size, (side, side)),
        ForEachFrame(nn.Conv2d(hidden_size, PATCH**2, kernel_size=1)),
        partial(nn.functional.pixel_unshuffle, downscale_factor=PATCH),
        partial(nn.functional.pixel_shuffle, upscale_factor=PATCH),
    )


def fully_connected(hidden_size: int) -> FramePredictor:
    """Return a plain LSTM that reads a frame as 1,024 numbers.

    Args:
        hidden_size: features of its state.
    """
    return FramePredictor(
        LSTM(SIZE**2, hidden_size),
        nn.Linear(hidden_size, SIZE**2),
        partial(torch.flatten, start_dim=2),
        partial(torch.unflatten, dim=-1, sizes=(1, SIZE, SIZE)),
    )


NETWORKS: dict[str, Callable[[], FramePredictor]] = {
    "conv-lstm": convolutional,
    "lstm-same-size": partial(fully_connected, 12),
    "lstm-wide": partial(fully_connected, 256),
}


def films(part: str, count: int, seed: int, digits: int = 2, steps: int = GIVEN + AHEAD) -> Films:
    """Return films of digits from one part of MNIST, at half their size.

    Args:
        part: "train" or "test".
        count: films.
        seed: of all chance.
        digits: in a film.
        steps: frames of a film.
    """
    images = half_size(getattr(load_mnist(), part).images)
    return moving_digits(images, count, steps, Generator().manual_seed(seed), digits, SIZE)


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
    began, seen = time.process_time(), 0
    while (spent := time.process_time() - began) < cpu_seconds:
        optimizer.param_groups[0]["lr"] = rate * (1 - spent / cpu_seconds)
        frames = moving_digits(images, batch, GIVEN + AHEAD, generator, size=SIZE).frames
        loss = nn.functional.binary_cross_entropy_with_logits(model(frames[:, :GIVEN], AHEAD), frames[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        seen += batch
    return seen


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


def try_predictor(network: str, path: Path, cpu_seconds: float | None = None) -> Foretelling:
    """Train a fresh network, write it to a file, and measure that file on `PROBE` films of test digits.

    Args:
        network: of `NETWORKS`.
        path: of the checkpoint.
        cpu_seconds: of training; None is that of `SECONDS`.
    """
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model, seconds = NETWORKS[network](), SECONDS[network] if cpu_seconds is None else cpu_seconds
    seen = train_predictor(model, seconds, seed=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_checkpoint(path, model, {"network": network})
    errors = errors_ahead(partial(ink_ahead, load_predictor(path)), films("test", PROBE, seed=1).frames)
    return Foretelling(network, sum(p.numel() for p in model.parameters()), seen, seconds, errors)


def frame_results(runs: Sequence[Foretelling]) -> list[Result]:
    """Return what is recorded of trained networks, and of copying the last frame.

    Args:
        runs: one of each network.
    """
    new = partial(new_result, experiment="conv-lstm", command="course train conv_lstm_digits --ship")
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


def predict_frames(path: Path) -> list[Result]:
    """Train all networks; write the ConvLSTM to a file, the others beside it; return what is to be recorded.

    Args:
        path: of the ConvLSTM's checkpoint.
    """
    beside = {name: path.with_name(f"{name}.safetensors") for name in NETWORKS}
    return frame_results([try_predictor(name, file) for name, file in (beside | {"conv-lstm": path}).items()])


def load_predictor(path: Path = SHIPPED) -> FramePredictor:
    """Load a trained network.

    Args:
        path: the checkpoint; the ConvLSTM that ships with the course unless you have trained your own.

    Raises:
        CheckpointError: it is missing or damaged.
    """
    config, weights = read_checkpoint(path)
    model = NETWORKS[config["network"]]()
    model.load_state_dict(weights)
    return model.eval()
