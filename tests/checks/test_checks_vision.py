"""What the checks of the paper on convnets add: torch's layers and autograd may not be borrowed."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from course_lib.checks import vision as checks_vision
from course_lib.checks.core import CheckError
from course_lib.checks.vision import BY_HAND, hidden, visible

X, W = torch.ones(1, 2, 4, 4), torch.ones(3, 2, 2, 2)
BORROWED = {
    "conv1d": lambda: functional.conv1d(X[0], W[0]),
    "conv2d": lambda: nn.Conv2d(2, 3, 2)(X),
    "conv2d by its number": lambda: torch.ops.aten.conv2d(X, W),
    "conv_transpose2d": lambda: functional.conv_transpose2d(X, W.transpose(0, 1)),
    "convolution_backward": lambda: nn.grad.conv2d_weight(X, W.shape, torch.ones(1, 3, 3, 3)),
    "max_pool2d": lambda: nn.MaxPool2d(2)(X),
    "max_pool2d_with_indices": lambda: functional.max_pool2d(X, 2, return_indices=True),
    "adaptive_max_pool2d": lambda: functional.adaptive_max_pool2d(X, 2),
    "batch_norm": lambda: nn.BatchNorm2d(2)(X),
    "backward": lambda: torch.ones(1, requires_grad=True).sum().backward(),
    "grad": lambda: torch.autograd.grad(torch.ones(1, requires_grad=True).sum(), []),
}


@pytest.mark.parametrize("name", BORROWED)
@pytest.mark.parametrize("case", [visible, hidden])
def test_an_answer_that_borrows_is_refused(name, case):
    with (
        pytest.raises(CheckError, match=f"answer, a case: your answer calls torch's {name.split()[0]}"),
        case("answer", "a case"),
    ):
        BORROWED[name]()


def test_what_is_refused_is_there():
    layers = [name.removeprefix("torch.") for name in BY_HAND if name.count(".") == 1 and "torch." in name]
    there = [*dir(torch), *dir(torch._C._nn), *torch._C._dispatch_get_all_op_names()]
    assert [layer for layer in layers if not any(layer in name for name in there)] == []


def test_what_an_answer_is_built_from_is_free():
    with visible("answer", "a case"):
        columns = functional.unfold(functional.pad(X, (1, 1, 1, 1)), 2)
        functional.fold(columns, (6, 6), 2)
        X.unfold(2, 2, 1).amax(dim=-1)
        torch.einsum("ncij,ocij->no", X, torch.ones(3, 2, 4, 4))


def test_the_checks_cannot_be_replaced():
    with pytest.raises(AttributeError, match="cannot be replaced"):
        checks_vision.hidden = visible
