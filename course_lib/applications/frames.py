"""The frame predictor: it watches a film of digits and goes on with it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.checkpoints import FOLDER, load_model
from course_lib.data.moving_digits import PATCH, SIZE
from course_lib.recurrent.conv_lstm import ConvLSTM
from course_lib.recurrent.lstm import LSTM

SHIPPED = FOLDER / "conv_lstm_digits.safetensors"


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


def load_predictor(path: Path = SHIPPED) -> FramePredictor:
    """Load a trained network.

    Args:
        path: the checkpoint; the ConvLSTM that ships with the course unless you have trained your own.

    Raises:
        CheckpointError: it is missing or damaged.
    """
    return load_model(path, lambda config: NETWORKS[config["network"]]())[0]
