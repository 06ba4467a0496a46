import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from course_lib.attention.self_attention import diagonal_share, vanilla_self_attention


@given(st.integers(1, 3), st.integers(1, 7), st.integers(1, 5), st.integers(0, 2**31))
def test_permuting_the_words_permutes_the_result(batch, time, size, seed):
    generator = torch.Generator().manual_seed(seed)
    embeddings = torch.randn(batch, time, size, dtype=torch.float64, generator=generator)
    order = torch.randperm(time, generator=generator)
    context, weights = vanilla_self_attention(embeddings)
    moved_context, moved_weights = vanilla_self_attention(embeddings[:, order])
    torch.testing.assert_close(moved_context, context[:, order])
    torch.testing.assert_close(moved_weights, weights[:, order][:, :, order])


def test_equals_torch_with_one_vector_in_all_three_roles():
    e = torch.randn(2, 5, 3, dtype=torch.float64)
    expected = functional.scaled_dot_product_attention(e, e, e, scale=1.0)
    torch.testing.assert_close(vanilla_self_attention(e)[0], expected)


def test_padding_changes_nothing_and_gets_nothing():
    e = torch.randn(1, 4, 3, dtype=torch.float64)
    padded = torch.cat([e, 100 * torch.ones(1, 5, 3, dtype=torch.float64)], dim=1)
    keep = torch.arange(9).unsqueeze(0) < 4
    context, weights = vanilla_self_attention(padded, keep)
    torch.testing.assert_close(context[:, :4], vanilla_self_attention(e)[0])
    assert weights[..., 4:].count_nonzero() == 0


def test_without_itself_a_word_is_a_sum_of_the_others_word_by_word():
    e = torch.randn(2, 4, 3, dtype=torch.float64)
    keep = torch.tensor([[True, True, True, True], [True, True, False, False]])
    context, weights = vanilla_self_attention(e, keep, itself=False)
    for b, kept in enumerate((4, 2)):
        for i in range(kept):
            others = [j for j in range(kept) if j != i]
            scores = torch.stack([e[b, j] @ e[b, i] for j in others])
            shares = scores.exp() / scores.exp().sum()
            torch.testing.assert_close(weights[b, i, others], shares)
            given = [share * e[b, j] for share, j in zip(shares, others, strict=True)]
            torch.testing.assert_close(context[b, i], sum(given))
    assert diagonal_share(weights).count_nonzero() == 0
    torch.testing.assert_close(vanilla_self_attention(e, itself=False)[1][0], weights[0])


def test_the_toy_of_a_word_that_asks_the_two_others():
    """Two keys and the query (2, 4, 4, 2): scores 28 and 26, divided by √4, weights 0.73 and 0.27."""
    toy = torch.tensor([[[3.0, 2.0, 2.0, 3.0], [1.0, 2.0, 3.0, 2.0], [2.0, 4.0, 4.0, 2.0]]])
    context, weights = vanilla_self_attention(toy / 2**0.5, itself=False)  # so each score is half as large
    share = 1 / (1 + math.exp(-1))
    assert weights[0, 2].tolist() == pytest.approx([share, 1 - share, 0])
    expected = [
        (share * a + (1 - share) * b) / 2**0.5 for a, b in zip((3, 2, 2, 3), (1, 2, 3, 2), strict=True)
    ]
    assert context[0, 2].tolist() == pytest.approx(expected)


def test_a_word_alone_has_no_others():
    context, weights = vanilla_self_attention(torch.ones(1, 1, 3), itself=False)
    assert context.count_nonzero() == weights.count_nonzero() == 0


def test_a_mask_that_is_not_boolean_is_refused():
    with pytest.raises(TypeError):
        vanilla_self_attention(torch.ones(1, 2, 2), torch.ones(1, 2))


def test_diagonal_share_by_hand():
    weights = torch.tensor([[[0.5, 0.5], [0.9, 0.1]], [[1.0, 0.0], [0.0, 1.0]]])
    torch.testing.assert_close(diagonal_share(weights), torch.tensor([0.3, 1.0]))


def test_vectors_of_equal_length_look_at_themselves_most():
    e = functional.normalize(torch.randn(3, 8, 16), dim=-1) * 3
    assert (vanilla_self_attention(e)[1].argmax(dim=-1) == torch.arange(8)).all()
