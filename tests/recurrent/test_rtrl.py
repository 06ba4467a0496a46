"""Carried forward, the gradient must be what backpropagation through time finds."""

import pytest
import torch

from course_lib.recurrent.bptt import Weights, forward
from course_lib.recurrent.rtrl import real_time_gradients

EXACT = {"rtol": 0, "atol": 1e-10}


def make(batch: int = 2, time: int = 6, inputs: int = 3, hidden: int = 4, classes: int = 5):
    torch.manual_seed(0)
    shapes = (hidden, inputs), (hidden, hidden), (classes, hidden), (hidden,), (batch, hidden)
    weights = Weights(*(torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes))
    x = torch.randn(batch, time, inputs, dtype=torch.float64)
    return weights, x, torch.randint(classes, (batch, time))


@pytest.mark.parametrize("steps", [1, 2, 6])
def test_the_sum_so_far_equals_autograd_over_the_steps_so_far(steps: int) -> None:
    weights, x, y = make()
    expected = torch.autograd.grad(forward(weights, x[:, :steps], y[:, :steps]).loss, weights)
    found = list(real_time_gradients(weights, x, y))[:steps]
    for name, *ours, theirs in zip(Weights._fields, *found, expected, strict=True):
        torch.testing.assert_close(sum(ours), theirs, **EXACT, msg=lambda text, name=name: f"{name}: {text}")


def test_a_target_that_is_no_class_is_named() -> None:
    weights, x, y = make()
    with pytest.raises(ValueError, match="targets"):
        next(real_time_gradients(weights, x, y + 9))
