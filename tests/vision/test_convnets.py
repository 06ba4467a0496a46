"""Published networks: their counts are the papers' and other people's, their parts what the papers draw."""

from functools import partial

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from course_lib.vision import (
    INCEPTIONS,
    RESNETS,
    SMALL,
    VGG,
    Cost,
    Inception,
    Residual,
    alexnet,
    basic_block,
    bottleneck_block,
    googlenet,
    layer_costs,
    lenet,
    network_cost,
    network_in_network,
    resnet,
    vgg,
    vgg_features,
)
from course_lib.vision.convnets import response_normalisation
from course_lib.vision.inception import Widths
from course_lib.vision.network_cost import total

COLOUR, GREY = (3, 224, 224), (1, 28, 28)
EXACT = {"rtol": 0, "atol": 1e-10}


def parameters(build, shape=COLOUR):
    return network_cost(build, shape).parameters


@pytest.mark.parametrize(
    ("name", "millions"), [("A", 133), ("A-LRN", 133), ("B", 133), ("C", 134), ("D", 138), ("E", 144)]
)
def test_vgg_has_the_millions_of_table_2(name, millions):
    assert round(parameters(partial(vgg, name)) / 1e6) == millions
    layers = [word for word in VGG[name].split() if word not in ("|", "LRN")]
    assert len(layers) + 3 == {"A": 11, "A-LRN": 11, "B": 13, "C": 16, "D": 16, "E": 19}[name]


# Counted by torchvision, Keras (VGG) or Caffe (GoogLeNet) in networks of their own.
@pytest.mark.parametrize(
    ("build", "count"),
    [
        (partial(vgg, "D"), 138_357_544),
        (partial(vgg, "E"), 143_667_240),
        (googlenet, 6_998_552),
        (partial(resnet, "ResNet-18"), 11_689_512),
        (partial(resnet, "ResNet-34"), 21_797_672),
        (partial(resnet, "ResNet-50"), 25_557_032),
        (partial(resnet, "ResNet-101"), 44_549_160),
        (partial(resnet, "ResNet-152"), 60_192_808),
        (partial(resnet, "ResNeXt-50, 32×4d"), 25_028_904),
        (partial(resnet, "ResNeXt-101, 64×4d"), 83_455_272),
    ],
)
def test_the_counts_are_those_of_other_implementations(build, count):
    assert parameters(build) == count


def test_alexnet_has_sixty_million_parameters_and_650_thousand_neurons():
    layers = layer_costs(alexnet, COLOUR)
    assert total(layers).parameters / 1e6 == pytest.approx(60, rel=0.02)
    assert sum(layer.units for layer in layers) / 1e3 == pytest.approx(650, rel=0.02)
    # The paper lists the neurons of its layers; the first of its numbers does not fit 55 · 55 · 96.
    assert [layer.units for layer in layers[1:]] == [186_624, 64_896, 64_896, 43_264, 4096, 4096, 1000]


def test_googlenets_modules_have_the_sizes_of_table_1():
    thousands = [159, 380, 364, 437, 463, 580, 840, 1072, 1388]  # of 1,024
    millions = [128, 304, 73, 88, 100, 119, 170, 54, 71]
    layers = layer_costs(googlenet, COLOUR)
    for name, kilo, mega in zip(INCEPTIONS, thousands, millions, strict=True):
        cost = total(layer for layer in layers if layer.name.startswith(f"{name}."))
        close = 0.08 if name in ("4c", "5a") else 0.02  # these two do not follow from the table's own widths
        assert cost.parameters / 1024 == pytest.approx(kilo, rel=close)
        assert cost.multiply_adds / 1e6 == pytest.approx(mega, rel=close)
    assert 8 < parameters(alexnet) / total(layers).parameters < 12


def test_lenet_and_network_in_network_are_as_large_as_reported():
    assert parameters(lenet, GREY) == pytest.approx(60_000, rel=0.03)  # fewer in the paper: see its docstring
    assert parameters(network_in_network, (3, 32, 32)) == pytest.approx(0.97e6, rel=0.01)


def test_cardinality_costs_no_more_and_doubling_costs_double():
    costs = {name: network_cost(partial(resnet, name), COLOUR) for name in RESNETS}
    for one, other in (("ResNet-50", "ResNeXt-50, 32×4d"), ("ResNet-101", "ResNeXt-101, 32×4d")):
        for left, right in zip(costs[one], costs[other], strict=True):
            assert left / right == pytest.approx(1, abs=0.04)
    for name in ("ResNet-200", "ResNet-101, 1×100d", "ResNeXt-101, 2×64d", "ResNeXt-101, 64×4d"):
        assert costs[name].multiply_adds / costs["ResNet-101"].multiply_adds == pytest.approx(2, rel=0.05)


