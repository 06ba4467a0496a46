"""The output comes back, and nothing else."""

import pytest
import torch

from course_lib.recurrent.jordan import JordanNetwork


def make() -> tuple[JordanNetwork, torch.Tensor]:
    torch.manual_seed(0)
    return JordanNetwork(3, 6, 4).double(), torch.randn(2, 5, 3, dtype=torch.float64)


def test_equals_the_equations_written_out_for_one_sequence() -> None:
    net, inputs = make()
    y, expected = torch.zeros(4, dtype=torch.float64), []
    for x in inputs[1]:
        h = torch.tanh(net.W_x.weight @ x + net.W_y.weight @ y + net.W_x.bias)
        logits = net.W_o.weight @ h + net.W_o.bias
        y = logits.exp() / logits.exp().sum()
        expected.append(y)
    torch.testing.assert_close(net(inputs)[1].exp(), torch.stack(expected))


def test_with_given_outputs_a_step_sees_the_one_before_and_no_other() -> None:
    net, inputs = make()
    given = torch.eye(4, dtype=torch.float64)[
        torch.tensor([[0, 1, 2, 3, 0], [3, 3, 1, 0, 2]])
    ].requires_grad_()
    net(inputs, given)[:, 3].sum().backward()
    assert given.grad is not None
    changed = given.grad.abs().sum(dim=(0, 2)) > 1e-12
    assert changed.tolist() == [False, False, True, False, False]


def test_its_own_outputs_given_back_change_nothing() -> None:
    net, inputs = make()
    free = net(inputs)
    torch.testing.assert_close(net(inputs, free.exp()), free)


def test_given_outputs_of_another_shape_are_named() -> None:
    net, inputs = make()
    with pytest.raises(ValueError, match=r"given has shape \(2, 4, 4\); allowed is \(2, 5, 4\)"):
        net(inputs, torch.zeros(2, 4, 4).double())
