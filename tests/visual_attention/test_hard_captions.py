"""Hard attention against enumeration: three places, three steps, so 27 ways to look."""

import math
from itertools import product

import pytest
import torch
from torch import nn
from torch.nn import functional

from course_lib.attention import cost_to_go
from course_lib.data.special import PAD
from course_lib.visual_attention import (
    Captioner,
    CaptionRun,
    MovingBaseline,
    caption_decoder,
    hard_attention_loss,
)

PLACES, DRAWS = 3, 6000


def setting():
    """A picture of three places and the caption "fish red"; weights large enough to matter."""
    torch.manual_seed(5)
    model = Captioner(nn.Identity(), caption_decoder("hard", 1, 2, 3, 4, 3), ("red", "fish"), 3).double()
    for parameter in model.parameters():
        parameter.data *= 3
    captions = model.encode(["fish red"])
    return model.eval(), torch.randn(1, PLACES, 2).double(), captions


def every_look(model, a, captions):
    """log p(s | a) and log p(y | s, a) of each way to look."""
    looks = torch.tensor(list(product(range(PLACES), repeat=captions.shape[1] - 1)))
    run = model(a.expand(len(looks), -1, -1), captions[:, :-1].expand(len(looks), -1), looks)
    losses = functional.cross_entropy(
        run.logits.transpose(1, 2), captions[:, 1:].expand(len(looks), -1), reduction="none"
    )
    return run.log_probabilities.sum(dim=1), -losses.sum(dim=1), run


def test_the_ways_to_look_are_a_distribution_and_the_bound_is_below_the_likelihood():
    model, a, captions = setting()
    looking, telling, _ = every_look(model, a, captions)
    assert looking.exp().sum().item() == pytest.approx(1)
    bound = (looking.exp() * telling).sum().item()
    likelihood = torch.logsumexp(looking + telling, dim=0).item()
    assert bound < likelihood - 1e-3
    assert (looking.exp() * telling.exp()).sum().log().item() == pytest.approx(likelihood)


def sampled_gradients(reward=1.0, entropy=0.0, baseline=0.0):
    """Of each of many draws the gradient with respect to the picture: a row of the batch a draw."""
    model, a, captions = setting()
    model.train()  # draws; there is nothing else in it that training changes
    torch.manual_seed(0)
    a = a.repeat(DRAWS, 1, 1).requires_grad_()
    captions = captions.expand(DRAWS, -1)
    moving = MovingBaseline(3).double()
    moving.costs.fill_(baseline * (1 - 0.9))
    moving.batches.fill_(1)
    run = model(a, captions[:, :-1])
    loss, cost = hard_attention_loss(run, captions[:, 1:], PAD, moving, reward, entropy)
    (DRAWS * loss).backward()
    return a.grad, cost


def exact_gradient():
    model, a, captions = setting()
    a.requires_grad_()
    looking, telling, run = every_look(model, a, captions)
    bound = (looking.exp() * telling).sum()
    (-bound).backward()
    return a.grad[0], -bound.item(), run


@pytest.mark.parametrize("baseline", [0.0, 2.0])
def test_the_gradient_is_right_in_the_mean_with_any_baseline(baseline):
    exact, cost, _ = exact_gradient()
    found, estimate = sampled_gradients(baseline=baseline)
    error = found.std(dim=0) / DRAWS**0.5
    assert ((found.mean(dim=0) - exact) / error).abs().max() < 4.5
    assert (exact / error).abs().max() > 4.5  # it could be told from 0
    assert estimate.item() == pytest.approx(cost, rel=0.1)


def test_a_draw_is_paid_for_what_its_words_cost_beside_the_baseline():
    logits, following = torch.zeros(1, 3, 4), torch.ones(1, 3).long()  # ln 4 nats a word
    drawn, moving = torch.zeros(1, 3, requires_grad=True), MovingBaseline(3)
    moving.update(torch.tensor([[1.0, 2.0, 0.5]]), torch.ones(1, 3))
    run = CaptionRun(logits, torch.full((1, 3, 2), 0.5), drawn)
    hard_attention_loss(run, following, PAD, moving, 0.7, 0.0)[0].backward()
    word = math.log(4)
    by_hand = [0.7 * (3 * word - 1), 0.7 * (2 * word - 2), 0.7 * (word - 0.5)]
    assert drawn.grad[0].tolist() == pytest.approx(by_hand)