@pytest.mark.parametrize(
    ("build", "shape"),
    [
        (lenet, GREY),
        (network_in_network, (3, 32, 32)),
        (partial(resnet, "ResNet-18"), (3, 64, 64)),
        (partial(resnet, "ResNeXt-50, 32×4d"), (3, 64, 64)),
        *((build, GREY) for build in SMALL.values()),
    ],
)
def test_the_cost_is_what_torch_counts(build, shape):
    network = build().eval()
    with FlopCounterMode(display=False) as counter:
        assert network(torch.rand(1, *shape)).shape[0] == 1
    assert network_cost(build, shape) == Cost(
        sum(weight.numel() for weight in network.parameters()), counter.get_total_flops() // 2
    )


def test_counting_takes_no_memory_and_leaves_layers_in_order():
    layers = layer_costs(partial(vgg, "E"), COLOUR)
    assert [layer.outputs for layer in layers[-3:]] == [(4096,), (4096,), (1000,)]
    assert layers[0].outputs == (64, 224, 224) and layers[0].cost.parameters == 64 * (27 + 1)


def test_small_networks_cost_the_same_and_name_ten_classes():
    costs = {name: network_cost(build, GREY).multiply_adds for name, build in SMALL.items()}
    assert max(costs.values()) / min(costs.values()) < 1.15
    for build in SMALL.values():
        assert build()(torch.rand(2, *GREY)).shape == (2, 10)


def test_response_normalisation_is_alexnets():
    torch.manual_seed(0)
    x = 30 * torch.randn(1, 7, 2, 2).double()
    expected = torch.empty_like(x)
    for i in range(7):
        squares = x[:, max(0, i - 2) : i + 3].square().sum(dim=1)
        expected[:, i] = x[:, i] / (2 + 1e-4 * squares) ** 0.75
    torch.testing.assert_close(response_normalisation()(x), expected, **EXACT)


def test_an_inception_module_puts_four_convolutions_side_by_side():
    torch.manual_seed(0)
    module = Inception(5, Widths(3, 4, 6, 2, 5, 1)).double()
    x = torch.randn(2, 5, 9, 8).double()

    def conv(layer, x, padding=0):
        return functional.conv2d(x, layer.weight, layer.bias, padding=padding).relu()

    expected = [
        conv(module.one[0], x),
        conv(module.three[2], conv(module.three[0], x), 1),
        conv(module.five[2], conv(module.five[0], x), 2),
        conv(module.pool[1], functional.max_pool2d(x, 3, 1, 1)),
    ]
    assert [part.shape[1] for part in expected] == [3, 6, 5, 1]
    torch.testing.assert_close(module(x), torch.cat(expected, dim=1), **EXACT)


def test_a_block_that_learned_nothing_hands_its_input_on():
    x = torch.rand(2, 6, 5, 5)
    for block in (basic_block(6, 6), bottleneck_block(6, 3, 6)):
        nn.init.zeros_(block[0].branch[-1].weight)  # of the last normalisation
        torch.testing.assert_close(block(x), x)
    branch = nn.Conv2d(6, 6, 3, padding=1)
    torch.testing.assert_close(Residual(branch, None)(x), branch(x))


def test_where_a_stage_begins_the_side_halves_and_the_shortcut_is_a_convolution():
    x = torch.rand(2, 6, 8, 8)
    for block in (basic_block(6, 12, stride=2), bottleneck_block(6, 4, 12, stride=2, cardinality=2)):
        assert block(x).shape == (2, 12, 4, 4)
        assert block[0].shortcut[0].weight.shape == (12, 6, 1, 1)


def test_groups_are_a_sum_of_narrow_paths():
    # Xie et al. 2017, figure 3: (a), a sum of C transformations, equals (c), groups.
    torch.manual_seed(0)
    block = bottleneck_block(8, 6, 8, cardinality=3).double().eval()
    narrow, middle, wide = (block[0].branch[i].weight for i in (0, 3, 6))
    x = torch.randn(2, 8, 5, 5).double()
    scale = (1 + 1e-5) ** -0.5  # normalisation before training
    found = torch.zeros(2, 8, 5, 5).double()
    for i in range(3):
        own = slice(2 * i, 2 * i + 2)
        inner = functional.conv2d(x, narrow[own]).mul(scale).relu()
        inner = functional.conv2d(inner, middle[own], padding=1).mul(scale).relu()
        found += functional.conv2d(inner, wide[:, own]) * scale
    torch.testing.assert_close(block(x), (x + found).relu(), **EXACT)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: vgg("F"), "name is 'F'; allowed are 'A', 'A-LRN', 'B'"),
        (lambda: resnet("ResNet-51"), "name is 'ResNet-51'; allowed are 'ResNet-18'"),
        (lambda: vgg_features("3-64 x"), "'x' in the configuration; allowed are SIZE-OUTPUTS, LRN and"),
        (lambda: vgg_features("64"), "'64' in the configuration"),
        (lambda: network_cost(lenet, (3, 28, 28)), r"shape is \(3, 28, 28\); the network is for another one"),
        (lambda: network_cost(alexnet, (3, 32, 32)), r"shape is \(3, 32, 32\)"),
    ],
)
def test_what_does_not_exist_is_refused(make, told):
    with pytest.raises(ValueError, match=told):
        make()
