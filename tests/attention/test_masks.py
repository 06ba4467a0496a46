import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.attention import keep_lengths, masked_softmax

DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]


@given(st.integers(1, 5), st.integers(1, 7), st.integers(0, 2**31))
def test_equals_softmax_over_the_kept_positions_alone(rows, size, seed):
    generator = torch.Generator().manual_seed(seed)
    scores = 10 * torch.randn(rows, size, dtype=torch.float64, generator=generator)
    keep = torch.rand(rows, size, generator=generator) < 0.6
    weights = masked_softmax(scores, keep)
    for row in range(rows):
        expected = torch.zeros(size, dtype=torch.float64)
        if keep[row].any():
            exponentials = scores[row, keep[row]].exp()
            expected[keep[row]] = exponentials / exponentials.sum()
        torch.testing.assert_close(weights[row], expected)
        assert weights[row, ~keep[row]].count_nonzero() == 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_that_keeps_nothing_is_zero_with_finite_gradients(dtype):
    scores = torch.randn(2, 3).to(dtype).requires_grad_()
    weights = masked_softmax(scores, torch.tensor([[True, True, False], [False] * 3]))
    weights.square().sum().backward()
    assert weights[1].count_nonzero() == 0
    assert scores.grad.isfinite().all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_no_score_is_large_enough_to_leak_through_the_mask(dtype):
    scores = torch.tensor([[torch.finfo(dtype).max, -torch.finfo(dtype).max, 0.0]], dtype=dtype)
    assert masked_softmax(scores, torch.tensor([[False, False, True]])).tolist() == [[0.0, 0.0, 1.0]]


def test_the_scores_given_are_left_as_they_were():
    scores = torch.randn(2, 3)
    before = scores.clone()
    masked_softmax(scores, torch.tensor([True, False, True]))
    assert torch.equal(scores, before)


def test_it_sums_over_the_source_not_over_the_batch():
    weights = masked_softmax(torch.zeros(1, 4), torch.ones(1, 4, dtype=torch.bool))
    assert weights.tolist() == [[0.25] * 4]


@pytest.mark.usefixtures("unchecked")
def test_a_mask_that_is_not_boolean_is_refused():
    with pytest.raises(TypeError, match=r"keep has dtype torch\.int64; allowed is torch\.bool"):
        masked_softmax(torch.zeros(1, 2), torch.tensor([[1, 0]]))


def test_lengths_become_masks():
    assert keep_lengths(torch.tensor([0, 2, 3]), 3).tolist() == [[False] * 3, [True, True, False], [True] * 3]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [2e4, 6e4, "most"])
def test_a_kept_score_may_be_as_low_as_it_likes(dtype, size):
    """What fills the masked positions lies below every score, not at some round number such as -10,000."""
    low = 0.99 * torch.finfo(dtype).max if size == "most" else size
    scores = torch.tensor([[0.0, -low, 0.0]], dtype=dtype)
    assert masked_softmax(scores, torch.tensor([[False, True, False]])).tolist() == [[0.0, 1.0, 0.0]]
