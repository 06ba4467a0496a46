import math

import pytest
import torch
from torch.nn import functional

from course_lib.visual_attention.ram import Glimpses, RecurrentAttentionModel, ram_loss
from course_lib.visual_attention.retina import glimpse, sums

LOCATION = ("location.",)


def tiny(**changes) -> RecurrentAttentionModel:
    torch.manual_seed(0)
    sizes = {"classes": 3, "size": 2, "scales": 2, "glimpses": 2, "spread": 0.3, "hidden_size": 8}
    return RecurrentAttentionModel(**(sizes | changes))


def gradients(model: RecurrentAttentionModel) -> dict[str, torch.Tensor | None]:
    return {name: weight.grad for name, weight in model.named_parameters()}


def test_one_step_by_hand() -> None:
    model, pictures = tiny(glimpses=1), torch.rand(4, 6, 6)
    state = model.state_dict()

    def layer(name: str, values: torch.Tensor) -> torch.Tensor:
        return values @ state[f"{name}.weight"].T + state[f"{name}.bias"]

    here = torch.zeros(4, 2)
    what = layer("what", glimpse(pictures, here, 2, 2).flatten(1)).relu()
    where = layer("where", here).relu()
    seen = layer("joined", torch.cat([what, where], 1)).relu()
    hidden = (layer("W_h", torch.zeros(4, 8)) + layer("W_g", seen)).relu()
    torch.testing.assert_close(model(pictures).logits[:, 0], layer("answer", hidden))


def test_the_location_network_learns_through_log_pi_only() -> None:
    model, pictures = tiny(glimpses=3), torch.rand(5, 6, 6)
    run = model(pictures)
    assert not run.places.requires_grad
    run.logits.sum().backward(retain_graph=True)
    assert all(grad is None for name, grad in gradients(model).items() if name.startswith(LOCATION))
    model.zero_grad()
    run.log_probabilities.sum().backward()
    touched = {name for name, grad in gradients(model).items() if grad is not None and grad.any()}
    assert touched and all(name.startswith(LOCATION) for name in touched)


def test_the_baseline_learns_from_its_own_error_only() -> None:
    model, pictures = tiny(glimpses=3), torch.rand(5, 6, 6)
    model(pictures).baselines.square().sum().backward()
    touched = {name for name, grad in gradients(model).items() if grad is not None}
    assert touched == {"baseline.weight", "baseline.bias"}


def test_the_baseline_is_pulled_towards_what_the_answers_from_there_on_cost() -> None:
    baselines = torch.tensor([[0.3, 0.1]], requires_grad=True)
    run = Glimpses(torch.zeros(1, 2, 3), torch.zeros(1, 2, 2), torch.zeros(1, 2), baselines)  # ln 3 an answer
    ram_loss(run, torch.tensor([1])).backward()
    by_hand = [0.3 - math.log(3), 0.1 - math.log(3) / 2]  # half of 2 (b − C), as the mean is over two
    assert baselines.grad[0].tolist() == pytest.approx(by_hand)


def test_log_pi_is_that_of_a_normal_distribution_but_for_its_constant() -> None:
    model, pictures = tiny(), torch.rand(5, 6, 6)
    run = model(pictures)
    half = model.W_h.in_features
    hidden = (model.W_h(torch.zeros(5, half)) + model.W_g(model.see(sums(pictures), run.places[:, 0]))).relu()
    chance = torch.distributions.Normal(model.location(hidden), model.spread)
    constant = 2 * math.log(model.spread * math.sqrt(2 * math.pi))
    expected = chance.log_prob(run.places[:, 1]).sum(1) + constant
    torch.testing.assert_close(run.log_probabilities[:, 1], expected)


def test_the_mean_gradient_of_the_places_is_that_of_the_bound_over_all_places() -> None:
    """The expectation over l_2 is a sum over a fine grid of places; no draw, no REINFORCE."""
    model, picture = tiny(spread=0.4), torch.rand(1, 6, 6)
    label = torch.tensor([1])
    axis = torch.linspace(-3.2, 3.2, 257)
    grid = torch.cartesian_prod(axis, axis)
    hidden = (
        (model.W_h(torch.zeros(1, 8)) + model.W_g(model.see(sums(picture), torch.zeros(1, 2))))
        .relu()
        .detach()
    )
    with torch.no_grad():
        seen = model.see(sums(picture).expand(len(grid), -1, -1), grid)
        logits = model.answer((model.W_h(hidden) + model.W_g(seen)).relu())
        losses = functional.cross_entropy(logits, label.expand(len(grid)), reduction="none") / 2
    chances = torch.softmax(-((grid - model.location(hidden)) / 0.4).square().sum(1) / 2, dim=0)
    exact = torch.autograd.grad(chances @ losses, list(model.location.parameters()))

    runs, count = [], 1500
    generator = torch.Generator().manual_seed(0)
    for _ in range(40):
        run = model(picture.expand(count, -1, -1), generator)
        loss = ram_loss(run, label.expand(count))
        runs.append(torch.autograd.grad(loss, list(model.location.parameters())))
    for true, found in zip(exact, zip(*runs, strict=True), strict=True):
        estimates = torch.stack(found)
        error = estimates.std(0) / math.sqrt(len(estimates))
        assert ((estimates.mean(0) - true).abs() <= 6 * error + 1e-6).all()
    assert max(true.abs().max() for true in exact) > 1e-3  # else any estimate near 0 would pass


def test_the_mean_reward_is_no_more_than_the_logarithm_of_the_mean_chance() -> None:
    model, picture = tiny(), torch.rand(1, 6, 6)
    chances = model(picture.expand(500, -1, -1)).logits[:, -1].log_softmax(1)[:, 0]
    assert chances.mean() < chances.exp().mean().log()


def test_the_baselines_change_no_gradient_but_their_own_in_the_mean_loss() -> None:
    model, pictures, labels = tiny(), torch.rand(5, 6, 6), torch.tensor([0, 1, 2, 0, 1])
    run = model(pictures)
    ram_loss(run, labels).backward(retain_graph=True)
    answer = model.answer.weight.grad.clone()
    model.zero_grad()
    ram_loss(run._replace(baselines=run.baselines + 100), labels).backward()
    assert torch.equal(model.answer.weight.grad, answer)


def test_random_places_are_spread_over_the_whole_picture() -> None:
    run = tiny(at_random=True, glimpses=2)(torch.rand(2000, 6, 6))
    places = run.places[:, 1]
    assert places.abs().max() <= 1
    assert (places.std(0) > 0.5).all()  # 0.577 if even
    assert not run.log_probabilities.any()


def test_a_run_with_the_same_generator_is_the_same_run() -> None:
    model, pictures = tiny(glimpses=4), torch.rand(3, 6, 6)
    one, two = (model(pictures, torch.Generator().manual_seed(3)) for _ in range(2))
    assert torch.equal(one.places, two.places)
    assert not torch.equal(one.places, model(pictures, torch.Generator().manual_seed(4)).places)


@pytest.mark.parametrize(("name", "value"), [("glimpses", 0), ("spread", 0.0)])
def test_bad_sizes_are_refused(name, value) -> None:
    with pytest.raises(ValueError, match=f"{name} is {value:g}"):
        tiny(**{name: value})
