import pytest
import torch
from torch import nn

from course_lib.vision import (
    GlobalPoolingNetwork,
    Watched,
    cam,
    data_gradient,
    enlarged,
    explain,
    grad_cam,
    grad_cam_plus_plus,
    points_inside,
    saliency,
    watch,
)


@pytest.fixture
def network():
    torch.manual_seed(0)
    return GlobalPoolingNetwork((4, 6), 5).double().eval()


@pytest.fixture
def pixels():
    return torch.rand(3, 1, 12, 12, generator=torch.Generator().manual_seed(1)).double()


def test_the_data_gradient_of_a_linear_network_is_its_weights():
    linear = nn.Sequential(nn.Flatten(), nn.Linear(2 * 3 * 4, 5)).double()
    classes = torch.tensor([4, 0])
    gradient = data_gradient(linear, torch.rand(2, 2, 3, 4).double(), classes)
    assert torch.equal(gradient.flatten(1), linear[1].weight[classes])


def test_a_small_change_moves_the_score_by_the_gradient_times_the_change(network, pixels):
    classes = torch.tensor([0, 1, 2])
    gradient = data_gradient(network, pixels, classes)
    change = 1e-7 * torch.randn(pixels.shape, generator=torch.Generator().manual_seed(2)).double()
    with torch.no_grad():
        moved = (network(pixels + change) - network(pixels))[range(3), classes]
    torch.testing.assert_close((gradient * change).sum((1, 2, 3)), moved, rtol=1e-4, atol=1e-12)


def test_saliency_is_the_largest_colour_whatever_its_sign():
    assert saliency(torch.tensor([[[[1.0]], [[-3.0]], [[2.0]]]])).tolist() == [[[3.0]]]


def test_each_picture_has_its_own_gradient(network, pixels):
    together = data_gradient(network, pixels, torch.tensor([0, 3, 3]))
    first = data_gradient(network, pixels[:1], torch.tensor([0]))
    torch.testing.assert_close(together[:1], first)


def test_with_means_before_the_scores_grad_cam_is_cam_but_for_a_factor(network, pixels):
    classes = torch.tensor([1, 4, 0])
    watched = watch(network, network.features, pixels, classes)
    exact = cam(watched.maps, network.classifier.weight[classes])
    places = watched.maps[0, 0].numel()
    torch.testing.assert_close(grad_cam(watched) * places, exact.relu())
    torch.testing.assert_close(explain(network, pixels, classes, "CAM"), exact.relu())


def test_the_mean_of_cam_is_the_score_but_for_the_bias(network, pixels):
    classes = torch.tensor([1, 4, 0])
    watched = watch(network, network.features, pixels, classes)
    scores = network(pixels)[range(3), classes]
    exact = cam(watched.maps, network.classifier.weight[classes]).mean((1, 2))
    torch.testing.assert_close(exact + network.classifier.bias[classes], scores)


def test_the_relu_is_on_the_map_and_not_on_the_gradients():
    """Two maps, one for the class, one against it: where both are, they cancel."""
    maps = torch.tensor([[[[1.0, 1.0]], [[0.0, 1.0]]]])
    gradients = torch.tensor([[[[2.0, 2.0]], [[-3.0, -3.0]]]])
    assert grad_cam(Watched(maps, gradients)).tolist() == [[[2.0, 0.0]]]


