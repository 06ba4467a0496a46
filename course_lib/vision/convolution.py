"""Convolution, forward and backward, over one axis (sound, text) or two (pictures).

    net_{o,i} = b_o + Σ_c Σ_k w_{o,c,k} · a_{c, S·i + D·k − P}

One output looks at F inputs along an axis, D apart (dilation); the next output looks S further on (stride).
Before the first and after the last input lie P zeros (padding). Of W inputs come

    O = ⌊(W − F' + 2P) / S⌋ + 1      F' = D·(F − 1) + 1, what the kernel spans

outputs. With groups, the first part of the output channels sees only the first part of the input channels,
and so on. As everywhere in deep learning the kernel is not turned round: a cross-correlation, strictly.

LeCun et al. 1989; Dumoulin and Visin 2016, *A guide to convolution arithmetic*.
"""

from itertools import product
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Geometry(NamedTuple):
    """How a kernel goes over its input, the same along every axis."""

    stride: int = 1  # steps from one output to the next
    padding: int = 0  # zeros before the first and after the last input
    dilation: int = 1  # steps from one tap of the kernel to the next
    groups: int = 1  # parts into which channels are split; a part sees only itself

    def check(self) -> None:
        """Refuse what has no meaning.

        Raises:
            ValueError: stride, dilation or groups is below 1, or the padding below 0.
        """
        for name, value in self._asdict().items():
            least = 0 if name == "padding" else 1
            if value < least:
                raise ValueError(f"{name} is {value}; allowed is {least} or more")


PLAIN = Geometry()  # every place, no rim, no gaps, one group
AT_ONCE = 4  # inputs whose windows are written out together: those of many more leave the processor's cache


def output_size(size: int, kernel_size: int, geometry: Geometry = PLAIN) -> int:
    """Return how many outputs come of so many inputs along one axis: O = ⌊(W − F' + 2P) / S⌋ + 1.

    Raises:
        ValueError: the kernel spans more than the padded input, or the geometry has no meaning.
    """
    geometry.check()
    stride, padding, dilation, _ = geometry
    span, there = dilation * (kernel_size - 1) + 1, size + 2 * padding
    if span > there:
        raise ValueError(
            f"the kernel spans {span} ({kernel_size} taps, dilation {dilation}), "
            f"the padded input only {there} ({size} and twice {padding})"
        )
    return (there - span) // stride + 1


def pad(inputs: Tensor, width: int, value: float = 0.0) -> Tensor:
    """Return (batch, channels, *sizes) with a rim of this width around the places."""
    return nn.functional.pad(inputs, (width, width) * (inputs.ndim - 2), value=value)


def windows(
    padded: Float[Tensor, "batch channels *sizes"], taps: tuple[int, ...], stride: int, dilation: int
) -> Tensor:
    """Return what each output sees, as a view: nothing is copied.

    Returns:
        (batch, channels, *outputs, *taps).
    """
    for axis, size in enumerate(taps, start=2):
        padded = padded.unfold(axis, dilation * (size - 1) + 1, stride)[..., ::dilation]
    return padded


def convolve_by_loops(
    inputs: Float[Tensor, "batch inputs *sizes"],
    weight: Float[Tensor, "outputs share *taps"],
    bias: Float[Tensor, "outputs"] | None = None,
    geometry: Geometry = PLAIN,
) -> Float[Tensor, "batch outputs *places"]:
    """Return the convolution, each product by itself: the equation read aloud, and far too slow.

    Args and Raises: those of `convolve`.
    """
    check(inputs, weight, geometry)
    stride, padding, dilation, groups = geometry
    sizes = [output_size(n, f, geometry) for n, f in zip(inputs.shape[2:], weight.shape[2:], strict=True)]
    padded = pad(inputs, padding)
    outputs = inputs.new_zeros(len(inputs), len(weight), *sizes)
    for n, o, c in product(range(len(inputs)), range(len(weight)), range(weight.shape[1])):
        first = o * groups // len(weight) * weight.shape[1]  # the first input channel of the group of o
        for place in product(*(range(size) for size in sizes)):
            for tap in product(*(range(taps) for taps in weight.shape[2:])):
                seen = [stride * i + dilation * k for i, k in zip(place, tap, strict=True)]
                outputs[n, o, *place] += weight[o, c, *tap] * padded[n, first + c, *seen]
    return outputs if bias is None else outputs + per_channel(bias, outputs)


