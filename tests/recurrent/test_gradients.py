"""Gradients through time: their norms, clipping, and the penalty on vanishing."""

import pytest
import torch
from torch import nn

from course_lib.recurrent.gradients import (
    clip_gradients,
    gradient_norms,
    loss_and_penalty,
    state_gradients,
    vanishing_penalty,
)
from course_lib.recurrent.lstm import LSTM
from course_lib.recurrent.rnn import RNN
from course_lib.recurrent.spectral import spectral_radius, with_spectral_radius


def orthogonal(size):
    return nn.init.orthogonal_(torch.empty(size, size, dtype=torch.float64))


def last(states):
    return states[:, -1].sum()


def test_state_gradients_are_those_of_the_last_state_by_an_earlier_one():
    """∂h_T/∂h_t is the product of the Jacobians diag(1 − h_k²) W, k = t + 1 … T."""
    torch.manual_seed(0)
    layer, inputs = RNN(3, 4).double(), torch.randn(1, 6, 3, dtype=torch.float64)
    states = layer(inputs)[0][0]
    gradient, expected = torch.ones(4, dtype=torch.float64), []
    for h in reversed(states):
        expected.append(gradient)
        gradient = gradient @ (torch.diag(1 - h**2) @ layer.W_h.weight)
    (found,) = state_gradients(layer, inputs, last)
    torch.testing.assert_close(found[0], torch.stack(expected[::-1]))


@pytest.mark.parametrize(("radius", "shape"), [(0.9, "vanish"), (1.0, "keep"), (1.1, "explode")])
def test_the_norm_over_time_follows_the_spectral_radius(radius, shape):
    """For a normal matrix and states near 0, one step back scales the norm by the radius exactly."""
    torch.manual_seed(0)
    layer = RNN(3, 20).double()
    with torch.no_grad():
        layer.W_h.weight.copy_(with_spectral_radius(orthogonal(20), radius))
    (gradients,) = state_gradients(layer, torch.zeros(1, 100, 3, dtype=torch.float64), last)
    norms = gradients[0].norm(dim=-1)
    expected = 20**0.5 * radius ** torch.arange(99, -1, -1, dtype=torch.float64)
    torch.testing.assert_close(norms, expected)
    assert {"vanish": norms[0] < 1e-3, "keep": 4 < norms[0] < 5, "explode": norms[0] > 1e4}[shape]


def test_norms_are_means_over_the_batch_of_the_asked_part_and_loss():
    torch.manual_seed(0)
    layer, inputs = LSTM(3, 4).double(), torch.randn(2, 5, 3, dtype=torch.float64)
    by_cell = state_gradients(layer, inputs, last)[1]
    expected = [(one.norm() + two.norm()) / 2 for one, two in zip(*by_cell, strict=True)]
    torch.testing.assert_close(gradient_norms(layer, inputs, part=1), torch.stack(expected))
    assert not torch.allclose(gradient_norms(layer, inputs), torch.stack(expected))
    early = gradient_norms(layer, inputs, lambda states: states[:, 1].sum())
    assert early[1] > 0 and early[2:].count_nonzero() == 0


def test_an_lstm_has_a_gradient_by_its_memory_too():
    torch.manual_seed(0)
    layer, inputs = LSTM(3, 4).double(), torch.randn(2, 5, 3, dtype=torch.float64)
    by_h, by_c = state_gradients(layer, inputs, lambda states: states[:, 2].sum())
    assert by_h.shape == by_c.shape == (2, 5, 4)
    torch.testing.assert_close(by_h[:, 2], torch.ones(2, 4, dtype=torch.float64))
    assert by_h[:, 3:].count_nonzero() == by_c[:, 3:].count_nonzero() == 0  # the loss does not see the future
    gates = layer.watch(inputs)
    torch.testing.assert_close(by_c[:, 2], gates.output[:, 2] * (1 - gates.cell[:, 2].tanh() ** 2))


def weights_with_gradients(scale):
    torch.manual_seed(0)
    weights = [nn.Parameter(torch.randn(3, 4)), nn.Parameter(torch.randn(5)), nn.Parameter(torch.randn(2))]
    for weight in weights[:2]:
        weight.grad = scale * torch.randn_like(weight)
    return weights


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_clipping_equals_torch_and_keeps_the_direction(scale):
    ours, theirs = weights_with_gradients(scale), weights_with_gradients(scale)
    before = torch.cat([weight.grad.flatten() for weight in ours[:2]])
    norm = clip_gradients(ours, 1.0)
    assert norm == pytest.approx(float(nn.utils.clip_grad_norm_(theirs, 1.0)))
    for mine, other in zip(ours[:2], theirs[:2], strict=True):
        torch.testing.assert_close(mine.grad, other.grad, rtol=1e-4, atol=1e-6)
    after = torch.cat([weight.grad.flatten() for weight in ours[:2]])
    torch.testing.assert_close(nn.functional.cosine_similarity(before, after, dim=0), torch.tensor(1.0))
    assert float(after.norm()) == pytest.approx(min(norm, 1.0), rel=1e-5)


