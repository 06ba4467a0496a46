import math

import pytest
import torch

from course_lib.attention import DotAttention, GeneralAttention
from course_lib.attention.local import LocalMonotonicAttention, LocalPredictiveAttention


@pytest.fixture
def inputs():
    torch.manual_seed(0)
    keep = torch.tensor([[True] * 6, [True] * 3 + [False] * 3])
    return torch.randn(2, 4).double(), torch.randn(2, 6, 4).double(), keep


def test_a_window_of_full_width_is_global_attention(inputs):
    score = GeneralAttention(4, 4).double()
    for local in (
        LocalMonotonicAttention(score, 6.0),
        lambda *x, step: LocalPredictiveAttention(score, 4, 1e9).double()(*x),
    ):
        for ours, everywhere in zip(local(*inputs, step=2), score(*inputs), strict=True):
            torch.testing.assert_close(ours, everywhere)


def test_monotonic_looks_around_its_own_step(inputs):
    query, keys, keep = inputs
    context, weights = LocalMonotonicAttention(DotAttention(), 1.0)(query, keys, keep, step=3)
    near = (keys[0, 2:5] @ query[0]).softmax(0)
    torch.testing.assert_close(weights[0, 2:5], near)
    torch.testing.assert_close(context[0], near @ keys[0, 2:5])
    assert weights[0, [0, 1, 5]].count_nonzero() == 0
    torch.testing.assert_close(weights[1], torch.tensor([0, 0, 1, 0, 0, 0]).double())  # 3 and 4 are pads


def test_predictive_equals_equations_9_and_10(inputs):
    query, keys, keep = inputs
    local = LocalPredictiveAttention(DotAttention(), 4, 2.0).double()
    context, weights = local(query, keys, keep)
    for b, length in enumerate((6, 3)):
        evidence = local.v_p.weight[0] @ torch.tanh(local.W_p.weight @ query[b])
        place = length / (1 + math.exp(-evidence.item()))
        inside = [j for j in range(length) if abs(j - place) <= 2]
        total = sum(math.exp(query[b] @ keys[b, j]) for j in inside)
        expected = torch.zeros(6).double()
        for j in inside:
            gaussian = math.exp(-((j - place) ** 2) / (2 * 1.0**2))
            expected[j] = math.exp(query[b] @ keys[b, j]) / total * gaussian
        torch.testing.assert_close(weights[b], expected)
        torch.testing.assert_close(context[b], expected @ keys[b])
        assert weights[b].sum() < 1


def test_the_predicted_place_is_trained(inputs):
    query, keys, keep = inputs
    local = LocalPredictiveAttention(DotAttention(), 4, 2.0).double()
    local(query, keys, keep)[0].square().sum().backward()
    assert local.W_p.weight.grad.abs().sum() > 0 and local.v_p.weight.grad.abs().sum() > 0


def test_nothing_to_look_at_gives_zeros_and_finite_gradients(inputs):
    query, keys, keep = inputs
    query.requires_grad_()
    local = LocalPredictiveAttention(DotAttention(), 4, 2.0).double()
    for context, weights in (
        local(query, keys, torch.zeros_like(keep)),
        LocalMonotonicAttention(DotAttention(), 1.0)(query, keys, keep, step=20),
    ):
        context.sum().backward()
        assert context.count_nonzero() == 0 and weights.count_nonzero() == 0
        assert query.grad.isfinite().all()


def test_a_window_without_width_is_refused(inputs):
    with pytest.raises(ValueError, match="half_width is 0"):
        LocalMonotonicAttention(DotAttention(), 0.0)(*inputs, step=0)
