"""Published networks that are one layer after another: LeNet, AlexNet, VGG, Network in network.

Each is written as its paper's table lists it. What it costs: `layer_costs`.

LeCun et al. 1998, figure 2; Krizhevsky, Sutskever and Hinton 2012, section 3.5; Simonyan and Zisserman 2015,
table 1; Lin, Chen and Yan 2014, section 3.
"""

from itertools import pairwise

from torch import nn

# Columns of table 1: "3-64" is a 3×3 convolution with 64 outputs and a ReLU, "|" a max pooling of 2×2.
VGG = {
    "A": "3-64 | 3-128 | 3-256 3-256 | 3-512 3-512 | 3-512 3-512 |",
    "A-LRN": "3-64 LRN | 3-128 | 3-256 3-256 | 3-512 3-512 | 3-512 3-512 |",
    "B": "3-64 3-64 | 3-128 3-128 | 3-256 3-256 | 3-512 3-512 | 3-512 3-512 |",
    "C": "3-64 3-64 | 3-128 3-128 | 3-256 3-256 1-256 | 3-512 3-512 1-512 | 3-512 3-512 1-512 |",
    "D": "3-64 3-64 | 3-128 3-128 | 3-256 3-256 3-256 | 3-512 3-512 3-512 | 3-512 3-512 3-512 |",
    "E": "3-64 3-64 | 3-128 3-128 | 3-256 3-256 3-256 3-256 | 3-512 3-512 3-512 3-512 "
    "| 3-512 3-512 3-512 3-512 |",
}


def relu_convolution(
    inputs: int, outputs: int, size: int, stride: int = 1, groups: int = 1
) -> tuple[nn.Module, nn.Module]:
    """Return a convolution, padded so that stride 1 keeps the size of the picture, and its ReLU."""
    return nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups), nn.ReLU()


def response_normalisation() -> nn.Module:
    """Return the normalisation across channels of AlexNet: x / (2 + 10⁻⁴ Σ x²)^¾ over five neighbours."""
    return nn.LocalResponseNorm(5, alpha=5e-4, beta=0.75, k=2.0)  # torch takes the mean of the squares


def dense_head(*sizes: int, dropout: float = 0.5) -> list[nn.Module]:
    """Return linear layers of these sizes with ReLU and dropout between them, on a flattened picture."""
    layers: list[nn.Module] = [nn.Flatten()]
    for inputs, outputs in pairwise(sizes[:-1]):
        layers += [nn.Linear(inputs, outputs), nn.ReLU(), nn.Dropout(dropout)]
    return [*layers, nn.Linear(sizes[-2], sizes[-1])]


def lenet(classes: int = 10, widths: tuple[int, int, int, int] = (6, 16, 120, 84)) -> nn.Sequential:
    """Return LeNet-5 for grey pictures of 28×28, in today's parts.

    The paper's own averages have weights, each of its second maps sees only some of the first, and its output
    compares with drawn letters; here are plain averages, all maps, and a linear layer.

    Args:
        classes: to tell apart.
        widths: maps, maps, units, units.
    """
    first, second, third, fourth = widths
    return nn.Sequential(
        nn.Conv2d(1, first, 5, padding=2),
        nn.Tanh(),
        nn.AvgPool2d(2),  # 28 → 14
        nn.Conv2d(first, second, 5),
        nn.Tanh(),
        nn.AvgPool2d(2),  # 10 → 5
        nn.Conv2d(second, third, 5),
        nn.Tanh(),
        nn.Flatten(),
        nn.Linear(third, fourth),
        nn.Tanh(),
        nn.Linear(fourth, classes),
    )


def alexnet(classes: int = 1000) -> nn.Sequential:
    """Return AlexNet for colour pictures of 224×224. Two groups were two GPUs, which rarely talked."""
    return nn.Sequential(
        nn.Conv2d(3, 96, 11, stride=4, padding=2),  # 224 → 55
        nn.ReLU(),
        response_normalisation(),
        nn.MaxPool2d(3, 2),
        *relu_convolution(96, 256, 5, groups=2),
        response_normalisation(),
        nn.MaxPool2d(3, 2),
        *relu_convolution(256, 384, 3),
        *relu_convolution(384, 384, 3, groups=2),
        *relu_convolution(384, 256, 3, groups=2),
        nn.MaxPool2d(3, 2),
        *dense_head(256 * 6 * 6, 4096, 4096, classes),
    )


def vgg_features(configuration: str, channels: int = 3) -> nn.Sequential:
    """Return the convolutions and poolings that a line of `VGG` lists.

    Args:
        configuration: words "SIZE-OUTPUTS", "LRN" and "|".
        channels: of the picture.

    Raises:
        ValueError: another word.
    """
    layers: list[nn.Module] = []
    for word in configuration.split():
        size, dash, outputs = word.partition("-")
        if word == "|":
            layers.append(nn.MaxPool2d(2))
        elif word == "LRN":
            layers.append(response_normalisation())
        elif dash and size.isdecimal() and outputs.isdecimal():
            layers += relu_convolution(channels, int(outputs), int(size))
            channels = int(outputs)
        else:
            raise ValueError(f"{word!r} in the configuration; allowed are SIZE-OUTPUTS, LRN and |")
    return nn.Sequential(*layers)


def vgg(name: str, classes: int = 1000) -> nn.Sequential:
    """Return a network of VGG for colour pictures of 224×224.

    Args:
        name: of a column: "A", "A-LRN", "B", "C", "D" or "E".
        classes: to tell apart.

    Raises:
        ValueError: another name.
    """
    if name not in VGG:
        raise ValueError(f"name is {name!r}; allowed are {', '.join(map(repr, VGG))}")
    return nn.Sequential(*vgg_features(VGG[name]), *dense_head(512 * 7 * 7, 4096, 4096, classes))


def mlpconv(inputs: int, size: int, *outputs: int) -> list[nn.Module]:
    """Return a convolution and 1×1 convolutions on top: a small network that slides over the picture."""
    layers = [*relu_convolution(inputs, outputs[0], size)]
    for before, after in pairwise(outputs):
        layers += relu_convolution(before, after, 1)
    return layers


def global_average() -> list[nn.Module]:
    """Return the layers that make one number of each map: its mean."""
    return [nn.AdaptiveAvgPool2d(1), nn.Flatten()]


def network_in_network(classes: int = 10) -> nn.Sequential:
    """Return Network in network for colour pictures of 32×32: its last maps *are* the classes."""
    return nn.Sequential(
        *mlpconv(3, 5, 192, 160, 96),
        nn.MaxPool2d(3, 2, padding=1),
        nn.Dropout(0.5),
        *mlpconv(96, 5, 192, 192, 192),
        nn.MaxPool2d(3, 2, padding=1),
        nn.Dropout(0.5),
        *mlpconv(192, 3, 192, 192, classes),
        *global_average(),
    )
