"""Convolution, its way back and its transpose: against torch, autograd and worked examples."""

import pytest
import torch
from torch.nn import functional

from course_lib.vision import (
    Convolve,
    Geometry,
    convolve,
    convolve_backward,
    convolve_by_loops,
    input_gradient,
    output_size,
    transposed_convolve,
    transposed_size,
    weight_gradient,
)
from course_lib.vision.convolution import AT_ONCE

EXACT = {"rtol": 0, "atol": 1e-10}
CONVOLUTIONS = {1: functional.conv1d, 2: functional.conv2d}
TRANSPOSED = {1: functional.conv_transpose1d, 2: functional.conv_transpose2d}
GEOMETRIES = [
    Geometry(),
    Geometry(stride=2),
    Geometry(padding=2),
    Geometry(dilation=2),
    Geometry(groups=2),
    Geometry(stride=3, padding=1, dilation=2, groups=2),
    Geometry(stride=2, padding=3, groups=4),
]
SIZES = [(10,), (8, 7)]


def make(sizes, geometry, inputs=4, outputs=4):
    torch.manual_seed(0)
    kernel = (3, 2)[: len(sizes)]
    return (
        torch.randn(2, inputs, *sizes).double(),
        torch.randn(outputs, inputs // geometry.groups, *kernel).double(),
        torch.randn(outputs).double(),
    )


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_loops_unfold_and_torch_agree(sizes, geometry):
    x, w, b = make(sizes, geometry)
    expected = CONVOLUTIONS[len(sizes)](x, w, b, *geometry)
    torch.testing.assert_close(convolve(x, w, b, geometry), expected, **EXACT)
    torch.testing.assert_close(convolve_by_loops(x, w, b, geometry), expected, **EXACT)
    zero = torch.zeros_like(b)
    torch.testing.assert_close(convolve(x, w, None, geometry), convolve(x, w, zero, geometry), **EXACT)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_the_way_back_equals_autograd(sizes, geometry):
    leaves = [part.requires_grad_() for part in make(sizes, geometry)]
    net = CONVOLUTIONS[len(sizes)](*leaves, *geometry)
    g = torch.randn_like(net)
    expected = torch.autograd.grad(net, leaves, g)
    x, w, _ = (part.detach() for part in leaves)
    for ours, theirs in zip(convolve_backward(g, x, w, geometry), expected, strict=True):
        torch.testing.assert_close(ours, theirs, **EXACT)


@pytest.mark.parametrize("batch", [1, AT_ONCE, 2 * AT_ONCE + 1])
def test_a_batch_of_any_size_is_taken_a_few_at_a_time(batch):
    geometry = Geometry(stride=2, padding=1, groups=2)
    _, *weights = make((8, 7), geometry)
    leaves = [torch.randn(batch, 4, 8, 7).double().requires_grad_(), *(w.requires_grad_() for w in weights)]
    net = functional.conv2d(*leaves, *geometry)
    g = torch.randn_like(net)
    expected = torch.autograd.grad(net, leaves, g)
    x, w, b = (part.detach() for part in leaves)
    torch.testing.assert_close(convolve(x, w, b, geometry), net.detach(), **EXACT)
    for ours, theirs in zip(convolve_backward(g, x, w, geometry), expected, strict=True):
        torch.testing.assert_close(ours, theirs, **EXACT)


@pytest.mark.parametrize("geometry", [GEOMETRIES[0], GEOMETRIES[5]], ids=str)
def test_gradcheck_of_what_autograd_is_given(geometry):
    x, w, b = (part.requires_grad_() for part in make((6, 4), geometry))
    assert torch.autograd.gradcheck(lambda *parts: Convolve.apply(*parts, geometry), (x[:1], w, b))


def test_the_sums_of_the_slide_term_by_term():
    """net_i = Σ_j w_j a_{i+j−1}: three taps over five inputs give three outputs."""
    a = torch.tensor([1.0, 2.0, -1.0, 3.0, 0.5]).double()
    w = torch.tensor([0.5, -1.0, 2.0]).double()
    g = torch.tensor([1.0, 10.0, 100.0]).double()  # ∂L/∂net_1, ∂L/∂net_2, ∂L/∂net_3
    net = convolve(a.reshape(1, 1, -1), w.reshape(1, 1, -1)).flatten()
    assert net.tolist() == [0.5 - 2 - 2, 1 + 1 + 6, -0.5 - 3 + 1]
    by_weight = weight_gradient(g.reshape(1, 1, -1), a.reshape(1, 1, -1), (3,)).flatten()
    assert by_weight.tolist() == [1 + 20 - 100, 2 - 10 + 300, -1 + 30 + 50]  # Σ_i g_i a_{i+k−1}
    by_input = input_gradient(g.reshape(1, 1, -1), w.reshape(1, 1, -1), (5,)).flatten()
    assert by_input[2] == g[0] * w[2] + g[1] * w[1] + g[2] * w[0]  # the slide's ∂L/∂a_3
    assert by_input.tolist() == [0.5, -1 + 5, 2 - 10 + 50, 20 - 100, 200]


def test_the_gradient_by_the_input_is_a_full_convolution_with_the_kernel_turned_round():
    x, w, _ = make((6, 7), Geometry())
    g = torch.randn(2, 4, 4, 6).double()
    turned = w.flip(2, 3).transpose(0, 1)
    padded = functional.pad(g, (1, 1, 2, 2))  # F − 1 zeros on either side
    torch.testing.assert_close(
        input_gradient(g, w, tuple(x.shape[2:])), functional.conv2d(padded, turned), **EXACT
    )


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_transposed_equals_torch_and_is_the_adjoint(sizes, geometry):
    axes = len(sizes)
    _, w, _ = make(sizes, geometry)
    y = torch.randn(2, 4, *(5, 4)[:axes]).double()
    b = torch.randn(4).double()
    stride, padding, dilation, groups = geometry
    expected = TRANSPOSED[axes](y, w, b, stride, padding, 0, groups, dilation)
    torch.testing.assert_close(transposed_convolve(y, w, b, geometry), expected, **EXACT)

    back = transposed_convolve(y, w, None, geometry)  # Aᵀ y
    x = torch.randn_like(back)
    forward = CONVOLUTIONS[axes](x, w, None, *geometry)  # A x
    torch.testing.assert_close((forward * y).sum(), (x * back).sum(), **EXACT)


def test_the_two_by_two_example_of_the_slide():
    numbers = torch.tensor([[[[0.0, 1.0], [2.0, 3.0]]]])
    assert transposed_convolve(numbers, numbers).tolist() == [[[[0, 0, 1], [0, 4, 6], [4, 12, 9]]]]


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
@pytest.mark.parametrize("taps", [1, 2, 3, 5])
def test_sizes_are_those_of_torch_and_each_formula_undoes_the_other(geometry, taps):
    for size in range(13, 20):
        made = functional.conv1d(torch.zeros(1, 1, size), torch.zeros(1, 1, taps), None, *geometry[:3])
        assert output_size(size, taps, geometry) == made.shape[2]
        back = functional.conv_transpose1d(
            made, torch.zeros(1, 1, taps), None, geometry.stride, geometry.padding, dilation=geometry.dilation
        )
        assert transposed_size(made.shape[2], taps, geometry) == back.shape[2]
        assert output_size(back.shape[2], taps, geometry) == made.shape[2]


PICTURES = torch.zeros(2, 4, 5, 6)


@pytest.mark.parametrize(
    ("weight", "geometry", "message"),
    [
        ((8, 4, 7, 3), Geometry(), r"the kernel spans 7 \(7 taps, dilation 1\), the padded input only 5"),
        ((8, 4, 3, 3), Geometry(dilation=4, padding=1), r"spans 9 \(3 taps, dilation 4\).* only 7"),
        ((8, 4, 3, 3), Geometry(stride=0), "stride is 0; allowed is 1 or more"),
        ((8, 4, 3, 3), Geometry(padding=-1), "padding is -1; allowed is 0 or more"),
        ((8, 4, 3, 3), Geometry(dilation=0), "dilation is 0; allowed is 1 or more"),
        ((8, 4, 3, 3), Geometry(groups=0), "groups is 0; allowed is 1 or more"),
        ((8, 1, 3, 3), Geometry(groups=3), "4 input channels can't be split into 3 groups"),
        ((7, 2, 3, 3), Geometry(groups=2), "7 output channels can't be split into 2 groups"),
        ((8, 3, 3, 3), Geometry(), "inputs have 4 channels; the weight is for 3"),
        ((8, 4, 3, 3), Geometry(groups=2), "inputs have 4 channels; the weight is for 8"),
        ((8, 4, 3), Geometry(), r"and the weight \(8, 4, 3\); allowed are"),
    ],
)
@pytest.mark.parametrize("way", [convolve, convolve_by_loops])
def test_what_does_not_fit_is_refused(way, weight, geometry, message):
    with pytest.raises(ValueError, match=message):
        way(PICTURES, torch.zeros(weight), None, geometry)


def test_a_transposed_convolution_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="inputs have 4 channels; the weight is for 3"):
        transposed_convolve(PICTURES, torch.zeros(3, 2, 3, 3))
    with pytest.raises(ValueError, match="4 input channels can't be split into 3 groups"):
        transposed_convolve(PICTURES, torch.zeros(4, 2, 3, 3), None, Geometry(groups=3))
    with pytest.raises(ValueError, match="padding 9 takes away all of the output; -11 would be left"):
        transposed_convolve(PICTURES, torch.zeros(4, 2, 3, 3), None, Geometry(padding=9))
    with pytest.raises(ValueError, match="stride is 0"):
        transposed_size(3, 3, Geometry(stride=0))
