"""What stands where attention may not look reaches nothing, whatever it is."""

import math

import pytest
import torch

from course_lib.attention import (
    AdditiveAttention,
    ConcatAttention,
    CosineAttention,
    DotAttention,
    GeneralAttention,
    HardAttention,
    LocalMonotonicAttention,
    LocalPredictiveAttention,
    LocationAttention,
    attend_to_past,
    causal_mask,
    masked_softmax,
    scaled_dot_product_attention,
    vanilla_self_attention,
    weighted_sum,
)
from course_lib.checks.core import waves
from course_lib.words import Word2Vec

BROKEN = [math.nan, math.inf, -math.inf]
SIZE, SOURCE = 4, 5
KEEP = torch.tensor([[True, True, False, True, False], [True, False, True, True, True], [False] * 5])
QUERY, KEYS = waves(3, SIZE), waves(3, SOURCE, SIZE, start=2.0)


def with_broken(values, keep, number):
    return values.masked_fill(~keep.unsqueeze(-1), number)


ATTENTIONS = {
    "additive": AdditiveAttention(SIZE, SIZE, 3),
    "concat": ConcatAttention(SIZE, SIZE, 3),
    "cosine": CosineAttention(),
    "dot": DotAttention(),
    "general": GeneralAttention(SIZE, SIZE),
    "location": LocationAttention(SIZE, SOURCE),
    "local-p": LocalPredictiveAttention(DotAttention(), SIZE, 2.0),
    "hard": HardAttention(DotAttention()),
}


@pytest.mark.parametrize("number", BROKEN)
@pytest.mark.parametrize("name", ATTENTIONS)
def test_padding_reaches_no_context(name, number):
    attention = ATTENTIONS[name].double()
    generators = [torch.Generator().manual_seed(3) for _ in range(2)] if name == "hard" else [None, None]
    results = []
    for keys, generator in zip((KEYS, with_broken(KEYS, KEEP, number)), generators, strict=True):
        options = {"generator": generator} if generator else {}
        results.append(attention(QUERY, keys, KEEP, **options)[:2])
    assert torch.equal(results[0][0], results[1][0]) and torch.equal(results[0][1], results[1][1])


@pytest.mark.parametrize("number", BROKEN)
def test_what_is_outside_a_window_reaches_no_context(number):
    attention = LocalMonotonicAttention(DotAttention(), 1)
    keep = torch.ones(3, SOURCE, dtype=torch.bool)
    inside = torch.arange(SOURCE) <= 2
    there = with_broken(KEYS, inside.expand(3, -1), number)
    assert torch.equal(attention(QUERY, there, keep, 1)[0], attention(QUERY, KEYS, keep, 1)[0])


@pytest.mark.parametrize("number", BROKEN)
def test_each_target_sees_only_what_it_may(number):
    """Here a value is hidden from some targets and shown to others."""
    q, k, v = (waves(2, 3, SOURCE, SIZE, start=s) for s in (0.0, 1.0, 2.0))
    keep = causal_mask(SOURCE)
    expected = torch.stack(
        [
            torch.stack([a[i] @ b[:SOURCE] for i in range(SOURCE)])
            for a, b in zip(masked_softmax(q @ k.mT / 2, keep).flatten(0, 1), v.flatten(0, 1), strict=True)
        ]
    )
    assert torch.allclose(scaled_dot_product_attention(q, k, v, keep)[0].flatten(0, 1), expected)
    v[:, :, 3] = number
    context, _ = scaled_dot_product_attention(q, k, v, keep)
    assert torch.allclose(context[:, :, :3].flatten(0, 1), expected[:, :3])
    assert context[:, :, 3:].isnan().all()  # who may look at it, sees it
    assert attend_to_past(q, k, v)[0][:, :, :3].isfinite().all()


@pytest.mark.parametrize("number", BROKEN)
def test_padding_reaches_no_other_position_of_a_sentence(number):
    keep = KEEP[:2]
    x = KEYS[:2]
    context, weights = vanilla_self_attention(with_broken(x, keep, number), keep)
    wanted, where = vanilla_self_attention(x, keep)
    assert torch.equal(context[keep], wanted[keep]) and torch.equal(weights[keep], where[keep])
    q = waves(2, SOURCE, SIZE)
    there = with_broken(x, keep, number)
    padding = keep.unsqueeze(1)
    assert torch.equal(
        scaled_dot_product_attention(q, there, there, padding)[0],
        scaled_dot_product_attention(q, x, x, padding)[0],
    )


def test_no_gradient_of_a_masked_value_is_nan():
    values = with_broken(KEYS, KEEP, math.nan).requires_grad_()
    weights = masked_softmax(waves(3, 2, SOURCE), KEEP.unsqueeze(1)).requires_grad_()
    weighted_sum(weights, values, KEEP.unsqueeze(1)).sum().backward()
    assert values.grad.isfinite().all() and weights.grad.isfinite().all()
    assert (values.grad[~KEEP] == 0).all()


def test_a_word_that_is_not_read_does_not_count():
    model = Word2Vec(6, SIZE)
    with torch.no_grad():
        model.inputs.weight[0] = math.nan
    hidden = model.hidden(torch.tensor([[2, 3, 0]]), torch.tensor([[True, True, False]]))
    assert torch.allclose(hidden[0], model.inputs.weight[2:4].mean(dim=0))
