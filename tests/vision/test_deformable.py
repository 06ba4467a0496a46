"""Deformable convolution: its sampling against torch's grid_sample, its limits against plain convolution."""

import pytest
import torch
from torch.nn import functional

from course_lib.vision import (
    PLAIN,
    DeformableConvolution,
    Geometry,
    deformable_convolve,
    sample_bilinear,
    sampling_places,
)

EXACT = {"rtol": 0, "atol": 1e-10}
GEOMETRIES = [Geometry(), Geometry(padding=1), Geometry(stride=2, padding=2, dilation=2)]


def make(geometry=PLAIN, offsets="random"):
    torch.manual_seed(0)
    x = torch.randn(2, 3, 8, 7).double()
    w, b = torch.randn(4, 3, 3, 2).double(), torch.randn(4).double()
    places = functional.conv2d(x, w, None, *geometry[:3]).shape[2:]
    shape = (2, 12, *places)
    made = {"random": torch.randn(shape), "zero": torch.zeros(shape)}[offsets]
    return x, made.double(), w, b


def test_values_between_pixels_are_those_of_grid_sample():
    torch.manual_seed(0)
    x = torch.randn(2, 3, 6, 5).double()
    places = torch.rand(2, 40, 1, 2).double() * torch.tensor([9.0, 8.0]) - 2  # also outside
    scaled = 2 * places / torch.tensor([5.0, 4.0]) - 1
    expected = functional.grid_sample(x, scaled.flip(-1), align_corners=True)  # it takes (x, y)
    torch.testing.assert_close(sample_bilinear(x, places), expected, **EXACT)


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_without_offsets_it_is_the_ordinary_convolution(geometry):
    x, offsets, w, b = make(geometry, "zero")
    expected = functional.conv2d(x, w, b, *geometry[:3])
    torch.testing.assert_close(deformable_convolve(x, offsets, w, b, geometry), expected, **EXACT)


def test_whole_offsets_are_shifted_samples():
    """Every tap (y, x) of a 3×2 kernel moves by its own whole numbers; the sum is over shifted pictures."""
    x, offsets, w, _ = make(offsets="zero")
    moves = torch.tensor([[2, 0], [0, -1], [-1, 3], [0, 0], [1, 1], [-2, -2]])
    offsets += moves.flatten().reshape(1, 12, 1, 1)
    padded = functional.pad(x, (4, 4, 4, 4))
    expected = torch.zeros(2, 4, 6, 6).double()
    for tap, (down, right) in enumerate(moves.tolist()):
        y, across = 4 + tap // 2 + down, 4 + tap % 2 + right
        seen = padded[:, :, y : y + 6, across : across + 6]
        expected += torch.einsum("oc,bchw->bohw", w[:, :, tap // 2, tap % 2], seen)
    torch.testing.assert_close(deformable_convolve(x, offsets, w), expected, **EXACT)


def test_offsets_are_y_then_x_for_each_tap_of_each_place():
    _, offsets, _, _ = make(Geometry(stride=2, padding=1, dilation=2), "zero")
    offsets[1, 2 * 3 + 1, 1, 2] = 0.25  # x of tap 3, which is (1, 1), at place (1, 2) of the second picture
    places = sampling_places(offsets, (3, 2), Geometry(stride=2, padding=1, dilation=2))
    assert places[1, 3, 1, 2].tolist() == [2 * 1 + 2 * 1 - 1, 2 * 2 + 2 * 1 - 1 + 0.25]
    assert places[0, 3, 1, 2].tolist() == [3, 5]


def test_gradcheck():
    x, offsets, w, b = make()
    # Away from whole numbers: there bilinear sampling has a kink.
    offsets = offsets.floor() + 0.2 + 0.6 * torch.rand_like(offsets)
    parts = (x[:1, :2, :5, :4], offsets[:1, :, :3, :3], w[:2, :2], b[:2])
    leaves = [part.contiguous().requires_grad_() for part in parts]
    assert torch.autograd.gradcheck(deformable_convolve, leaves)


def test_a_layer_starts_as_a_plain_convolution_and_its_offsets_learn():
    torch.manual_seed(0)
    layer = DeformableConvolution(2, 3, 3, Geometry(padding=1))
    x = torch.rand(2, 2, 6, 6)
    torch.testing.assert_close(
        layer(x), functional.conv2d(x, layer.kernel.weight, layer.kernel.bias, padding=1)
    )
    assert layer.places(x)[0, 4, 2, 3].tolist() == [2, 3]  # the middle tap looks where it stands
    layer(x).square().sum().backward()
    assert layer.offsets.weight.grad.abs().sum() > 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"offsets": torch.zeros(2, 11, 6, 6).double()}, "offsets have 11 channels; a 3×2 kernel has 12"),
        (
            {"offsets": torch.zeros(2, 12, 8, 7).double()},
            r"offsets are for \(8, 7\) places; the output has \(6, 6\)",
        ),
        ({"weight": torch.zeros(4, 2, 3, 2).double()}, "inputs have 3 channels; the weight is for 2"),
        ({"weight": torch.zeros(4, 3, 9, 2).double()}, "the kernel spans 9"),
        ({"geometry": Geometry(groups=3)}, "groups is 3; a deformable convolution has 1"),
        ({"geometry": Geometry(stride=0)}, "stride is 0"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    x, offsets, weight, _ = make(offsets="zero")
    with pytest.raises(ValueError, match=message):
        deformable_convolve(**{"inputs": x, "offsets": offsets, "weight": weight, **change})
