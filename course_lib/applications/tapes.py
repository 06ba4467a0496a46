"""Trained networks with a tape or a memory beside them: they copy, and they read back both ways."""

from pathlib import Path
from typing import Literal

from course_lib.checkpoints import FOLDER, load_model
from course_lib.memory.dnc import DifferentiableNeuralComputer
from course_lib.memory.turing_machine import NeuralTuringMachine

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
