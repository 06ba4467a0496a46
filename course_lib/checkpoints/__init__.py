"""Trained weights that ship with the course, and how they are written and read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn

FOLDER = Path(__file__).parent
SCALE = ":scale"  # ends the name of the scales of a matrix in whole numbers
SMALLEST_SCALE = 1e-30  # keeps a row of zeros a row of zeros
Model = TypeVar("Model", bound=nn.Module)


class CheckpointError(RuntimeError):
    """A checkpoint is missing or cannot be read."""


def save_checkpoint(path: Path, model: nn.Module, config: dict[str, Any], int8: bool = False) -> None:
    """Write a model's rounded weights, with the arguments that build the model.

    Args:
        path: a file ending in .safetensors.
        model: its weights are rounded in the file, not in place.
        config: anything that JSON can hold.
        int8: write each row of a matrix as whole numbers from -127 to 127 and one scale; all else is float16.
    """
    weights = {}
    for name, weight in model.state_dict().items():
        if int8 and weight.dim() > 1:
            largest = weight.abs().amax(dim=tuple(range(1, weight.dim())), keepdim=True)
            scale = largest.clamp(min=SMALLEST_SCALE) / 127
            weights[name] = (weight / scale).round().to(torch.int8).contiguous()
            weights[name + SCALE] = scale
        else:
            weights[name] = weight.half().contiguous()
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
            stored = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, KeyError, TypeError, json.JSONDecodeError) as error:
        raise CheckpointError(f"{path} is damaged or no checkpoint of this course: {error}") from error
    scales = {name.removesuffix(SCALE): stored.pop(name) for name in list(stored) if name.endswith(SCALE)}
    return config, {name: weight * scales.get(name, 1) for name, weight in stored.items()}


def load_model(path: Path, build: Callable[[dict[str, Any]], Model]) -> tuple[Model, dict[str, Any]]:
    """Return the model of a checkpoint, in eval mode, and its config.

    Args:
        path: of the checkpoint.
        build: config -> the model before training.

    Raises:
        CheckpointError: the file is missing, damaged, or holds another model.
    """
    config, weights = read_checkpoint(path)
    try:
        model = build(config)
        model.load_state_dict(weights)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise CheckpointError(f"{path} is damaged or holds another model ({reason})") from error
    return model.eval(), config
