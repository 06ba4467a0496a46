"""Multi-head attention against torch.nn with copied weights; the slide's toy numbers; empty rows."""

import pytest
import torch
from torch import nn
from torch.nn import functional
from torchs_weights import copy_attention

from course_lib.attention.multihead import MultiHeadAttention, causal_mask, scaled_dot_product_attention

BATCH, TARGET, SOURCE, SIZE, HEADS = 3, 4, 5, 12, 3


def copied(heads: int = HEADS) -> tuple[MultiHeadAttention, nn.MultiheadAttention]:
    """Ours and torch's, with the same weights, in float64."""
    torch.manual_seed(1)
    theirs = nn.MultiheadAttention(SIZE, heads, batch_first=True).double()
    nn.init.normal_(theirs.in_proj_bias)
    nn.init.normal_(theirs.out_proj.bias)
    ours = MultiHeadAttention(SIZE, heads).double()
    copy_attention(ours, theirs)
    return ours, theirs


def masks() -> dict[str, torch.Tensor | None]:
    """Every kind of mask, as (batch, heads, target, source)."""
    padding = (torch.arange(SOURCE) < torch.tensor([[5], [3], [1]]))[:, None, None]
    causal = causal_mask(SOURCE)[:TARGET]
    return {"none": None, "padding": padding, "causal": causal, "both": padding & causal}


@pytest.mark.parametrize("kind", masks())
@pytest.mark.parametrize("heads", [1, 3, 12])
def test_equals_torch_with_copied_weights(kind: str, heads: int) -> None:
    ours, theirs = copied(heads)
    keep = masks()[kind]
    inputs = [torch.randn(BATCH, n, SIZE, dtype=torch.float64) for n in (TARGET, SOURCE, SOURCE)]
    mine = [x.clone().requires_grad_() for x in inputs]
    other = [x.clone().requires_grad_() for x in inputs]
    hide = None
    if keep is not None:
        hide = ~keep.expand(BATCH, heads, TARGET, SOURCE).reshape(-1, TARGET, SOURCE)
    context, weights = ours(*mine, keep)
    expected, expected_weights = theirs(*other, attn_mask=hide, average_attn_weights=False)
    torch.testing.assert_close(context, expected)
    torch.testing.assert_close(weights, expected_weights)
    direction = torch.randn_like(context)
    context.backward(direction)
    expected.backward(direction)
    for ours_input, their_input in zip(mine, other, strict=True):
        torch.testing.assert_close(ours_input.grad, their_input.grad)
    torch.testing.assert_close(
        torch.cat([layer.weight.grad for layer in (ours.W_Q, ours.W_K, ours.W_V)]), theirs.in_proj_weight.grad
    )
    torch.testing.assert_close(ours.W_O.weight.grad, theirs.out_proj.weight.grad)


@pytest.mark.parametrize("kind", masks())
def test_scaled_dot_product_equals_torchs(kind: str) -> None:
    torch.manual_seed(2)
    query = torch.randn(BATCH, HEADS, TARGET, 4, dtype=torch.float64)
    key, value = torch.randn(2, BATCH, HEADS, SOURCE, 4, dtype=torch.float64)
    context, _ = scaled_dot_product_attention(query, key, value, masks()[kind])
    torch.testing.assert_close(
        context, functional.scaled_dot_product_attention(query, key, value, attn_mask=masks()[kind])
    )


def test_the_toy_numbers_on_paper() -> None:
    # Size 4, so √4 = 2: scores 28 and 26 become 14 and 13, and softmax(14, 13) is 0.73 and 0.27.
    query = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    key = torch.tensor([[0.0, 1.0, 2.0, 5.0], [4.0, 4.0, 2.0, 2.0]])
    assert (query @ key.T).tolist() == [[28.0, 26.0]]
    _, weights = scaled_dot_product_attention(query, key, key)
    assert [round(w, 2) for w in weights[0].tolist()] == [0.73, 0.27]


def test_an_empty_row_is_zero_with_finite_gradients_and_leaves_the_bias_of_the_output() -> None:
    ours, _ = copied()
    x = torch.randn(BATCH, TARGET, SIZE, dtype=torch.float64, requires_grad=True)
    keep = torch.ones(BATCH, 1, TARGET, TARGET, dtype=torch.bool)
    keep[1, 0, 2] = False
    context, weights = ours(x, x, x, keep)
    assert (weights[1, :, 2] == 0).all()
    torch.testing.assert_close(context[1, 2], ours.W_O.bias)
    context.sum().backward()
    assert x.grad is not None and x.grad.isfinite().all()


def test_returned_weights_are_those_before_dropout() -> None:
    torch.manual_seed(0)
    attention = MultiHeadAttention(SIZE, HEADS, dropout=0.9).train()
    x = torch.randn(BATCH, TARGET, SIZE)
    context, weights = attention(x, x, x)
    torch.testing.assert_close(weights.sum(-1), torch.ones(BATCH, HEADS, TARGET))
    again, _ = attention(x, x, x)
    assert not torch.equal(context, again)  # dropout acts


@pytest.mark.parametrize("heads", [0, 5, 13, -1])
def test_heads_that_do_not_divide_are_refused(heads: int) -> None:
    with pytest.raises(ValueError, match=f"heads is {heads}.*12"):
        MultiHeadAttention(SIZE, heads)


@pytest.mark.usefixtures("unchecked")
def test_a_mask_that_is_not_boolean_is_refused() -> None:
    x = torch.randn(1, 2, SIZE)
    with pytest.raises(TypeError, match=r"float32.*torch\.bool"):
        MultiHeadAttention(SIZE, HEADS)(x, x, x, torch.ones(1, 1, 2, 2))


def test_long_vectors_in_half_precision_overflow_no_score() -> None:
    """64 · 75 · 75 = 360,000 is more than float16 holds; the score, an eighth of it, is not."""
    query = torch.full((1, 1, 64), 75.0, dtype=torch.float16)
    key = torch.full((1, 2, 64), 75.0, dtype=torch.float16)
    key[0, 1] *= 0.5
    value = torch.tensor([[[1.0], [2.0]]], dtype=torch.float16)
    context, weights = scaled_dot_product_attention(query, key, value)
    assert weights.tolist() == [[[1.0, 0.0]]]
    assert context.item() == 1.0
