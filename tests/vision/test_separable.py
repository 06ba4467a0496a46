"""Cheap convolutions: equal to torch's full or grouped ones, and as cheap as their counters say."""

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from course_lib.vision import (
    Cost,
    Geometry,
    convolution_cost,
    depthwise_separable,
    depthwise_separable_cost,
    pointwise,
    separable,
    separate,
)

EXACT = {"rtol": 0, "atol": 1e-10}
SOBEL = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]).double()


def pictures(channels=6):
    torch.manual_seed(0)
    return torch.randn(2, channels, 9, 8).double()


def test_a_one_by_one_convolution_mixes_channels_at_each_place():
    x, w = pictures(), torch.randn(5, 6).double()
    torch.testing.assert_close(pointwise(x, w), functional.conv2d(x, w[:, :, None, None]), **EXACT)


def test_sobel_is_the_outer_product_of_the_slide():
    column, row = torch.tensor([1.0, 2.0, 1.0]).double(), torch.tensor([-1.0, 0.0, 1.0]).double()
    assert torch.outer(column, row).tolist() == SOBEL.tolist()
    x = pictures()
    full = functional.conv2d(x, SOBEL.expand(6, 1, 3, 3), groups=6)
    torch.testing.assert_close(separable(x, column, row), full, **EXACT)
    found = separate(SOBEL)
    torch.testing.assert_close(torch.outer(*found), SOBEL, **EXACT)
    torch.testing.assert_close(separable(x, *found), full, **EXACT)


@pytest.mark.parametrize(
    ("kernel", "rank"), [([[0.0, 1, 0], [1, -4, 1], [0, 1, 0]], 2), ([[0.0, 0], [0, 0]], 0)]
)
def test_other_ranks_cannot_be_separated(kernel, rank):
    with pytest.raises(ValueError, match=f"the kernel has rank {rank}; only one of rank 1"):
        separate(torch.tensor(kernel))


@pytest.mark.parametrize("geometry", [Geometry(), Geometry(stride=2, padding=1), Geometry(dilation=2)])
def test_depthwise_separable_is_a_grouped_convolution_and_a_one_by_one(geometry):
    x, depthwise, mixture = pictures(), torch.randn(6, 3, 3).double(), torch.randn(4, 6).double()
    alone = functional.conv2d(x, depthwise[:, None], None, *geometry[:3], groups=6)
    expected = functional.conv2d(alone, mixture[:, :, None, None])
    torch.testing.assert_close(depthwise_separable(x, depthwise, mixture, geometry), expected, **EXACT)
    # One full convolution does the same; its kernel of an output and an input is a multiple of the input's.
    kernel = mixture[:, :, None, None] * depthwise
    torch.testing.assert_close(expected, functional.conv2d(x, kernel, None, *geometry[:3]), **EXACT)


def counted(network, x):
    """Parameters, and multiply-adds found by hooks: of ones with weights of one, outputs count their own."""
    total = 0

    def count(layer, inputs, outputs):
        nonlocal total
        ones = functional.conv2d(
            torch.ones_like(inputs[0]),
            torch.ones_like(layer.weight),
            stride=layer.stride,
            groups=layer.groups,
        )
        assert ones.shape == outputs.shape
        total += int(ones.sum())

    for layer in network:
        layer.register_forward_hook(count)
    network(x)
    return Cost(sum(p.numel() for p in network.parameters()), total)


@pytest.mark.parametrize(
    ("inputs", "outputs", "taps", "groups"), [(6, 8, (3, 3), 1), (6, 8, (1, 1), 2), (6, 6, (5, 2), 6)]
)
def test_the_cost_is_what_hooks_and_torch_count(inputs, outputs, taps, groups):
    layer = nn.Conv2d(inputs, outputs, taps, stride=2, groups=groups, bias=False)
    x = torch.randn(1, inputs, 11, 12)
    places = tuple(layer(x).shape[2:])
    cost = convolution_cost(inputs, outputs, taps, places, groups)
    with FlopCounterMode(display=False) as counter:
        layer(x)
    assert cost == counted(nn.Sequential(layer), x)
    assert counter.get_total_flops() == 2 * cost.multiply_adds  # a multiplication and an addition


def test_depthwise_separable_saves_what_the_formula_says():
    network = nn.Sequential(nn.Conv2d(16, 16, 3, groups=16, bias=False), nn.Conv2d(16, 32, 1, bias=False))
    cost = depthwise_separable_cost(16, 32, (3, 3), (10, 10))
    assert cost == counted(network, torch.randn(1, 16, 12, 12))
    full = convolution_cost(16, 32, (3, 3), (10, 10))
    for cheap, dear in zip(cost, full, strict=True):
        assert cheap / dear == pytest.approx(1 / 32 + 1 / 9)


def test_groups_that_do_not_divide_are_refused():
    with pytest.raises(ValueError, match="6 and 8 channels can't be split into 4 groups"):
        convolution_cost(6, 8, (3, 3), (5, 5), groups=4)
