"""The way back through a convolution, by hand; and the transposed convolution, which is a part of it.

With g = ∂L/∂net and net as in `convolution.py`:

    ∂L/∂w_{o,c,k} = Σ_i g_{o,i} · a_{c, S·i + D·k − P}      the input, with g for a kernel of taps S apart
    ∂L/∂a_{c,j}   = Σ_o Σ_k g_{o,i} · w_{o,c,k}             over all k and i with S·i + D·k − P = j:
                                                            g, spread S apart, with the kernel turned round
    ∂L/∂b_o       = Σ_i g_{o,i}

Both long sums are convolutions again. The second, taken as a layer of its own, is the transposed convolution;
of O numbers along an axis it makes

    W = (O − 1)·S + F' − 2P

LeCun et al. 1989; Dumoulin and Visin 2016, *A guide to convolution arithmetic*, chapter 4.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.vision.convolution import (
    AT_ONCE,
    PLAIN,
    Geometry,
    columns_of,
    convolve,
    convolve_padded,
    pad,
    per_channel,
)


class Gradients(NamedTuple):
    """What the way back finds."""

    inputs: Float[Tensor, "batch inputs *sizes"]
    weight: Float[Tensor, "outputs share *taps"]
    bias: Float[Tensor, "outputs"]


def input_gradient(
    gradient: Float[Tensor, "batch outputs *places"],
    weight: Float[Tensor, "outputs share *taps"],
    sizes: tuple[int, ...],
    geometry: Geometry = PLAIN,
) -> Float[Tensor, "batch inputs *sizes"]:
    """Return ∂L/∂a: the gradient, spread out, is convolved with the kernel turned round.

    Args:
        gradient: ∂L/∂net.
        weight: of the convolution.
        sizes: of its inputs, an axis each: several sizes can lead to one size of the output.
        geometry: of the convolution.
    """
    stride, padding, dilation, groups = geometry
    taps = weight.shape[2:]
    # Where the gradient lies: stride apart, far enough inside that the turned kernel reaches each input.
    spread = gradient.new_zeros(
        *gradient.shape[:2], *(n + 2 * padding + dilation * (f - 1) for n, f in zip(sizes, taps, strict=True))
    )
    landing = [
        slice(dilation * (f - 1), dilation * (f - 1) + stride * (n - 1) + 1, stride)
        for n, f in zip(gradient.shape[2:], taps, strict=True)
    ]
    spread[:, :, *landing] = gradient
    inner = [slice(padding, padding + n + dilation * (f - 1)) for n, f in zip(sizes, taps, strict=True)]
    by_group = weight.reshape(groups, -1, *weight.shape[1:]).transpose(1, 2)  # inputs before outputs
    turned = by_group.reshape(-1, len(weight) // groups, *taps).flip(tuple(range(2, weight.ndim)))
    return convolve_padded(spread[:, :, *inner], turned, None, Geometry(1, 0, dilation, groups))


def weight_gradient(
    gradient: Float[Tensor, "batch outputs *places"],
    inputs: Float[Tensor, "batch inputs *sizes"],
    taps: tuple[int, ...],
    geometry: Geometry = PLAIN,
) -> Float[Tensor, "outputs share *taps"]:
    """Return ∂L/∂w: each output's gradient times what that output saw, summed over places and batch.

    Args:
        gradient: ∂L/∂net.
        inputs: of the convolution.
        taps: size of the kernel along each axis.
        geometry: of the convolution.
    """
    padded = pad(inputs, geometry.padding)
    by_group = gradient.flatten(2).unflatten(1, (geometry.groups, -1))
    parts = []
    for few, theirs in zip(padded.split(AT_ONCE), by_group.split(AT_ONCE), strict=True):
        columns, _ = columns_of(few, torch.Size(taps), geometry)
        parts.append((theirs @ columns.transpose(2, 3)).sum(dim=0))
    return torch.stack(parts).sum(dim=0).reshape(gradient.shape[1], inputs.shape[1] // geometry.groups, *taps)


def convolve_backward(
    gradient: Float[Tensor, "batch outputs *places"],
    inputs: Float[Tensor, "batch inputs *sizes"],
    weight: Float[Tensor, "outputs share *taps"],
    geometry: Geometry = PLAIN,
) -> Gradients:
    """Go back through `convolve`.

    Args:
        gradient: ∂L/∂net.
        inputs, weight, geometry: what `convolve` had.
    """
    return Gradients(
        input_gradient(gradient, weight, tuple(inputs.shape[2:]), geometry),
        weight_gradient(gradient, inputs, tuple(weight.shape[2:]), geometry),
        gradient.sum(dim=(0, *range(2, gradient.ndim))),
    )


class Convolve(torch.autograd.Function):
    """`convolve` for autograd, which then goes back by `convolve_backward`: `Convolve.apply(…)`."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor, bias: Tensor, geometry: Geometry) -> Tensor:
        """Return what `convolve` does, and keep what the way back needs."""
        ctx.save_for_backward(inputs, weight)
        ctx.geometry = geometry
        return convolve(inputs, weight, bias, geometry)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradient by each argument of `forward`."""
        inputs, weight = ctx.saved_tensors
        return *convolve_backward(gradient, inputs, weight, ctx.geometry), None


def transposed_size(size: int, kernel_size: int, geometry: Geometry = PLAIN) -> int:
    """Return the size that a transposed convolution makes: W = (O − 1)·S + F' − 2P.

    Raises:
        ValueError: nothing would be left, or the geometry has no meaning.
    """
    geometry.check()
    stride, padding, dilation, _ = geometry
    made = (size - 1) * stride + dilation * (kernel_size - 1) + 1 - 2 * padding
    if made < 1:
        raise ValueError(f"padding {padding} takes away all of the output; {made} would be left")
    return made


def transposed_convolve(
    inputs: Float[Tensor, "batch inputs *sizes"],
    weight: Float[Tensor, "channels share *taps"],
    bias: Float[Tensor, "outputs"] | None = None,
    geometry: Geometry = PLAIN,
) -> Float[Tensor, "batch outputs *places"]:
    """Return the transposed convolution: the way back of a convolution, taken as a way forward.

    If a convolution is the matrix A, this is Aᵀ and not its inverse: ⟨A x, y⟩ = ⟨x, Aᵀ y⟩.

    Args:
        inputs: each number lays a copy of the kernel, times itself, over the output; copies add up.
        weight: of the convolution that leads back, from `outputs` to `inputs` channels.
        bias: a number for each output channel; None is 0.
        geometry: of the convolution that leads back.

    Raises:
        ValueError: shapes do not fit each other, or the padding takes away all of the output.
    """
    geometry.check()
    if inputs.shape[1] != len(weight):
        raise ValueError(f"inputs have {inputs.shape[1]} channels; the weight is for {len(weight)}")
    if len(weight) % geometry.groups:
        raise ValueError(f"{len(weight)} input channels can't be split into {geometry.groups} groups")
    pairs = zip(inputs.shape[2:], weight.shape[2:], strict=True)
    sizes = tuple(transposed_size(size, taps, geometry) for size, taps in pairs)
    outputs = input_gradient(inputs, weight, sizes, geometry)
    return outputs if bias is None else outputs + per_channel(bias, outputs)
