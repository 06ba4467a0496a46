"""What one output sees of the input: computed from the layers, and measured by a gradient.

    R = 1 + Σ_l D_l (F_l − 1) Π_{m<l} S_m      layers l with F taps, stride S, dilation D

An input that an output does not see has a gradient of exactly 0. The measured field can be smaller: a weight
of 0, a shut ReLU or a place that lost in a max pooling lets nothing through. How strong the rest is: Luo et
al. 2016, *effective* receptive field. Dilations that double: Yu and Koltun 2016, figure 1.
"""

from collections.abc import Callable, Iterable
from math import prod

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from course_lib.vision.convolution import Geometry


def receptive_field_size(layers: Iterable[tuple[int, Geometry]]) -> int:
    """Return how many inputs one output sees along an axis, far from the border.

    Args:
        layers: taps and geometry of each, from the first.
    """
    layers = list(layers)
    strides = [geometry.stride for _, geometry in layers]
    return 1 + sum(
        geometry.dilation * (taps - 1) * prod(strides[:before])
        for before, (taps, geometry) in enumerate(layers)
    )


def output_gradient(
    network: Callable[[Tensor], Tensor],
    inputs: Float[Tensor, "batch channels height width"],
    place: tuple[int, int],
) -> Float[Tensor, "batch channels height width"]:
    """Return the gradient, by the inputs, of what all channels have at one place of the output.

    Args:
        network: from pictures to maps.
        inputs: where the gradient is taken.
        place: row and column of the output.

    Raises:
        ValueError: the output has no such place.
    """
    inputs = inputs.detach().requires_grad_()
    outputs = network(inputs)
    for axis, (at, size) in enumerate(zip(place, outputs.shape[2:], strict=True)):
        if not 0 <= at < size:
            raise ValueError(f"place[{axis}] is {at}; allowed is 0 to {size - 1}")
    (gradient,) = torch.autograd.grad(outputs[:, :, *place].sum(), inputs)
    return gradient


def measured_field(
    network: Callable[[Tensor], Tensor],
    inputs: Float[Tensor, "batch channels height width"],
    place: tuple[int, int],
) -> Bool[Tensor, "height width"]:
    """Return which pixels one place of the output depends on, for any of these inputs.

    Args and Raises: those of `output_gradient`.
    """
    return (output_gradient(network, inputs, place) != 0).any(dim=1).any(dim=0)
