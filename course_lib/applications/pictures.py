"""Small networks that look at pictures, and what they saw."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from course_lib.checkpoints import FOLDER, load_model
from course_lib.traces.overlay import OverlayTrace
from course_lib.vision.explanations import Method, data_gradient, enlarged, explain, saliency
from course_lib.vision.global_pooling import GlobalPoolingNetwork
from course_lib.vision.pixels import check_pixels, to_images

MAP_SIDE = 56  # cells of an overlay's maps: coarse ones grow, a data gradient shrinks
PictureNetwork = Literal["clothes_on_scenes", "digits", "digits_adversarial"]
PICTURE_NETWORKS: tuple[PictureNetwork, ...] = get_args(PictureNetwork)


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


def explain_pictures(
    network: nn.Module,
    pixels: Float[Tensor, "pictures channels side side"],
    names: Sequence[str],
    classes: Sequence[Mapping[str, int]],
    title: str = "",
) -> OverlayTrace:
    """Return, for classes of each picture, its saliency, CAM, Grad-CAM and Grad-CAM++ as maps to lay over it.

    Args:
        network: as of `explain`.
        pixels: grey or in colour, 0 to 1; the side is 56 or more.
        names: what each picture shows.
        classes: for each picture, what classes are called and their numbers; as many for each.
        title: what the overlays show, as a sentence.

    Raises:
        ValueError: pixels of another range, a side that is too short, a picture without classes or with
            more than another, or a class that does not exist.
    """
    check_pixels(pixels)
    if min(pixels.shape[2:]) < MAP_SIDE:
        raise ValueError(
            f"the pictures' sides are {tuple(pixels.shape[2:])}; allowed are {MAP_SIDE} and more"
        )
    counts = [len(those) for those in classes]
    if 0 in counts or len(set(counts)) != 1:
        raise ValueError(f"the pictures have {counts} classes; allowed is 1 or more, as many for each")
    kinds = ("saliency", *get_args(Method))
    found = [
        torch.stack([_maps(network, picture[None], number) for number in those.values()])
        for picture, those in zip(pixels, classes, strict=True)
    ]
    return OverlayTrace(
        to_images(pixels), tuple(names), torch.stack(found).numpy(), tuple(map(tuple, classes)), kinds, title
    )


def _maps(
    network: nn.Module, pixels: Float[Tensor, "1 channels side side"], number: int
) -> Float[Tensor, "kinds rows columns"]:
    """All kinds of maps of one class, each with 1 as its largest number."""
    wanted = torch.tensor([number])
    fine = saliency(data_gradient(network, pixels, wanted))
    coarse = [explain(network, pixels, wanted, method) for method in get_args(Method)]
    shrunk = functional.max_pool2d(fine, fine.shape[1] // MAP_SIDE)
    return torch.cat([enlarged(maps, (MAP_SIDE, MAP_SIDE)) for maps in (shrunk, *coarse)])