def test_without_the_reward_no_draw_learns():
    exact, *_ = exact_gradient()
    found, _ = sampled_gradients(reward=0.0)
    error = found.std(dim=0) / DRAWS**0.5
    assert ((found.mean(dim=0) - exact) / error).abs().max() > 4.5


def test_the_entropy_counts_with_its_sign_and_factor():
    model, a, captions = setting()
    run = model(a, captions[:, :-1])
    following = captions[:, 1:]
    plain, with_entropy = (
        hard_attention_loss(run, following, PAD, MovingBaseline(3), 1.0, factor)[0] for factor in (0.0, 0.5)
    )
    by_hand = -sum(p * p.log() for p in run.weights.flatten())
    torch.testing.assert_close(plain - with_entropy, 0.5 * by_hand)


def test_padding_is_no_look_and_costs_nothing():
    model, a, captions = setting()
    places = torch.tensor([[0, 2, 1]])

    def gradients(padding):
        model.zero_grad()
        longer = functional.pad(captions, (0, padding), value=PAD)
        run = model(a, longer[:, :-1], functional.pad(places, (0, padding)))
        moving = MovingBaseline(7).double()
        moving.update(torch.full((1, 7), 2.0).double(), torch.ones(1, 7).double())  # of longer captions
        loss, cost = hard_attention_loss(run, longer[:, 1:], PAD, moving, 0.7, 0.3)
        loss.backward()
        return [loss.detach(), cost, *(p.grad.clone() for p in model.parameters() if p.grad is not None)]

    for short, long in zip(gradients(0), gradients(4), strict=True):
        torch.testing.assert_close(short, long)


def test_the_baseline_is_a_moving_mean_of_real_words_costs():
    moving = MovingBaseline(3)
    costs, real = torch.tensor([[3.0, 1.0], [5.0, 0.0]]), torch.tensor([[1.0, 1.0], [1.0, 0.0]])
    assert moving.update(costs, real).tolist() == [0.0, 0.0]
    longer = cost_to_go(torch.tensor([[1.0, 0.0, 2.0]]))
    assert moving.update(longer, torch.ones(1, 3)).tolist() == pytest.approx([4.0, 1.0, 0.0])
    weights = torch.tensor([0.9, 1.0]) / 1.9  # of the first batch and of the second
    third = moving.update(longer, torch.ones(1, 3))
    by_hand = [4 * weights[0] + 3 * weights[1], weights[0] + 2 * weights[1], 2 * weights[1]]
    assert third.tolist() == pytest.approx([value.item() for value in by_hand])
    with pytest.raises(ValueError, match="captions have 4 words; allowed are up to 3"):
        moving.update(torch.zeros(1, 4), torch.ones(1, 4))


def test_as_many_looks_are_drawn_as_was_asked_for():
    model, a, captions = setting()
    model.train()
    torch.manual_seed(0)
    many = a.expand(2000, -1, -1), captions[:, :-1].expand(2000, -1)
    for share in (0.0, 0.5, 1.0):
        model.decoder.drawn = share
        drawn = (model(*many).log_probabilities != 0).double().mean().item()
        assert abs(drawn - share) < 0.03 and (share != 1.0 or drawn == 1)
    soft = Captioner(nn.Identity(), caption_decoder("soft", 1, 2, 3, 4, 3), ("red", "fish"), 3).double()
    soft.load_state_dict(model.state_dict())
    model.decoder.drawn = 0.0
    torch.testing.assert_close(model(a, captions[:, :-1]).logits, soft(a, captions[:, :-1]).logits)


def test_after_training_the_likeliest_place_is_looked_at():
    model, a, captions = setting()
    run = model(a, captions[:, :-1])
    chosen = run.weights.argmax(dim=2)
    torch.testing.assert_close(run.log_probabilities, run.weights.amax(dim=2).log())
    torch.testing.assert_close(run.logits, model(a, captions[:, :-1], chosen).logits)


def test_a_run_that_drew_nothing_is_refused():
    soft, words = CaptionRun(torch.zeros(1, 1, 3), None, None), torch.ones(1, 1).long()
    with pytest.raises(ValueError, match="drew no place"):
        hard_attention_loss(soft, words, PAD, MovingBaseline(1), 1.0, 0.0)
