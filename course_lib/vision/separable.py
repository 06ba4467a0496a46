"""Convolutions that cost less: 1×1, separable, depthwise separable; and what each costs.

    1×1                   y_o(i) = Σ_c w_{o,c} x_c(i)                a linear layer at every place
    separable             K = k_y k_xᵀ                               a column, then a row
    depthwise separable   a kernel for each channel, then 1×1        MobileNets, section 3.1

A kernel can be separated exactly where its matrix has rank 1, as Sobel's has: [1 2 1]ᵀ [−1 0 1].

Lin, Chen and Yan 2014 (1×1); Howard et al. 2017, *MobileNets* (depthwise separable).
"""

from math import prod
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.vision.convolution import PLAIN, Geometry, convolve


class Cost(NamedTuple):
    """What a layer costs for one picture."""

    parameters: int
    multiply_adds: int

    def __add__(self, other: "Cost") -> "Cost":  # type: ignore[override]
        """The cost of one after the other."""
        return Cost(self.parameters + other.parameters, self.multiply_adds + other.multiply_adds)


def convolution_cost(
    inputs: int, outputs: int, taps: tuple[int, ...], places: tuple[int, ...], groups: int = 1
) -> Cost:
    """Return what a convolution without biases costs: every weight is used once at every place of the output.

    Args:
        inputs, outputs: channels.
        taps: of the kernel along each axis.
        places: of the output along each axis.
        groups: parts into which the channels are split.

    Raises:
        ValueError: a number of channels can't be split into so many groups.
    """
    if inputs % groups or outputs % groups:
        raise ValueError(f"{inputs} and {outputs} channels can't be split into {groups} groups")
    parameters = outputs * (inputs // groups) * prod(taps)
    return Cost(parameters, parameters * prod(places))


def depthwise_separable_cost(
    inputs: int, outputs: int, taps: tuple[int, ...], places: tuple[int, ...]
) -> Cost:
    """Return what `depthwise_separable` costs; of a full convolution's, that is 1/outputs + 1/taps."""
    depthwise = convolution_cost(inputs, inputs, taps, places, groups=inputs)
    return depthwise + convolution_cost(inputs, outputs, (1, 1), places)


def pointwise(
    inputs: Float[Tensor, "batch inputs height width"], weight: Float[Tensor, "outputs inputs"]
) -> Float[Tensor, "batch outputs height width"]:
    """Return the 1×1 convolution: at each place, another mixture of the channels."""
    return torch.einsum("oc,bchw->bohw", weight, inputs)


def separate(
    kernel: Float[Tensor, "height width"],
) -> tuple[Float[Tensor, "height"], Float[Tensor, "width"]]:
    """Return a column and a row whose outer product is the kernel.

    Raises:
        ValueError: there are none: the matrix has a rank other than 1.
    """
    left, sizes, right = torch.linalg.svd(kernel)
    rank = int(torch.linalg.matrix_rank(kernel))
    if rank != 1:
        raise ValueError(f"the kernel has rank {rank}; only one of rank 1 can be separated")
    return left[:, 0] * sizes[0], right[0]


def separable(
    inputs: Float[Tensor, "batch channels height width"],
    column: Float[Tensor, "rows"],
    row: Float[Tensor, "columns"],
) -> Float[Tensor, "batch channels lower narrower"]:
    """Return each channel convolved with the outer product of column and row, one after the other."""
    channels = inputs.shape[1]
    alone = Geometry(groups=channels)
    tall = column.reshape(1, 1, -1, 1).expand(channels, -1, -1, -1)
    wide = row.reshape(1, 1, 1, -1).expand(channels, -1, -1, -1)
    return convolve(convolve(inputs, tall, None, alone), wide, None, alone)


def depthwise_separable(
    inputs: Float[Tensor, "batch inputs height width"],
    depthwise: Float[Tensor, "inputs rows columns"],
    mixture: Float[Tensor, "outputs inputs"],
    geometry: Geometry = PLAIN,
) -> Float[Tensor, "batch outputs lower narrower"]:
    """Return first each channel by itself, convolved with its own kernel, then the channels mixed.

    Args:
        inputs: a batch of pictures.
        depthwise: a kernel for each channel.
        mixture: weights of the 1×1 convolution.
        geometry: of the first; its groups are the channels, whatever it says.
    """
    alone = geometry._replace(groups=inputs.shape[1])
    return pointwise(convolve(inputs, depthwise.unsqueeze(1), None, alone), mixture)
