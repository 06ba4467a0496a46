"""Trained weights that ship with the course, and how they are written and read."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn

FOLDER = Path(__file__).parent


class CheckpointError(RuntimeError):
    """A checkpoint is missing or cannot be read."""


def save_checkpoint(path: Path, model: nn.Module, config: dict[str, Any]) -> None:
    """Write a model's weights as float16, with the arguments that build the model.

    Args:
        path: a file ending in .safetensors.
        model: its weights are rounded in the file, not in place.
        config: anything that JSON can hold.
    """
    weights = {name: weight.half().contiguous() for name, weight in model.state_dict().items()}
    save_file(weights, path, metadata={"config": json.dumps(config)})


def read_checkpoint(path: Path) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """Return the config and the weights (float32) of a checkpoint.

    Raises:
        CheckpointError: there is no such file, or it is no checkpoint of this course.
    """
    if not path.is_file():
        raise CheckpointError(
            f"{path} is missing; restore it from the repository, or train it: `course train`"
        )
    try:
        with safe_open(path, framework="pt") as file:
            config = json.loads(file.metadata()["config"])
            return config, {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise CheckpointError(f"{path} is damaged or no checkpoint of this course: {error}") from error
