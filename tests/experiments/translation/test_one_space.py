"""A rotation takes the dot score its space, and the matrix that turns back returns it."""

import pytest
import torch

from course_experiments.translation.one_space import rotation, turned, turned_losses
from course_experiments.translation.translators import tokenise
from course_lib.applications.translator import load_translator
from course_lib.attention import CosineAttention, DotAttention, GeneralAttention
from course_lib.data import load_tatoeba
from course_lib.data.batches import length_batches
from course_lib.training.looks import mean_loss

SIZE = 6


@pytest.fixture
def asked():
    torch.manual_seed(0)
    keep = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    return torch.randn(2, SIZE), torch.randn(2, 5, SIZE), keep


def test_a_rotation_keeps_lengths_and_angles_among_the_states(asked):
    turn = rotation(SIZE, 1)
    _, keys, _ = asked
    torch.testing.assert_close((keys @ turn) @ (keys @ turn).mT, keys @ keys.mT)
    assert not torch.allclose(turn, torch.eye(SIZE), atol=0.1)


@pytest.mark.parametrize("score", [DotAttention(), CosineAttention(3.0)])
def test_the_context_sums_the_states_as_they_are(score, asked):
    query, keys, keep = asked
    context, weights = turned(score, rotation(SIZE, 1))(query, keys, keep, 0)
    for b, kept in enumerate((5, 3)):
        expected = sum(weights[b, j] * keys[b, j] for j in range(kept))
        torch.testing.assert_close(context[b], expected)
    ours, theirs = turned(score, torch.eye(SIZE))(query, keys, keep, 0), score(query, keys, keep)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other)


def test_general_with_the_matrix_that_turns_back_is_dot(asked):
    turn, general = rotation(SIZE, 1), GeneralAttention(SIZE, SIZE)
    with torch.no_grad():
        general.W.weight.copy_(turn)  # W (Rᵀ h) = h
    dot, general = (
        turned(score, t)(*asked, 0) for score, t in ((DotAttention(), torch.eye(SIZE)), (general, turn))
    )
    for one, other in zip(dot, general, strict=True):
        torch.testing.assert_close(one, other)


def test_turned_states_cost_the_dot_score_much_and_general_learns():
    translator, pairs = load_translator("luong_dot"), load_tatoeba("fra").train
    some, others = (
        list(length_batches(tokenise(part, translator.encoding), 64, 0, seed=0))
        for part in (pairs[:640], pairs[-128:])
    )
    own = mean_loss(translator.model, turned(DotAttention(192**-0.5), torch.eye(192)), others)
    dot, untrained = turned_losses(translator.model, 0, [], others)
    _, trained = turned_losses(translator.model, 0, some, others)
    assert dot > own + 0.5
    assert trained < untrained - 0.1
