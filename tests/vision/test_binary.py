"""Binary networks: α by least squares, gradients by hand, bits against the product of ±1, exactly."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional

from course_lib.vision import (
    BinaryConv2d,
    binary_network,
    filter_scales,
    pack,
    packed_convolve,
    packed_product,
    sign,
    weight_bytes,
)
from course_lib.vision.binary_networks import KINDS


def test_sign_has_two_values_and_passes_gradients_straight_through():
    x = torch.tensor([-2.0, -1.0, -0.3, -0.0, 0.0, 0.3, 1.0, 1.1], requires_grad=True)
    signs = sign(x)
    assert signs.tolist() == [-1, -1, -1, 1, 1, 1, 1, 1]
    signs.backward(torch.arange(8.0))
    assert x.grad.tolist() == [0, 1, 2, 3, 4, 5, 6, 0]


def test_the_scale_is_the_least_squares_optimum():
    torch.manual_seed(0)
    weight = torch.randn(4, 3, 5, 5).double()
    for alpha, filter in zip(filter_scales(weight), weight, strict=True):
        signs, flat = sign(filter).flatten(), filter.flatten()
        solved = torch.linalg.lstsq(signs[:, None], flat[:, None]).solution
        assert alpha.item() == pytest.approx(solved.item())
        errors = [(flat - scale * signs).norm() for scale in (alpha, 0.99 * alpha, 1.01 * alpha)]
        assert errors[0] < min(errors[1:])
        flipped = signs.clone()
        flipped[7] *= -1  # another sign anywhere is worse, whatever the scale
        best = (flat @ flipped) / len(flat)
        assert (flat - best * flipped).norm() > errors[0]


def windows_by_loops(inputs, weight, padding):
    """The approximation of equation (11), window by window."""
    padded = functional.pad(inputs, [padding] * 4)
    size = weight.shape[2]
    places = padded.shape[2] - size + 1, padded.shape[3] - size + 1
    found = torch.empty(len(inputs), len(weight), *places, dtype=inputs.dtype)
    for n in range(len(inputs)):
        for o, filter in enumerate(weight):
            for y in range(places[0]):
                for x in range(places[1]):
                    window = padded[n, :, y : y + size, x : x + size]
                    agree = ((window >= 0) == (filter >= 0)).sum() * 2 - filter.numel()
                    found[n, o, y, x] = agree * window.abs().mean() * filter.abs().mean()
    return found


def test_xnor_is_the_equation_window_by_window():
    torch.manual_seed(0)
    layer = BinaryConv2d(3, 4, 3, 1, "both").double()
    inputs = torch.randn(2, 3, 5, 4).double()
    inputs[0, 0, 1, 1] = 0
    with torch.no_grad():
        layer.weight[1, 2, 0, 0] = 0
        torch.testing.assert_close(layer(inputs), windows_by_loops(inputs, layer.weight, 1))


def test_binary_weights_leave_the_inputs_real():
    torch.manual_seed(0)
    layer = BinaryConv2d(3, 4, 3, 1, "weights").double()
    x = torch.randn(2, 3, 5, 4).double()
    binary = torch.where(layer.weight >= 0, 1.0, -1.0) * layer.weight.abs().mean(dim=(1, 2, 3), keepdim=True)
    torch.testing.assert_close(layer(x), functional.conv2d(x, binary, padding=1))


def test_the_gradient_of_a_weight_by_hand():
    # W̃ = α sign(W): ∂C/∂W_i = sign(W_i)/n · Σ_j ∂C/∂W̃_j sign(W_j) + ∂C/∂W̃_i · α where |W_i| ≤ 1
    layer = BinaryConv2d(1, 1, 2, 0, "weights").double()
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[[[0.5, -2.0], [0.1, -0.4]]]]))
    inputs = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]]).double()
    layer(inputs).sum().backward()
    signs, scale = torch.tensor([1.0, -1, 1, -1]), 0.75
    g = torch.tensor([1.0, 2, 3, 4])
    expected = signs / 4 * (g * signs).sum() + g * scale * torch.tensor([1.0, 0, 1, 1])
    torch.testing.assert_close(layer.weight.grad.flatten(), expected.double())


def test_using_a_network_does_not_change_its_weights():
    torch.manual_seed(0)
    network = binary_network("XNOR").eval()
    before = {name: value.clone() for name, value in network.state_dict().items()}
    network(torch.rand(3, 1, 28, 28))
    assert all(torch.equal(before[name], value) for name, value in network.state_dict().items())


@given(rows=st.integers(1, 5), columns=st.integers(1, 5), length=st.integers(1, 200), seed=st.integers(0, 99))
def test_bits_give_exactly_the_product_of_signs(rows, columns, length, seed):
    generator = np.random.default_rng(seed)
    left, right = (generator.integers(-2, 3, (n, length)).astype(float) for n in (rows, columns))  # zeros too
    signs = [np.where(values >= 0, 1, -1) for values in (left, right)]
    found = packed_product(pack(left), pack(right), length)
    assert (found == signs[0] @ signs[1].T).all()


@pytest.mark.parametrize("padding", [0, 1])
def test_a_convolution_of_bits_is_exactly_that_of_signs(padding):
    torch.manual_seed(0)
    inputs, weight = torch.randn(2, 7, 6, 5).relu(), torch.randn(4, 7, 3, 3)  # a ReLU leaves exact zeros
    padded = functional.pad(inputs, [padding] * 4)
    float_signs = [torch.where(values >= 0, 1.0, -1.0) for values in (padded, weight)]
    assert torch.equal(packed_convolve(inputs, weight, padding), functional.conv2d(*float_signs))


def test_a_word_holds_64_signs():
    assert pack(np.ones((2, 64))).shape == (2, 1) and pack(np.ones((2, 65))).shape == (2, 2)
    assert pack(-np.ones((1, 70))).tolist() == [[0, 0]]
    with pytest.raises(ValueError, match="length 65 fills 2 words of 64 bits; left has 1 in a row, right 2"):
        packed_product(pack(np.ones((2, 64))), pack(np.ones((2, 65))), 65)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_learns_something_in_every_layer(kind):
    torch.manual_seed(0)
    network = binary_network(kind)
    functional.cross_entropy(network(torch.rand(8, 1, 28, 28)), torch.arange(8)).backward()
    assert all(weight.grad.abs().sum() > 0 for weight in network.parameters())


def test_the_kinds_differ_in_what_is_binary_and_where_signs_are_taken():
    kinds = {kind: [type(layer).__name__ for layer in binary_network(kind)[4:8]] for kind in KINDS}
    assert kinds["float"] == ["Conv2d", "BatchNorm2d", "ReLU", "MaxPool2d"]
    assert kinds["XNOR"][:3] == ["BatchNorm2d", "BinaryConv2d", "MaxPool2d"]
    assert kinds["XNOR, usual order"] == ["BinaryConv2d", "BatchNorm2d", "Sign", "MaxPool2d"]
    assert binary_network("binary weights")[4].binary == "weights"


def test_bytes_of_weights_by_hand():
    # 24·9 = 216 numbers fill 4 words, 48·9 = 432 fill 7; 48 filters each
    assert weight_bytes(binary_network("XNOR")) == (4 * 48 * (216 + 432), 8 * 48 * (4 + 7) + 4 * 96)


def test_bad_input(unchecked):
    with pytest.raises(ValueError, match="kind is 'ternary'; allowed are 'float'"):
        binary_network("ternary")
    with pytest.raises(ValueError, match="binary is 'inputs'; allowed are 'weights' and 'both'"):
        BinaryConv2d(1, 1, 3, 1, "inputs")
    assert isinstance(binary_network("float")[4], nn.Conv2d)
