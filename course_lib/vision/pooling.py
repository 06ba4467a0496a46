"""Pooling, forward and backward by hand: one number stands for a window.

    max       y_i = max_k x_{S·i + k}         ∂L/∂x_j = Σ ∂L/∂y_i over the windows i whose largest is x_j
    average   y_i = 1/F² Σ_k x_{S·i + k}      ∂L/∂x_j = Σ ∂L/∂y_i / F² over the windows i that hold x_j
    global    y   = the mean of all places    Lin, Chen and Yan 2014, *Network in network*, section 3.2

The way back through a maximum needs to know where it was: the *switch* of each window, kept from the way
forward (Zeiler and Fergus 2014, section 2.1). Where several are largest, the first in reading order is it.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.vision.convolution import Geometry, output_size, pad, windows
from course_lib.vision.convolution_backward import input_gradient


class Pooled(NamedTuple):
    """The largest of each window, and where it was."""

    outputs: Float[Tensor, "batch channels lower narrower"]
    switches: Int[Tensor, "batch channels lower narrower"]  # y · width + x in the input


def max_pool(
    inputs: Float[Tensor, "batch channels height width"], size: int, stride: int, padding: int = 0
) -> Pooled:
    """Return the largest number of each window, and its switch.

    Args:
        inputs: a batch of pictures.
        size: F, of a window along either axis.
        stride: S, from one window to the next; below F they overlap.
        padding: places around the picture that never win.

    Raises:
        ValueError: the window is larger than the padded picture, holds padding only, or stride is below 1.
    """
    check_windows(inputs, size, stride, padding)
    padded = pad(inputs, padding, value=float("-inf"))
    seen = windows(padded, (size, size), stride, dilation=1).flatten(-2)
    winner = seen.argmax(dim=-1)  # the first of several
    outputs = seen.gather(-1, winner.unsqueeze(-1)).squeeze(-1)
    rows, columns = (torch.arange(n, device=inputs.device) * stride - padding for n in winner.shape[2:])
    y = rows[:, None] + winner // size
    x = columns + winner % size
    return Pooled(outputs, y * inputs.shape[3] + x)


def max_pool_backward(
    gradient: Float[Tensor, "batch channels lower narrower"],
    switches: Int[Tensor, "batch channels lower narrower"],
    sizes: tuple[int, int],
) -> Float[Tensor, "batch channels height width"]:
    """Return ∂L/∂x: each gradient goes to the place that won, and to no other.

    Args:
        gradient: ∂L/∂y.
        switches: what `max_pool` returned.
        sizes: height and width of the input.
    """
    routed = gradient.new_zeros(*gradient.shape[:2], sizes[0] * sizes[1])
    return routed.scatter_add(2, switches.flatten(2), gradient.flatten(2)).unflatten(2, sizes)


def average_pool(
    inputs: Float[Tensor, "batch channels height width"], size: int, stride: int
) -> Float[Tensor, "batch channels lower narrower"]:
    """Return the mean of each window.

    Args:
        inputs, size, stride: as of `max_pool`.

    Raises:
        ValueError: the window is larger than the picture, or stride is below 1.
    """
    check_windows(inputs, size, stride)
    return windows(inputs, (size, size), stride, dilation=1).mean(dim=(-2, -1))


def average_pool_backward(
    gradient: Float[Tensor, "batch channels lower narrower"], size: int, stride: int, sizes: tuple[int, int]
) -> Float[Tensor, "batch channels height width"]:
    """Return ∂L/∂x: a mean is a convolution with equal weights, and goes back as one.

    Args:
        gradient: ∂L/∂y.
        size, stride: what `average_pool` had.
        sizes: height and width of the input.
    """
    channels = gradient.shape[1]
    equal = gradient.new_full((channels, 1, size, size), 1 / size**2)
    return input_gradient(gradient, equal, sizes, Geometry(stride, groups=channels))


def global_average_pool(
    inputs: Float[Tensor, "batch channels height width"],
) -> Float[Tensor, "batch channels"]:
    """Return the mean of each channel: a whole picture as one vector."""
    return inputs.mean(dim=(2, 3))


def check_windows(inputs: Tensor, size: int, stride: int, padding: int = 0) -> None:
    """Refuse windows that do not fit.

    Raises:
        ValueError: see `max_pool`.
    """
    if size < 1:
        raise ValueError(f"size is {size}; allowed is 1 or more")
    if not 0 <= padding < size:
        raise ValueError(f"padding is {padding}; allowed is 0 to {size - 1}, so that a window holds a pixel")
    for axis in inputs.shape[2:]:
        output_size(axis, size, Geometry(stride, padding))
