"""Pooling and its way back: against torch and autograd, ties included, and a case worked by hand."""

import pytest
import torch
from torch.nn import functional

from course_lib.vision import (
    average_pool,
    average_pool_backward,
    global_average_pool,
    max_pool,
    max_pool_backward,
)

EXACT = {"rtol": 0, "atol": 1e-10}
WINDOWS = [(2, 2, 0), (3, 2, 0), (3, 2, 1), (3, 1, 1), (2, 3, 1), (1, 1, 0)]


def pictures(tied=False):
    torch.manual_seed(0)
    x = torch.randint(3, (2, 3, 7, 8)) if tied else torch.randn(2, 3, 7, 8)
    return x.double().requires_grad_()


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize(("size", "stride", "padding"), WINDOWS)
def test_max_its_switches_and_its_way_back_equal_torch(size, stride, padding, tied):
    x = pictures(tied)
    expected, switches = functional.max_pool2d(x, size, stride, padding, return_indices=True)
    pooled = max_pool(x.detach(), size, stride, padding)
    torch.testing.assert_close(pooled.outputs, expected, **EXACT)
    assert torch.equal(pooled.switches, switches)
    g = torch.randn_like(expected)
    (by_input,) = torch.autograd.grad(expected, x, g)
    torch.testing.assert_close(max_pool_backward(g, pooled.switches, (7, 8)), by_input, **EXACT)


@pytest.mark.parametrize(("size", "stride"), [window[:2] for window in WINDOWS if window[2] == 0])
def test_average_and_its_way_back_equal_torch(size, stride):
    x = pictures()
    expected = functional.avg_pool2d(x, size, stride)
    torch.testing.assert_close(average_pool(x.detach(), size, stride), expected, **EXACT)
    g = torch.randn_like(expected)
    (by_input,) = torch.autograd.grad(expected, x, g)
    torch.testing.assert_close(average_pool_backward(g, size, stride, (7, 8)), by_input, **EXACT)


def test_global_average_is_one_window_over_all():
    x = pictures()
    expected = functional.adaptive_avg_pool2d(x, 1).flatten(1)
    torch.testing.assert_close(global_average_pool(x), expected, **EXACT)
    square = x[..., :7]
    torch.testing.assert_close(global_average_pool(square), average_pool(square, 7, 1).flatten(1), **EXACT)


def test_overlapping_windows_by_hand():
    """F = 3, S = 2 over 5×5: four windows share the middle, which is the largest of all of them."""
    x = torch.arange(25.0).reshape(1, 1, 5, 5)
    x[0, 0, 2, 2] = 99
    outputs, switches = max_pool(x, 3, 2)
    assert outputs.tolist() == [[[[99, 99], [99, 99]]]] and switches.unique().tolist() == [12]
    back = max_pool_backward(torch.tensor([[[[1.0, 10], [100, 1000]]]]), switches, (5, 5))
    assert back[0, 0, 2, 2] == 1111 and back.count_nonzero() == 1


def test_of_equal_numbers_the_first_is_the_switch():
    outputs, switches = max_pool(torch.zeros(1, 1, 2, 2), 2, 2)
    assert (outputs.item(), switches.item()) == (0, 0)
    assert max_pool_backward(torch.ones(1, 1, 1, 1), switches, (2, 2)).tolist() == [[[[1, 0], [0, 0]]]]


@pytest.mark.parametrize(
    ("size", "stride", "padding", "message"),
    [
        (9, 1, 0, "the kernel spans 9"),
        (2, 0, 0, "stride is 0; allowed is 1 or more"),
        (0, 1, 0, "size is 0; allowed is 1 or more"),
        (2, 2, 2, "padding is 2; allowed is 0 to 1, so that a window holds a pixel"),
        (2, 2, -1, "padding is -1; allowed is 0 to 1"),
    ],
)
def test_windows_that_do_not_fit_are_refused(size, stride, padding, message):
    with pytest.raises(ValueError, match=message):
        max_pool(torch.zeros(1, 1, 5, 5), size, stride, padding)
    if padding == 0:
        with pytest.raises(ValueError, match=message):
            average_pool(torch.zeros(1, 1, 5, 5), size, stride)
