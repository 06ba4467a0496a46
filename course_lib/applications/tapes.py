"""Trained networks with a tape or a memory beside them: they copy, and they read back both ways."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.checkpoints import FOLDER, load_model
from course_lib.memory.dnc import DifferentiableNeuralComputer
from course_lib.memory.turing_machine import NeuralTuringMachine, written
from course_lib.traces import MemoryTrace

CopyTask = Literal["copy", "repeat"]


def load_copier(task: CopyTask, folder: Path = FOLDER) -> NeuralTuringMachine:
    """Return a trained Turing machine in eval mode; by default a shipped one.

    No weight depends on the tape: whoever needs a longer one sets `rows`.

    Args:
        task: "copy" says a sequence once; "repeat" as often as the sign says.
        folder: where `tape_TASK.safetensors` lies.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    return read_copier(folder / f"tape_{task}.safetensors")


def read_copier(path: Path) -> NeuralTuringMachine:
    """Return the Turing machine of a file, in eval mode.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    return load_model(path, lambda config: NeuralTuringMachine(**config))[0]


def load_two_ways(path: Path = FOLDER / "two_ways.safetensors") -> DifferentiableNeuralComputer:
    """Return a trained computer that says a sequence in its order and then in reverse, in eval mode.

    No weight depends on the memory: whoever needs a larger one sets `rows`.

    Raises:
        CheckpointError: the file is missing or damaged.
    """
    return load_model(path, lambda config: DifferentiableNeuralComputer(**config))[0]


@torch.no_grad()
def film(
    network: NeuralTuringMachine | DifferentiableNeuralComputer,
    inputs: Float[Tensor, "time channels"],
    steps: Sequence[str],
    title: str = "",
) -> MemoryTrace:
    """Return what a network does to its memory while it reads one sequence.

    Args:
        network: with one head that reads; its outputs are squashed to 0 to 1.
        inputs: the sequence.
        steps: what each step is, in a word.
        title: what the picture shows.
    """
    outputs, track = network(inputs.unsqueeze(0))
    writing = track.write_weights[0]
    blank = {} if isinstance(network, NeuralTuringMachine) else {"blank": 0.0}
    return MemoryTrace(
        writing.numpy(),
        track.read_weights[0].reshape(writing.shape).numpy(),
        written(writing, track.erased[0], track.added[0], **blank).numpy(),
        inputs.numpy(),
        outputs[0].sigmoid().numpy(),
        tuple(steps),
        title=title,
    )