def convolve(
    inputs: Float[Tensor, "batch inputs *sizes"],
    weight: Float[Tensor, "outputs share *taps"],
    bias: Float[Tensor, "outputs"] | None = None,
    geometry: Geometry = PLAIN,
) -> Float[Tensor, "batch outputs *places"]:
    """Return the convolution as one product of matrices: every window is a column.

    Args:
        inputs: one or two axes of places behind the channels.
        weight: an output's taps for each of the inputs / groups channels that it sees.
        bias: b, a number for each output channel; None is 0.
        geometry: stride, padding, dilation and groups.

    Raises:
        ValueError: channels, groups or axes do not fit each other, the kernel spans more than the padded
            input, or the geometry has no meaning.
    """
    check(inputs, weight, geometry)
    for size, taps in zip(inputs.shape[2:], weight.shape[2:], strict=True):
        output_size(size, taps, geometry)
    padded = pad(inputs, geometry.padding)
    return convolve_padded(padded, weight, bias, geometry)


def convolve_padded(padded: Tensor, weight: Tensor, bias: Tensor | None, geometry: Geometry) -> Tensor:
    """Return the convolution of what has its rim already, a few inputs at a time."""
    rows = weight.reshape(geometry.groups, len(weight) // geometry.groups, -1)  # (groups, outputs, seen)
    parts = []
    for few in padded.split(AT_ONCE):
        columns, places = columns_of(few, weight.shape[2:], geometry)
        parts.append((rows @ columns).reshape(len(few), len(weight), *places))
    outputs = torch.cat(parts)
    return outputs if bias is None else outputs + per_channel(bias, outputs)


def columns_of(padded: Tensor, taps: torch.Size, geometry: Geometry) -> tuple[Tensor, torch.Size]:
    """Return every window as a column: (batch, groups, what one output sees, places); and places by axis."""
    seen = windows(padded, tuple(taps), geometry.stride, geometry.dilation)
    axes = len(taps)
    places = seen.shape[2 : 2 + axes]
    taps_first = seen.movedim(tuple(range(-axes, 0)), tuple(range(2, 2 + axes)))
    return taps_first.reshape(len(padded), geometry.groups, -1, places.numel()), places


def per_channel(values: Tensor, like: Tensor) -> Tensor:
    """Return a number for each channel in a shape that adds to (batch, channels, *sizes)."""
    return values.reshape(-1, *[1] * (like.ndim - 2))


def check(inputs: Tensor, weight: Tensor, geometry: Geometry) -> None:
    """Refuse shapes that do not fit each other.

    Raises:
        ValueError: see `convolve`.
    """
    geometry.check()
    if weight.ndim != inputs.ndim or inputs.ndim not in (3, 4):
        raise ValueError(
            f"inputs have shape {tuple(inputs.shape)} and the weight {tuple(weight.shape)}; "
            "allowed are (batch, channels, length) or (batch, channels, height, width), and as many axes"
        )
    outputs, share = weight.shape[:2]
    channels = inputs.shape[1]
    for name, count in (("input", channels), ("output", outputs)):
        if count % geometry.groups:
            raise ValueError(f"{count} {name} channels can't be split into {geometry.groups} groups")
    if channels != share * geometry.groups:
        raise ValueError(
            f"inputs have {channels} channels; the weight is for {share * geometry.groups} "
            f"({share} in each of {geometry.groups} groups)"
        )
