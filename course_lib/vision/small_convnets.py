"""Small relatives of the published networks, for grey pictures of 28×28, all of about the same cost.

Each keeps what its paper brought: kernels in two groups, piles of 3×3, sizes side by side, classes as maps,
shortcuts, groups in a bottleneck. Each costs about 2.5 million multiply-adds for one picture.
"""

from collections.abc import Callable

from torch import nn

from course_lib.vision.convnets import (
    dense_head,
    global_average,
    lenet,
    mlpconv,
    relu_convolution,
    vgg_features,
)
from course_lib.vision.inception import Inception, Widths
from course_lib.vision.residual import basic_block, bottleneck_block, normalised

CLASSES = 10


def small_lenet() -> nn.Module:
    """Return LeNet-5 with three times as many maps."""
    return lenet(CLASSES, (18, 46, 120, 84))


def small_alexnet() -> nn.Module:
    """Return five convolutions, three of them in two groups, and two linear layers."""
    return nn.Sequential(
        *relu_convolution(1, 16, 5),
        nn.MaxPool2d(3, 2),  # 28 → 13
        *relu_convolution(16, 32, 5, groups=2),
        nn.MaxPool2d(3, 2),  # 13 → 6
        *relu_convolution(32, 48, 3),
        *relu_convolution(48, 48, 3, groups=2),
        *relu_convolution(48, 32, 3, groups=2),
        nn.MaxPool2d(3, 2),  # 6 → 2
        *dense_head(32 * 2 * 2, 64, CLASSES),
    )


def small_vgg() -> nn.Module:
    """Return six 3×3 convolutions in three stages, and two linear layers."""
    return nn.Sequential(
        *vgg_features("3-9 3-9 | 3-18 3-18 | 3-40 3-40 |", channels=1),
        *dense_head(40 * 3 * 3, 64, CLASSES),
    )


def small_googlenet() -> nn.Module:
    """Return two modules of convolutions of different sizes, at 14×14 and at 7×7."""
    first, second = Widths(12, 12, 20, 4, 10, 6), Widths(28, 20, 52, 8, 20, 12)
    return nn.Sequential(
        *relu_convolution(1, 16, 5, stride=2),
        Inception(16, first),
        Inception(first.outputs, first),
        nn.MaxPool2d(3, 2, padding=1),  # 14 → 7
        Inception(first.outputs, second),
        *global_average(),
        nn.Linear(second.outputs, CLASSES),
    )


def small_network_in_network() -> nn.Module:
    """Return three convolutions with 1×1 convolutions on top; the last maps are the classes."""
    return nn.Sequential(
        *mlpconv(1, 5, 18, 16, 14),
        nn.MaxPool2d(3, 2, padding=1),  # 28 → 14
        *mlpconv(14, 5, 18, 18, 18),
        nn.MaxPool2d(3, 2, padding=1),  # 14 → 7
        *mlpconv(18, 3, 40, 40, CLASSES),
        *global_average(),
    )


def small_resnet() -> nn.Module:
    """Return four blocks of two 3×3 convolutions."""
    return nn.Sequential(
        *normalised(1, 14, 3, stride=2),
        nn.ReLU(),
        basic_block(14, 14),
        basic_block(14, 14),
        basic_block(14, 28, stride=2),
        basic_block(28, 28),
        *global_average(),
        nn.Linear(28, CLASSES),
    )


def small_resnext() -> nn.Module:
    """Return four bottlenecks with their 3×3 in eight groups."""
    return nn.Sequential(
        *normalised(1, 16, 3, stride=2),
        nn.ReLU(),
        bottleneck_block(16, 24, 48, cardinality=8),
        bottleneck_block(48, 24, 48, cardinality=8),
        bottleneck_block(48, 48, 96, stride=2, cardinality=8),
        bottleneck_block(96, 48, 96, cardinality=8),
        *global_average(),
        nn.Linear(96, CLASSES),
    )


SMALL: dict[str, Callable[[], nn.Module]] = {
    "LeNet": small_lenet,
    "AlexNet": small_alexnet,
    "VGG": small_vgg,
    "GoogLeNet": small_googlenet,
    "Network in network": small_network_in_network,
    "ResNet": small_resnet,
    "ResNeXt": small_resnext,
}
