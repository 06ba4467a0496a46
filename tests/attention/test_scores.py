import math

import pytest
import torch
from torch.nn import functional

from course_lib.attention import AdditiveAttention, ConcatAttention, DotAttention, GeneralAttention

BATCH, SOURCE, SIZE = 2, 5, 4
ATTENTIONS = {
    "additive": lambda: AdditiveAttention(SIZE, SIZE, 3),
    "dot": DotAttention,
    "general": lambda: GeneralAttention(SIZE, SIZE),
    "concat": lambda: ConcatAttention(SIZE, SIZE, 3),
}


@pytest.fixture(params=ATTENTIONS)
def attention(request):
    torch.manual_seed(0)
    return ATTENTIONS[request.param]().double()


@pytest.fixture
def inputs():
    torch.manual_seed(1)
    query = torch.randn(BATCH, SIZE, dtype=torch.float64)
    keys = torch.randn(BATCH, SOURCE, SIZE, dtype=torch.float64)
    return query, keys, torch.tensor([[True] * 5, [True] * 3 + [False] * 2])


def test_additive_attention_worked_by_hand():
    attention = AdditiveAttention(1, 1, 1).double()
    for layer, value in ((attention.W, 1.0), (attention.U, 2.0), (attention.v, 3.0)):
        torch.nn.init.constant_(layer.weight, value)
    query, keys = torch.tensor([[0.5]]).double(), torch.tensor([[[0.0], [1.0], [-1.0]]]).double()

    context, weights = attention(query, keys, torch.tensor([[True, True, False]]))

    first, second = math.exp(3 * math.tanh(0.5)), math.exp(3 * math.tanh(2.5))
    expected = torch.tensor([[first, second, 0.0]]).double() / (first + second)
    torch.testing.assert_close(weights, expected)
    torch.testing.assert_close(context, torch.tensor([[second / (first + second)]]).double())


def one_at_a_time(attention, query, key):
    """Each score as it stands in the paper, for one query and one key."""
    if isinstance(attention, AdditiveAttention):
        return attention.v.weight[0] @ torch.tanh(attention.W.weight @ query + attention.U.weight @ key)
    if isinstance(attention, ConcatAttention):
        return attention.v.weight[0] @ torch.tanh(attention.W.weight @ torch.cat([query, key]))
    if isinstance(attention, GeneralAttention):
        return query @ attention.W.weight @ key
    return query @ key


def test_scores_weights_and_context_equal_the_formulas(attention, inputs):
    query, keys, keep = inputs
    context, weights = attention(query, keys, keep)
    for b in range(BATCH):
        kept = int(keep[b].sum())
        scores = torch.stack([one_at_a_time(attention, query[b], keys[b, j]) for j in range(kept)])
        expected = scores.exp() / scores.exp().sum()
        torch.testing.assert_close(weights[b, :kept], expected)
        torch.testing.assert_close(context[b], sum(expected[j] * keys[b, j] for j in range(kept)))


def test_dot_equals_scaled_dot_product_attention_without_its_scale(inputs):
    query, keys, keep = inputs
    theirs = functional.scaled_dot_product_attention(
        query.unsqueeze(1), keys, keys, attn_mask=keep.unsqueeze(1), scale=1.0
    )
    torch.testing.assert_close(DotAttention()(query, keys, keep)[0], theirs.squeeze(1))


def test_scaled_dot_equals_scaled_dot_product_attention(inputs):
    query, keys, keep = inputs
    theirs = functional.scaled_dot_product_attention(
        query.unsqueeze(1), keys, keys, attn_mask=keep.unsqueeze(1)
    )
    torch.testing.assert_close(DotAttention(scale=SIZE**-0.5)(query, keys, keep)[0], theirs.squeeze(1))
    general = GeneralAttention(SIZE, SIZE, scale=SIZE**-0.5).double()
    torch.nn.init.eye_(general.W.weight)
    torch.testing.assert_close(general(query, keys, keep)[0], theirs.squeeze(1))


def test_general_with_the_identity_is_dot(inputs):
    general = GeneralAttention(SIZE, SIZE).double()
    torch.nn.init.eye_(general.W.weight)
    for ours, theirs in zip(general(*inputs), DotAttention()(*inputs), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_concat_with_w_and_u_side_by_side_is_additive(inputs):
    additive, concat = AdditiveAttention(SIZE, SIZE, 3).double(), ConcatAttention(SIZE, SIZE, 3).double()
    with torch.no_grad():
        concat.W.weight.copy_(torch.cat([additive.W.weight, additive.U.weight], dim=1))
        concat.v.weight.copy_(additive.v.weight)
    for ours, theirs in zip(concat(*inputs), additive(*inputs), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_gradients(attention, inputs):
    query, keys, keep = inputs
    query.requires_grad_(), keys.requires_grad_()
    assert torch.autograd.gradcheck(lambda q, k: attention(q, k, keep), (query, keys))


def test_the_query_and_every_kept_key_matter_and_no_other(attention, inputs):
    query, keys, keep = inputs
    query.requires_grad_(), keys.requires_grad_()
    _, weights = attention(query, keys, keep)
    weights.square().sum().backward()
    assert query.grad.abs().sum(dim=1).gt(0).all()
    assert torch.equal(keys.grad.abs().sum(dim=-1) > 0, keep)


def test_padding_changes_nothing(attention, inputs):
    query, keys, keep = inputs
    padded = torch.cat([keys, torch.full((BATCH, 10, SIZE), 1e6).double()], dim=1)
    context, weights = attention(query, keys, keep)
    keep_padded = functional.pad(keep, (0, 10))
    padded_context, padded_weights = attention(query, padded, keep_padded)
    torch.testing.assert_close(padded_context, context)
    torch.testing.assert_close(padded_weights[:, :SOURCE], weights)
    assert padded_weights[:, SOURCE:].count_nonzero() == 0


def test_nothing_to_look_at_gives_a_zero_context(attention, inputs):
    query, keys, _ = inputs
    context, weights = attention(query, keys, torch.zeros(BATCH, SOURCE, dtype=torch.bool))
    assert context.count_nonzero() == 0 and weights.count_nonzero() == 0


def test_without_a_mask_all_is_looked_at(attention, inputs):
    query, keys, _ = inputs
    everything = torch.ones(BATCH, SOURCE, dtype=torch.bool)
    for ours, masked in zip(attention(query, keys, None), attention(query, keys, everything), strict=True):
        torch.testing.assert_close(ours, masked)


def test_projected_keys_may_be_given(attention, inputs):
    query, keys, keep = inputs
    for ours, theirs in zip(
        attention(query, keys, keep, attention.project(keys)), attention(query, keys, keep), strict=True
    ):
        torch.testing.assert_close(ours, theirs)


def test_dot_refuses_sizes_that_differ(inputs):
    _, keys, keep = inputs
    with pytest.raises(ValueError, match="query has 3 features, keys have 4"):
        DotAttention()(torch.zeros(BATCH, 3).double(), keys, keep)
