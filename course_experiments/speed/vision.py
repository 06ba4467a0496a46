"""The convolution that is written to be read, beside torch's."""

import torch
from torch import Tensor
from torch.nn import functional

from course_experiments.speed.harness import Benchmark, check_same, side_by_side
from course_lib.vision import Convolve, Geometry


def convolution(batch: int = 64, channels: int = 16, size: int = 28, rounds: int = 15) -> Benchmark:
    """One 3×3 convolution forward and backward, the same weights in both.

    Args:
        batch, channels, size, rounds: size of the work; there are as many output channels as inputs.
    """
    torch.manual_seed(0)
    geometry = Geometry(padding=1)
    inputs = torch.randn(batch, channels, size, size, requires_grad=True)
    weight = torch.randn(channels, channels, 3, 3, requires_grad=True)
    bias = torch.randn(channels, requires_grad=True)

    def ours() -> Tensor:
        return back(Convolve.apply(inputs, weight, bias, geometry))

    def theirs() -> Tensor:
        return back(functional.conv2d(inputs, weight, bias, padding=geometry.padding))

    def back(outputs: Tensor) -> Tensor:
        gradients = torch.autograd.grad(outputs.square().mean(), (inputs, weight, bias))
        return torch.cat([part.detach().flatten() for part in (outputs, *gradients)])

    name = f"convolution, forward and backward, {batch}×{channels}×{size}×{size}, 3×3"
    check_same(name, ours(), theirs())
    return Benchmark(name, "F.conv2d", *side_by_side(ours, theirs, rounds), target=3.0)