def test_grad_cam_plus_plus_is_that_of_derivatives_of_an_exponential():
    """α = Y'' / (2 Y'' + Σ A · Y''') with Y = exp(S), derivatives by autograd; S is linear in the maps."""
    generator = torch.Generator().manual_seed(0)
    maps = torch.rand(1, 3, 2, 2, generator=generator).double()
    weights = torch.randn(1, 3, 2, 2, generator=generator).double()

    def derivative(order: int) -> torch.Tensor:
        """∂ⁿ exp(S) / ∂A(i)ⁿ, of each place by itself."""
        found = torch.zeros_like(maps)
        for i in zip(*torch.where(maps > -1), strict=True):
            a = maps[i].clone().requires_grad_()
            rest = (weights * maps).sum() - weights[i] * maps[i]
            value = torch.exp(rest + weights[i] * a)
            for _ in range(order):
                (value,) = torch.autograd.grad(value, a, create_graph=True)
            found[i] = value.detach()
        return found

    second, third = derivative(2), derivative(3)
    alpha = second / (2 * second + maps.sum((2, 3), keepdim=True) * third)
    expected = cam(maps, (alpha * derivative(1).relu()).sum((2, 3))).relu()
    found = grad_cam_plus_plus(Watched(maps, weights))
    torch.testing.assert_close(found * torch.exp((weights * maps).sum()), expected)


def test_an_activation_that_works_in_place_changes_neither_maps_nor_gradients(pixels):
    torch.manual_seed(0)
    layers = nn.Conv2d(1, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 5)
    networks = [nn.Sequential(layers[0], nn.ReLU(inplace), *layers[1:]).double() for inplace in (False, True)]
    one, other = (watch(network, network[0], pixels, torch.tensor([0, 1, 2])) for network in networks)
    assert one.maps.min() < 0  # before the ReLU
    for ours, theirs in zip(one, other, strict=True):
        assert torch.equal(ours, theirs)


def test_watching_leaves_no_hook_behind_even_after_an_error(network, pixels):
    before = network(pixels)
    with pytest.raises(ValueError, match="classes"):
        watch(network, network.features, pixels, torch.tensor([0, 1, 9]))
    assert not network.features._forward_hooks and torch.equal(network(pixels), before)


def test_it_works_where_gradients_are_switched_off(network, pixels):
    with torch.no_grad():
        assert watch(network, network.features, pixels, torch.tensor([0, 1, 2])).gradients.abs().sum() > 0


@pytest.mark.parametrize("method", [grad_cam, grad_cam_plus_plus])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_where_nothing_speaks_for_the_class_the_map_is_zero(method, value):
    maps = torch.full((1, 2, 3, 3), value)
    found = method(Watched(maps, -torch.ones_like(maps)))
    assert torch.equal(found, torch.zeros(1, 3, 3))
    assert torch.equal(enlarged(found, (6, 6)), torch.zeros(1, 6, 6))


def test_a_gradient_of_zero_gives_zero_and_not_nan():
    maps = torch.rand(1, 2, 3, 3)
    assert torch.equal(grad_cam_plus_plus(Watched(maps, torch.zeros_like(maps))), torch.zeros(1, 3, 3))


def test_enlarged_maps_are_as_large_as_asked_and_at_most_one():
    large = enlarged(torch.tensor([[[0.0, 2.0], [4.0, 0.0]]]), (8, 6))
    assert large.shape == (1, 8, 6) and large.max() == 1
    assert large[0, 6:, :1].min() == 1 and large[0, 0, 0] == 0


def test_the_pointing_game_counts_the_largest_place():
    maps = torch.zeros(4, 10, 10)
    for i, place in enumerate([(2, 3), (5, 6), (6, 6)]):
        maps[i][place] = 1
    inside = points_inside(maps, torch.tensor([[2, 3], [2, 3], [2, 3], [0, 0]]), 4)
    assert inside.tolist() == [True, True, False, False]  # the last map is empty: it points nowhere


@pytest.mark.parametrize("classes", [[0, 1, 5], [-1, 0, 0]])
def test_a_class_that_does_not_exist_is_refused(network, pixels, classes):
    with pytest.raises(ValueError, match="classes must be 3 numbers from 0 to 4"):
        data_gradient(network, pixels, torch.tensor(classes))


def test_a_method_that_does_not_exist_is_refused(network, pixels):
    with pytest.raises(ValueError, match="'Grad-CAM' and 'Grad-CAM"):
        explain.__wrapped__(network, pixels, torch.tensor([0, 1, 2]), "LIME")
