"""The convolution that is written to be read, beside torch's; bits beside numbers."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from course_experiments.speed.harness import Benchmark, check_same, side_by_side
from course_lib.vision import Convolve, Geometry, pack, packed_product


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


def binary_product(places: int = 196, outputs: int = 256, seen: int = 2304, rounds: int = 15) -> Benchmark:
    """The product of two matrices of ±1: 64 in a word, beside 32-bit numbers and torch's own product.

    Both are packed, or made numbers, beforehand: weights are packed once, inputs by the layer before.

    Args:
        places, outputs, seen: windows, filters, and numbers in each; those of a 3×3 layer with 256 channels.
        rounds: of the measurement.
    """
    generator = np.random.default_rng(0)
    left, right = (
        generator.choice([-1.0, 1.0], (rows, seen)).astype(np.float32) for rows in (places, outputs)
    )
    bits = pack(left), pack(right)
    numbers = torch.from_numpy(left), torch.from_numpy(right)

    def ours() -> np.ndarray:
        return packed_product(*bits, seen)

    def theirs() -> Tensor:
        return numbers[0] @ numbers[1].T

    name = f"product of ±1, {places}×{seen} and {seen}×{outputs}: bits by numpy, on one thread"
    check_same(name, torch.from_numpy(ours()).float(), theirs())
    return Benchmark(name, "torch, 32-bit numbers", *side_by_side(ours, theirs, rounds), target=2.0)
