import math

import pytest
import torch
from torch.nn import functional

from course_lib.attention import (
    AdditiveAttention,
    ConcatAttention,
    CosineAttention,
    DotAttention,
    GeneralAttention,
    LocationAttention,
)

SCORES = {
    "additive": lambda: AdditiveAttention(4, 4, 3),
    "concat": lambda: ConcatAttention(4, 4, 3),
    "dot": DotAttention,
    "scaled dot": lambda: DotAttention(0.5),
    "general": lambda: GeneralAttention(4, 4),
    "cosine": lambda: CosineAttention(2.0),
    "location": lambda: LocationAttention(4, 8),
}


@pytest.mark.parametrize("name", SCORES)
def test_pads_get_exactly_zero_and_an_empty_row_has_finite_gradients(name):
    torch.manual_seed(0)
    attention = SCORES[name]()
    query = torch.randn(3, 4, requires_grad=True)
    keys = torch.randn(3, 5, 4, requires_grad=True)
    keep = torch.tensor([[True] * 5, [True] * 2 + [False] * 3, [False] * 5])
    context, weights = attention(query, keys, keep)
    context.sum().backward()
    assert weights[~keep].count_nonzero() == 0 and context[2].count_nonzero() == 0
    torch.testing.assert_close(weights.sum(1), torch.tensor([1.0, 1.0, 0.0]))
    assert query.grad.isfinite().all() and keys.grad.isfinite().all()
    assert all(p.grad.isfinite().all() for p in attention.parameters())


def test_the_toy_numbers_of_scaled_dot_product():
    query, keys = (
        torch.tensor([[2.0, 4.0, 4.0, 2.0]]),
        torch.tensor([[[3.0, 2.0, 2.0, 3.0], [1.0, 2.0, 3.0, 2.0]]]),
    )
    torch.testing.assert_close(DotAttention().score(query, keys), torch.tensor([[28.0, 26.0]]))
    attention = DotAttention(1 / math.sqrt(4))
    torch.testing.assert_close(attention.score(query, keys), torch.tensor([[14.0, 13.0]]))
    _, weights = attention(query, keys, torch.ones(1, 2, dtype=torch.bool))
    torch.testing.assert_close(weights, torch.tensor([[0.73, 0.27]]), atol=0.005, rtol=0)


@pytest.mark.parametrize("size", [4, 64, 256])
def test_the_variance_of_a_product_grows_with_the_size_and_scaling_keeps_it_at_one(size):
    torch.manual_seed(size)
    draws = 4000
    query, keys = torch.randn(draws, size).double(), torch.randn(draws, 1, size).double()
    # A product of two normal vectors has kurtosis 3 + 6/size, so its sample variance, relative to
    # the true one, has standard error sqrt((2 + 6/size) / draws).
    bound = 5 * math.sqrt((2 + 6 / size) / draws)
    assert abs(DotAttention().score(query, keys).var() / size - 1) < bound
    assert abs(DotAttention(size**-0.5).score(query, keys).var() - 1) < bound


def test_the_cosine_forgets_lengths_and_the_dot_does_not():
    torch.manual_seed(0)
    query, keys = torch.randn(2, 4).double(), torch.randn(2, 3, 4).double()
    longer = keys * torch.tensor([1.0, 7.0, 0.1]).double().view(1, 3, 1)
    cosine, dot = CosineAttention(3.0), DotAttention()
    torch.testing.assert_close(cosine.score(9 * query, longer), cosine.score(query, keys))
    assert not torch.allclose(dot.score(query, longer), dot.score(query, keys))


def test_the_cosine_worked_by_hand():
    query, keys = torch.tensor([[3.0, 4.0]]), torch.tensor([[[4.0, 3.0], [-6.0, -8.0], [0.0, 0.0]]])
    torch.testing.assert_close(CosineAttention(2.0).score(query, keys), torch.tensor([[1.92, -2.0, 0.0]]))


def test_location_weighs_places_whatever_stands_there():
    torch.manual_seed(0)
    attention, query, keep = LocationAttention(4, 6), torch.randn(2, 4), torch.ones(2, 5, dtype=torch.bool)
    first, second = (attention(query, torch.randn(2, 5, 4), keep)[1] for _ in range(2))
    torch.testing.assert_close(first, second)
    torch.testing.assert_close(first, functional.softmax((query @ attention.W.weight.T)[:, :5], dim=1))


def test_bad_input_is_named():
    keep = torch.ones(1, 5, dtype=torch.bool)
    with pytest.raises(ValueError, match="source has 5 positions; allowed are up to 4"):
        LocationAttention(4, 4)(torch.zeros(1, 4), torch.zeros(1, 5, 4), keep)
    with pytest.raises(ValueError, match="query has 3 features, keys have 4"):
        CosineAttention()(torch.zeros(1, 3), torch.zeros(1, 5, 4), keep)
    with pytest.raises(ValueError, match="sharpness is 0"):
        CosineAttention(0.0)