def test_clipping_refuses_what_no_scale_repairs():
    weights = weights_with_gradients(1.0)
    with pytest.raises(ValueError, match="threshold is 0; allowed is above 0"):
        clip_gradients(weights, 0)
    weights[0].grad[0, 0] = float("nan")
    with pytest.raises(ValueError, match="norm of the gradients is nan"):
        clip_gradients(weights, 1.0)


def test_the_penalty_by_hand():
    W = torch.tensor([[0.0, 2.0], [1.0, 0.0]])
    errors = torch.tensor([[[9.0, 9.0], [3.0, 4.0]]])  # one step back: (4, 6) from (3, 4)
    slopes = torch.tensor([[[0.5, 0.25], [9.0, 9.0]]])
    expected = ((2**2 + 1.5**2) ** 0.5 / 5 - 1) ** 2
    assert float(vanishing_penalty(W, errors, slopes)) == pytest.approx(expected)


def test_the_penalty_is_zero_for_orthogonal_linear_maps_and_only_when_nothing_is_lost():
    torch.manual_seed(0)
    errors = torch.randn(3, 7, 5, dtype=torch.float64)
    linear = torch.ones_like(errors)
    assert float(vanishing_penalty(orthogonal(5), errors, linear)) == pytest.approx(0, abs=1e-20)
    half = vanishing_penalty(0.5 * orthogonal(5), errors, linear)
    assert float(half) == pytest.approx(6 * 0.25)  # six steps, each halves the norm
    errors[:, 4:] = 0  # a loss that does not see the end
    assert float(vanishing_penalty(0.5 * orthogonal(5), errors, linear)) == pytest.approx(3 * 0.25)


def test_the_gradient_of_the_penalty_is_the_immediate_one():
    """Against finite differences in which errors and slopes stand still, as equation 10 asks."""
    torch.manual_seed(0)
    errors, slopes = torch.randn(2, 5, 3, dtype=torch.float64), torch.rand(2, 5, 3, dtype=torch.float64)
    W = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda W: vanishing_penalty(W, errors, slopes), W)
    moving = errors.clone().requires_grad_()
    vanishing_penalty(W, moving, slopes).backward()
    assert moving.grad is None


def test_loss_and_penalty_use_the_errors_of_the_network_itself():
    torch.manual_seed(0)
    layer, inputs = RNN(3, 4).double(), torch.randn(2, 6, 3, dtype=torch.float64)
    value, penalty = loss_and_penalty(layer, inputs, last)
    torch.testing.assert_close(value, layer(inputs)[0][:, -1].sum())

    a, h, before = [], torch.zeros(2, 4, dtype=torch.float64), []
    for x in inputs.unbind(1):
        a.append(layer.W_x(x) + layer.W_h(h))
        h = a[-1].tanh()
        before.append(h)
    errors = torch.autograd.grad(h.sum(), a)
    expected = 0.0
    for sentence in range(2):
        for k in range(5):
            jacobian = layer.W_h.weight @ torch.diag(1 - before[k][sentence] ** 2)
            delta = errors[k + 1][sentence]
            expected += (((delta @ jacobian).norm() / delta.norm() - 1) ** 2).item() / 2
    assert penalty.item() == pytest.approx(expected)
    (value + 0.1 * penalty).backward()
    assert layer.W_h.weight.grad.isfinite().all()


def test_a_matrix_gets_the_spectral_radius_that_is_asked():
    torch.manual_seed(0)
    matrix = torch.randn(30, 30, dtype=torch.float64)
    scaled = with_spectral_radius(matrix, 0.95)
    stretched = torch.linalg.matrix_power(scaled, 4000).norm() ** (1 / 4000)  # Gelfand: ‖Wᵏ‖^(1/k) → ρ
    assert float(stretched) == pytest.approx(0.95, rel=2e-3)
    assert spectral_radius(torch.tensor([[0.0, -2.0], [2.0, 0.0]])) == pytest.approx(2)  # a complex pair


@pytest.mark.parametrize(
    ("matrix", "radius", "message"),
    [
        (torch.zeros(3, 3), 0.9, "matrix has spectral radius 0; no scale"),
        (torch.full((2, 2), float("nan")), 0.9, "NaN or an infinity"),
        (torch.eye(2), -1, "radius is -1; allowed is a finite number, 0 or more"),
        (torch.eye(2), float("nan"), "radius is nan"),
    ],
)
def test_a_spectral_radius_that_cannot_be_is_refused(matrix, radius, message):
    with pytest.raises(ValueError, match=message):
        with_spectral_radius(matrix, radius)


def test_only_an_error_of_nothing_adds_nothing_to_the_penalty():
    """The threshold is 1e-10: smaller is counted as gone, and what is only small is not."""
    half = 0.5 * orthogonal(5)
    for size, steps in ((1e-6, 1), (1e-9, 1), (1e-11, 0)):
        errors = torch.full((1, 2, 5), size / 5**0.5, dtype=torch.float64)
        penalty = vanishing_penalty(half, errors, torch.ones_like(errors))
        assert float(penalty) == pytest.approx(0.25 * steps)
