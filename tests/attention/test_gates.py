import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional

from course_lib.attention.gates import (
    attend_to_past,
    free_weights,
    gated_recurrence,
    several_heads,
    unrolled_weights,
)


@given(st.integers(1, 3), st.integers(1, 9), st.integers(1, 4), st.integers(0, 2**31))
def test_the_weighted_sum_of_the_past_is_the_recurrence(batch, time, hidden, seed):
    generator = torch.Generator().manual_seed(seed)
    update = torch.rand(batch, time, hidden, dtype=torch.float64, generator=generator)
    candidates = torch.randn(batch, time, hidden, dtype=torch.float64, generator=generator)
    initial = torch.randn(batch, hidden, dtype=torch.float64, generator=generator)
    weights = unrolled_weights(update)
    left = (1 - update).cumprod(dim=1)
    unrolled = left * initial.unsqueeze(1) + torch.einsum("btih,bih->bth", weights, candidates)
    torch.testing.assert_close(
        unrolled, gated_recurrence(update, candidates, initial), rtol=1e-13, atol=1e-13
    )
    torch.testing.assert_close(weights.sum(dim=2), 1 - left, rtol=1e-13, atol=1e-13)


def test_three_steps_by_hand():
    update = torch.tensor([0.5, 0.25, 1.0]).reshape(1, 3, 1)
    expected = torch.tensor([[0.5, 0, 0], [0.375, 0.25, 0], [0, 0, 1.0]])
    torch.testing.assert_close(unrolled_weights(update)[0, :, :, 0], expected)


def test_the_state_of_torch_gru_is_that_weighted_sum():
    torch.manual_seed(0)
    gru = nn.GRU(3, 4, batch_first=True).double()
    inputs = torch.randn(2, 6, 3, dtype=torch.float64)
    states, _ = gru(inputs)
    before = torch.cat([torch.zeros(2, 1, 4, dtype=torch.float64), states[:, :-1]], dim=1)
    from_input = functional.linear(inputs, gru.weight_ih_l0, gru.bias_ih_l0).chunk(3, dim=-1)
    from_state = functional.linear(before, gru.weight_hh_l0, gru.bias_hh_l0).chunk(3, dim=-1)
    reset, keep = (torch.sigmoid(from_input[k] + from_state[k]) for k in (0, 1))
    candidates = torch.tanh(from_input[2] + reset * from_state[2])
    weights = unrolled_weights(1 - keep)  # torch's z says how much to keep
    torch.testing.assert_close(torch.einsum("btih,bih->bth", weights, candidates), states)


def test_a_weight_never_grows_and_all_older_ones_fade_alike():
    weights = unrolled_weights(torch.rand(2, 7, 3, dtype=torch.float64))
    for t in range(1, 7):
        before, after = weights[:, t - 1, :t], weights[:, t, :t]
        assert (after <= before).all()
        ratio = after / before
        torch.testing.assert_close(ratio, ratio[:, :1].expand_as(ratio))


@pytest.mark.parametrize("gate", [-0.1, 1.1, float("nan")])
def test_a_gate_outside_0_to_1_is_refused(gate):
    with pytest.raises(ValueError, match="allowed is 0 to 1"):
        unrolled_weights(torch.full((1, 2, 1), gate))


def test_freed_weights_are_a_softmax_over_candidates_that_are_still_recurrent():
    torch.manual_seed(0)
    x, W, U = torch.randn(3, 2).double(), torch.randn(2, 2).double(), torch.randn(2, 2).double()
    states, weights = free_weights(x.unsqueeze(0), W, U)
    first = torch.tanh(W @ x[0])
    second = torch.tanh(W @ x[1] + U @ first)
    share = torch.sigmoid(second @ x[1] - first @ x[1])
    torch.testing.assert_close(weights[0, 1], torch.stack([1 - share, share, share * 0]))
    torch.testing.assert_close(states[0, 1], (1 - share) * first + share * second)


def test_attention_to_the_past_equals_torch_without_scale():
    q, k, v = torch.randn(3, 2, 5, 4, dtype=torch.float64)
    expected = functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0)
    torch.testing.assert_close(attend_to_past(q, k, v)[0], expected)


@pytest.mark.parametrize("step", ["weights", "candidates", "heads"])
def test_no_step_sees_the_future(step):
    x = torch.randn(1, 5, 4, dtype=torch.float64, requires_grad=True)
    square = torch.randn(4, 4, dtype=torch.float64)
    run = {
        "weights": lambda: free_weights(x, square, square),
        "candidates": lambda: attend_to_past(x, x, x),
        "heads": lambda: several_heads(x, x, x, 2),
    }
    states, _ = run[step]()
    states[:, 2].sum().backward()
    assert x.grad[:, 3:].count_nonzero() == 0
    assert (x.grad[:, :3] != 0).all()


def test_each_head_attends_in_its_own_part():
    q, k, v = torch.randn(3, 2, 5, 6, dtype=torch.float64)
    states, weights = several_heads(q, k, v, 3)
    for head in range(3):
        part = slice(2 * head, 2 * head + 2)
        expected = functional.scaled_dot_product_attention(
            q[..., part], k[..., part], v[..., part], is_causal=True, scale=1.0
        )
        torch.testing.assert_close(states[..., part], expected)
    assert weights.shape == (2, 3, 5, 5)


@pytest.mark.parametrize("heads", [0, 4])
def test_heads_that_do_not_divide_are_refused(heads):
    with pytest.raises(ValueError, match="divisors of the size, which is 6"):
        several_heads(*torch.randn(3, 1, 2, 6), heads)
