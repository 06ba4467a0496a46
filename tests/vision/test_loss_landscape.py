"""The loss around weights: lengths of filters by hand, and the same picture for networks that do the same."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from course_lib.vision import ResidualStack, loss_surface, normalise_filters, random_direction

STEPS = (-0.5, 0.0, 1.0)


def pictures():
    return torch.rand(6, 1, 8, 8, generator=torch.Generator().manual_seed(1)).double()


def loss(network):
    return functional.cross_entropy(network(pictures()), torch.arange(6))


def plain():
    torch.manual_seed(0)
    layers = [nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 5, 3), nn.ReLU(), nn.Flatten(), nn.Linear(80, 6)]
    for layer in layers[::2]:
        if hasattr(layer, "bias"):
            nn.init.zeros_(layer.bias)  # a bias does not grow with its filter
    return nn.Sequential(*layers).double().eval()


def surface(network, scaled=lambda direction, network: direction):
    generator = torch.Generator().manual_seed(2)
    network.double()
    directions = tuple(scaled(random_direction(network, generator), network) for _ in range(2))
    return loss_surface(network, loss, directions, STEPS)


def test_each_filter_of_a_direction_is_as_long_as_that_of_the_weights():
    weight = torch.tensor([[3.0, 4.0], [0.0, 0.0], [0.0, 2.0]])
    direction = torch.tensor([[0.0, 7.0], [1.0, 1.0], [0.0, 0.0]])
    expected = [[0.0, 5.0], [0.0, 0.0], [0.0, 0.0]]  # a zero filter and a zero direction give 0, not 0/0
    assert normalise_filters(direction, weight).tolist() == expected
    assert normalise_filters(torch.ones(3), torch.rand(3)).tolist() == [0, 0, 0]


def test_directions_leave_biases_and_normalisation_alone():
    network = ResidualStack(1, width=3)
    direction = random_direction(network, torch.Generator().manual_seed(0))
    moved = {name for name, values in direction.items() if values.any()}
    assert moved == {name for name, weight in network.named_parameters() if weight.dim() > 1}
    filters = network.stem.weight.flatten(1).norm(dim=1)
    torch.testing.assert_close(direction["stem.weight"].flatten(1).norm(dim=1), filters)


@torch.no_grad()
def rescaled(network):
    """The same function: filters of the first layer times 10, what reads them divided by 10."""
    network[0].weight *= 10
    network[2].weight /= 10
    return network


def test_a_network_that_does_the_same_has_the_same_surface():
    original, other = plain(), rescaled(plain())
    torch.testing.assert_close(original(pictures()), other(pictures()))
    torch.testing.assert_close(surface(original), surface(other))

    def unscaled(direction, network):
        generator = torch.Generator().manual_seed(3)
        return {name: torch.randn(w.shape, generator=generator).double() for name, w in direction.items()}

    raw = surface(plain(), unscaled), surface(rescaled(plain()), unscaled)
    assert not torch.allclose(*raw, rtol=0.1)


def test_the_middle_is_the_loss_and_other_places_are_moved_weights():
    network = plain()
    before = {name: weight.clone() for name, weight in network.state_dict().items()}
    generator = torch.Generator().manual_seed(2)
    directions = random_direction(network, generator), random_direction(network, generator)
    found = loss_surface(network, loss, directions, STEPS)
    assert found.shape == (3, 3) and found[1, 1] == loss(network)
    assert all(torch.equal(before[name], weight) for name, weight in network.state_dict().items())
    with torch.no_grad():
        for name, weight in network.named_parameters():
            weight += 1.0 * directions[0][name] - 0.5 * directions[1][name]
    assert found[2, 0].item() == pytest.approx(loss(network).item())
