import pytest
import torch
from torch.nn import functional

from course_lib.attention import GeneralAttention
from course_lib.attention.hard import (
    HardAttention,
    cost_to_go,
    expected_loss,
    score_function_surrogate,
    sequence_surrogate,
)

DRAWS = 4000


def setting():
    """One question, a source of four positions (the last a pad), a target that position 1 is nearest to."""
    torch.manual_seed(3)
    hard = HardAttention(GeneralAttention(2, 3)).double()
    query, keys = torch.randn(1, 2).double(), torch.randn(1, 4, 3).double()
    return hard, query, keys, torch.tensor([[True, True, True, False]]), keys[:, 1] + 0.5


def exact_gradient():
    """The gradient of the expected loss with respect to the question, and the expected loss."""
    hard, query, keys, keep, target = setting()
    query.requires_grad_()
    _, weights = hard.attention(query, keys, keep)
    losses = 3 + (keys - target.unsqueeze(1)).square().sum(-1)
    expected = expected_loss(weights, losses)
    expected.backward()
    return query.grad[0], expected.item()


def sampled_gradients(baseline):
    """The score-function gradient of each of many single draws: one row of the batch a draw."""
    hard, query, keys, keep, target = setting()
    query = query.repeat(DRAWS, 1).requires_grad_()
    glimpse = hard(
        query, keys.expand(DRAWS, -1, -1), keep.expand(DRAWS, -1), torch.Generator().manual_seed(0)
    )
    loss = 3 + (glimpse.context - target).square().sum(-1)
    (DRAWS * score_function_surrogate(loss, glimpse.log_probability, baseline)).backward()
    return query.grad


def test_the_gradient_is_unbiased_and_a_baseline_lowers_its_variance_alone():
    exact, mean_loss = exact_gradient()
    without, with_baseline = sampled_gradients(0.0), sampled_gradients(mean_loss)
    for gradients in (without, with_baseline):
        z = (gradients.mean(0) - exact) / (gradients.std(0) / DRAWS**0.5)
        assert z.abs().max() < 4.5
    assert exact.abs().max() / (without.std(0).max() / DRAWS**0.5) > 4.5  # the test could tell it from 0
    assert with_baseline.var(0).sum() < 0.5 * without.var(0).sum()


def test_draws_follow_the_weights_and_never_hit_a_pad():
    hard, query, keys, keep, _ = setting()
    many = DRAWS
    glimpse = hard(
        query.expand(many, -1),
        keys.expand(many, -1, -1),
        keep.expand(many, -1),
        torch.Generator().manual_seed(1),
    )
    share = functional.one_hot(glimpse.location, 4).double().mean(0)
    p = glimpse.weights[0]
    assert share[3] == 0 and ((share - p).abs() <= 4.5 * (p * (1 - p) / many).sqrt()).all()
    torch.testing.assert_close(glimpse.context, keys[0, glimpse.location])


def test_the_place_acts_without_a_gradient_and_its_log_probability_has_one():
    hard, query, keys, keep, target = setting()
    glimpse = hard(query, keys, keep)
    assert not glimpse.context.requires_grad and not glimpse.location.requires_grad
    assert glimpse.log_probability.requires_grad
    learned = torch.tensor([5.0]).double().requires_grad_()
    score_function_surrogate(
        (glimpse.context - target).square().sum(-1), glimpse.log_probability, learned
    ).backward()
    assert learned.grad is None  # a baseline is no way for the score to be trained


def test_the_loss_keeps_its_own_gradient():
    loss = torch.tensor([2.0, 4.0], requires_grad=True)
    score_function_surrogate(loss, torch.tensor([-1.0, -2.0]), 1.0).backward()
    torch.testing.assert_close(loss.grad, torch.tensor([0.5, 0.5]))


def test_a_row_that_keeps_nothing_gives_zeros_and_finite_gradients():
    hard, query, keys, keep, _ = setting()
    glimpse = hard(query, keys, torch.zeros_like(keep))
    (glimpse.context.sum() + glimpse.log_probability.sum()).backward()
    assert glimpse.context.count_nonzero() == 0 and glimpse.log_probability.item() == 0
    assert hard.attention.W.weight.grad.isfinite().all()


def test_the_cost_to_go_counts_from_each_step_on():
    losses = torch.tensor([[1.0, 2.0, 4.0], [3.0, 5.0, 0.0]])
    assert cost_to_go(losses).tolist() == [[7.0, 6.0, 4.0], [8.0, 5.0, 0.0]]


def test_over_a_sequence_of_draws_the_gradient_is_exact_in_the_mean():
    """Two draws, the second loss depends on both: weigh the gradient of each outcome by its probability."""
    torch.manual_seed(0)
    scores = torch.randn(2, 3).double().requires_grad_()
    first, second = torch.randn(3).double(), torch.randn(3, 3).double()
    log_p = scores.log_softmax(dim=1)
    joint = log_p[0].exp().unsqueeze(1) * log_p[1].exp()
    (exact,) = torch.autograd.grad((joint * (first.unsqueeze(1) + second)).sum(), scores, retain_graph=True)
    for baseline in (0.0, torch.tensor([[0.7, -2.0]]).double()):
        mean = torch.zeros_like(exact)
        for i in range(3):
            for j in range(3):
                losses = torch.stack([first[i], second[i, j]]).unsqueeze(0)
                drawn = torch.stack([log_p[0, i], log_p[1, j]]).unsqueeze(0)
                surrogate = sequence_surrogate(losses, drawn, baseline)
                (gradient,) = torch.autograd.grad(surrogate, scores, retain_graph=True)
                mean += joint[i, j].detach() * gradient
        torch.testing.assert_close(mean, exact)


def test_surrogates_are_means_over_the_batch():
    torch.manual_seed(0)
    losses, log_p, baseline = torch.randn(3, 4), torch.randn(3, 4), torch.randn(3, 4)
    one_by_one = [
        score_function_surrogate(losses[i : i + 1, 0], log_p[i : i + 1, 0], baseline[i : i + 1, 0])
        for i in range(3)
    ]
    together = score_function_surrogate(losses[:, 0], log_p[:, 0], baseline[:, 0])
    torch.testing.assert_close(together, sum(one_by_one) / 3)
    rows = [sequence_surrogate(*(part[i : i + 1] for part in (losses, log_p, baseline))) for i in range(3)]
    torch.testing.assert_close(sequence_surrogate(losses, log_p, baseline), sum(rows) / 3)


def test_the_baseline_is_taken_off_what_a_draw_can_still_cost():
    """Row by row: Σ_t L_t + (C_t − b_t) log α_t, by hand."""
    losses, log_p = torch.tensor([[1.0, 2.0], [4.0, 0.0]]), torch.tensor([[-1.0, -3.0], [-2.0, 0.0]])
    baseline = torch.tensor([[0.5, 1.0], [5.0, 9.0]])
    first = (1 + (3 - 0.5) * -1) + (2 + (2 - 1) * -3)
    second = 4 + (4 - 5) * -2
    assert sequence_surrogate(losses, log_p, baseline).item() == pytest.approx((first + second) / 2)
