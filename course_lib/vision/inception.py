"""GoogLeNet: four convolutions of different size side by side, in each of nine modules.

    module(x) = [ 1×1 ; 3×3 of 1×1 ; 5×5 of 1×1 ; 1×1 of max 3×3 ](x)      maps are put one behind the other

The 1×1 in front of a wide convolution makes it cheap: it works on few maps.

Szegedy et al. 2015, *Going deeper with convolutions*, table 1 (without the two helping outputs of training).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.vision.convnets import global_average, relu_convolution, response_normalisation


class Widths(NamedTuple):
    """Maps of a module, as a row of table 1 lists them."""

    one: int
    reduce_three: int
    three: int
    reduce_five: int
    five: int
    pool: int

    @property
    def outputs(self) -> int:
        """Maps that leave the module."""
        return self.one + self.three + self.five + self.pool


INCEPTIONS = {
    "3a": Widths(64, 96, 128, 16, 32, 32),
    "3b": Widths(128, 128, 192, 32, 96, 64),
    "4a": Widths(192, 96, 208, 16, 48, 64),
    "4b": Widths(160, 112, 224, 24, 64, 64),
    "4c": Widths(128, 128, 256, 24, 64, 64),
    "4d": Widths(112, 144, 288, 32, 64, 64),
    "4e": Widths(256, 160, 320, 32, 128, 128),
    "5a": Widths(256, 160, 320, 32, 128, 128),
    "5b": Widths(384, 192, 384, 48, 128, 128),
}
LAST_BEFORE_POOLING = ("3b", "4e")


class Inception(nn.Module):
    """One module.

    Args:
        inputs: maps that come in.
        widths: maps of its parts.
    """

    def __init__(self, inputs: int, widths: Widths) -> None:
        super().__init__()
        self.one = nn.Sequential(*relu_convolution(inputs, widths.one, 1))
        self.three = nn.Sequential(
            *relu_convolution(inputs, widths.reduce_three, 1),
            *relu_convolution(widths.reduce_three, widths.three, 3),
        )
        self.five = nn.Sequential(
            *relu_convolution(inputs, widths.reduce_five, 1),
            *relu_convolution(widths.reduce_five, widths.five, 5),
        )
        self.pool = nn.Sequential(
            nn.MaxPool2d(3, stride=1, padding=1), *relu_convolution(inputs, widths.pool, 1)
        )

    def forward(
        self, inputs: Float[Tensor, "batch inputs height width"]
    ) -> Float[Tensor, "batch outputs height width"]:
        """Return the maps of all four, one behind the other."""
        return torch.cat([part(inputs) for part in (self.one, self.three, self.five, self.pool)], dim=1)


def googlenet(classes: int = 1000) -> nn.Sequential:
    """Return GoogLeNet for colour pictures of 224×224; its modules are called as in the paper."""
    network = nn.Sequential(
        *relu_convolution(3, 64, 7, stride=2),
        nn.MaxPool2d(3, 2, padding=1),
        response_normalisation(),
        *relu_convolution(64, 64, 1),
        *relu_convolution(64, 192, 3),
        response_normalisation(),
        nn.MaxPool2d(3, 2, padding=1),
    )
    inputs = 192
    for name, widths in INCEPTIONS.items():
        network.add_module(name, Inception(inputs, widths))
        inputs = widths.outputs
        if name in LAST_BEFORE_POOLING:
            network.add_module(f"pool {name}", nn.MaxPool2d(3, 2, padding=1))
    network.add_module("head", nn.Sequential(*global_average(), nn.Dropout(0.4), nn.Linear(inputs, classes)))
    return network
