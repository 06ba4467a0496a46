"""Small networks that look at pictures: they read digits, or say which clothes are on a scene."""

from pathlib import Path
from typing import Any, Literal

from course_lib.checkpoints import FOLDER, load_model
from course_lib.vision.global_pooling import GlobalPoolingNetwork

PICTURE_NETWORKS = ("clothes_on_scenes", "digits", "digits_adversarial")
PictureNetwork = Literal["clothes_on_scenes", "digits", "digits_adversarial"]


def load_picture_network(name: PictureNetwork, path: Path | None = None) -> GlobalPoolingNetwork:
    """Load a trained network in eval mode.

    Args:
        name: "digits" reads digits, "digits_adversarial" was also trained on digits that fool it,
            "clothes_on_scenes" scores for each kind of clothes whether it is on a scene.
        path: its checkpoint; None takes the shipped one.

    Raises:
        ValueError: no such network.
        CheckpointError: the checkpoint is missing or damaged.
    """
    if name not in PICTURE_NETWORKS:
        raise ValueError(f"name is {name!r}; allowed are {', '.join(map(repr, PICTURE_NETWORKS))}")

    def build(config: dict[str, Any]) -> GlobalPoolingNetwork:
        return GlobalPoolingNetwork(tuple(config["channels"]), config["classes"])

    return load_model(path or FOLDER / f"{name}.safetensors", build)[0]
