import pytest
import torch
from torch import nn
from torch.nn import functional

from course_lib.vision import (
    GlobalPoolingNetwork,
    adversarial_loss,
    fast_gradient_sign,
    iterated_gradient_sign,
    smallest_noise,
)


@pytest.fixture
def network():
    torch.manual_seed(0)
    return GlobalPoolingNetwork((4, 6), 5).eval()


@pytest.fixture
def pixels():
    return torch.rand(6, 1, 12, 12, generator=torch.Generator().manual_seed(1))


LABELS = torch.tensor([0, 1, 2, 3, 4, 0])


def linear(weights):
    made = nn.Sequential(nn.Flatten(), nn.Linear(weights.shape[1], len(weights), bias=False))
    made[1].weight = nn.Parameter(weights)
    return made


def test_of_two_classes_it_goes_along_the_sign_of_their_weights_difference():
    """J grows with w_other − w_true, whatever the picture."""
    weights = torch.tensor([[1.0, -2.0, 0.0, 3.0], [0.0, 1.0, 0.0, 4.0]])
    pixels = torch.full((2, 1, 2, 2), 0.5)
    found = fast_gradient_sign(linear(weights), pixels, torch.tensor([0, 1]), 0.1)
    away = torch.tensor([-1.0, 1, 0, 1]).view(1, 2, 2)
    torch.testing.assert_close(found, 0.5 + 0.1 * torch.stack([away, -away]))


@pytest.mark.parametrize("attack", [fast_gradient_sign, iterated_gradient_sign])
@pytest.mark.parametrize("epsilon", [0.0, 0.03, 0.25, 2.0])
def test_no_pixel_moves_further_than_epsilon_or_leaves_the_range(network, pixels, attack, epsilon):
    found = attack(network, pixels, LABELS, epsilon)
    assert found.min() >= 0 and found.max() <= 1
    assert (found - pixels).abs().max() <= epsilon + 1e-6
    if epsilon == 0:
        assert torch.equal(found, pixels)


def test_the_loss_rises_and_more_so_in_several_steps(network, pixels):
    def loss(batch):
        return functional.cross_entropy(network(batch), LABELS).item()

    once = loss(fast_gradient_sign(network, pixels, LABELS, 0.1))
    often = loss(iterated_gradient_sign(network, pixels, LABELS, 0.1))
    assert loss(pixels) < once < often


def test_each_picture_is_attacked_as_if_alone(network, pixels):
    together = fast_gradient_sign(network, pixels, LABELS, 0.1)
    alone = [fast_gradient_sign(network, pixels[i : i + 1], LABELS[i : i + 1], 0.1) for i in range(6)]
    assert torch.equal(together, torch.cat(alone))


def test_dropout_is_off_during_the_attack_and_the_mode_comes_back(pixels):
    torch.manual_seed(0)
    network = nn.Sequential(nn.Dropout(0.5), GlobalPoolingNetwork((4, 6), 5))
    network[1].features.eval()  # a frozen part
    before = {name: module.training for name, module in network.named_modules()}
    statistics = network[1].features[1].running_mean.clone()
    one, other = (fast_gradient_sign(network, pixels, LABELS, 0.1) for _ in range(2))
    assert torch.equal(one, other)
    assert {name: module.training for name, module in network.named_modules()} == before
    assert torch.equal(network[1].features[1].running_mean, statistics)


def test_the_adversarial_loss_is_the_mean_of_both_halves(network, pixels):
    attacked = fast_gradient_sign(network, pixels, LABELS, 0.1)
    halves = [functional.cross_entropy(network(batch), LABELS) for batch in (pixels, attacked)]
    torch.testing.assert_close(adversarial_loss(network, pixels, LABELS, 0.1), sum(halves) / 2)


def test_the_smallest_noise_of_a_linear_network_is_the_way_to_the_border():
    """The shortest way from one half of the plane to the other is the distance |w·x| / ‖w‖ to the line."""
    direction = torch.tensor([[0.6, -0.8, 0.0, 0.0]])
    network = linear(torch.cat([direction / 2, -direction / 2]) * 20)
    pixels = torch.tensor([0.6, 0.4, 0.5, 0.5]).view(1, 1, 2, 2)
    distance = (direction.flatten() @ pixels.flatten()).abs().item()
    found = smallest_noise(network, pixels, 1, weights=(1.0, 3.0, 8.0), steps=200, rate=2e-3)
    assert distance <= found.length < 1.15 * distance
    assert network(found.pixels).argmax() == 1 and found.probability > 0.5
    torch.testing.assert_close(found.pixels, pixels + found.noise)


def test_the_noise_keeps_the_range_and_makes_the_class(network, pixels):
    with torch.no_grad():
        network.classifier.weight *= 30  # random networks say the same of all pictures; this one does not
        network.classifier.bias.zero_()
    wanted = int(network(pixels[:1]).topk(2).indices[0, 1])
    found = smallest_noise(network, pixels[:1], wanted, weights=(0.01, 0.03), steps=150, rate=0.02)
    assert found is not None
    assert found.pixels.min() >= 0 and found.pixels.max() <= 1
    assert int(network(found.pixels).argmax()) == wanted


def test_where_no_noise_is_found_nothing_comes_back(network, pixels):
    wanted = int(network(pixels[:1]).argmin())
    assert smallest_noise(network, pixels[:1], wanted, weights=(1e6,), steps=3) is None


@pytest.mark.parametrize("attack", [fast_gradient_sign, iterated_gradient_sign])
@pytest.mark.parametrize("epsilon", [-0.1, float("nan")])
def test_an_epsilon_below_zero_is_refused(network, pixels, attack, epsilon):
    with pytest.raises(ValueError, match=f"epsilon must be 0 or more, got {epsilon}"):
        attack(network, pixels, LABELS, epsilon)


ATTACKS = [
    lambda network, pixels: fast_gradient_sign(network, pixels, LABELS, 0.1),
    lambda network, pixels: smallest_noise(network, pixels[:1], 1),
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_pictures_of_another_range_are_refused(network, pixels, attack):
    with pytest.raises(ValueError, match="pixels must lie between 0 and 1"):
        attack(network, pixels * 255)


def test_a_class_that_does_not_exist_is_refused(network, pixels):
    with pytest.raises(ValueError, match=r"classes from 0 to 4, got \[5\]"):
        smallest_noise(network, pixels[:1], 5)
    with pytest.raises(ValueError, match=r"classes from 0 to 4, got"):
        fast_gradient_sign(network, pixels, LABELS - 1, 0.1)
