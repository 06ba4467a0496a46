"""Residual networks: each block adds to what it was given, so a block that learns nothing does no harm.

    y = x + F(x)

| F           | layers                                    | source                                    |
| basic       | 3×3, 3×3                                  | He et al. 2016, figure 5, left            |
| bottleneck  | 1×1 to D maps, 3×3, 1×1 to 4 · 64 maps …  | He et al. 2016, figure 5, right           |
| aggregated  | the same, with its 3×3 in C groups        | Xie et al. 2017, figure 3 (c), table 1    |

Every convolution is followed by batch normalisation. Where a stage begins, maps double and sides halve; x
then goes through a 1×1 convolution. As in table 1 of Xie et al., the 3×3 has the stride; in He et al. it is
the first 1×1, which costs a little less.
"""

from typing import NamedTuple

from jaxtyping import Float
from torch import Tensor, nn

from course_lib.vision.convnets import global_average

STAGE_WIDTHS = (64, 128, 256, 512)


class Residual(nn.Module):
    """shortcut(x) + branch(x).

    Args:
        branch: F.
        shortcut: the identity, or what brings x to the shape of F(x); None leaves it out: branch(x) alone.
    """

    def __init__(self, branch: nn.Module, shortcut: nn.Module | None) -> None:
        super().__init__()
        self.branch, self.shortcut = branch, shortcut

    def forward(
        self, inputs: Float[Tensor, "batch inputs height width"]
    ) -> Float[Tensor, "batch outputs lower narrower"]:
        """Return the sum."""
        changed = self.branch(inputs)
        return changed if self.shortcut is None else self.shortcut(inputs) + changed


class ResNet(NamedTuple):
    """One published configuration.

    Args:
        blocks: of each stage.
        bottleneck: three layers a block; else two.
        cardinality: C, groups of the 3×3 of a bottleneck.
        group_width: d, maps of a group in the first stage.
    """

    blocks: tuple[int, int, int, int]
    bottleneck: bool = True
    cardinality: int = 1
    group_width: int = 64


RESNETS = {
    "ResNet-18": ResNet((2, 2, 2, 2), bottleneck=False),
    "ResNet-34": ResNet((3, 4, 6, 3), bottleneck=False),
    "ResNet-50": ResNet((3, 4, 6, 3)),
    "ResNet-101": ResNet((3, 4, 23, 3)),
    "ResNet-152": ResNet((3, 8, 36, 3)),
    "ResNet-200": ResNet((3, 24, 36, 3)),
    "ResNeXt-50, 32×4d": ResNet((3, 4, 6, 3), cardinality=32, group_width=4),
    "ResNeXt-101, 32×4d": ResNet((3, 4, 23, 3), cardinality=32, group_width=4),
    "ResNet-101, 1×100d": ResNet((3, 4, 23, 3), group_width=100),
    "ResNeXt-101, 2×64d": ResNet((3, 4, 23, 3), cardinality=2, group_width=64),
    "ResNeXt-101, 64×4d": ResNet((3, 4, 23, 3), cardinality=64, group_width=4),
}


def normalised(inputs: int, outputs: int, size: int, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    """Return a convolution without biases, and its batch normalisation, which has them."""
    convolution = nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False)
    return [convolution, nn.BatchNorm2d(outputs)]


def residual_block(inputs: int, outputs: int, branch: list[nn.Module], stride: int) -> nn.Sequential:
    """Return a block around a branch; its ReLU comes after the sum."""
    same = inputs == outputs and stride == 1
    shortcut = nn.Identity() if same else nn.Sequential(*normalised(inputs, outputs, 1, stride))
    return nn.Sequential(Residual(nn.Sequential(*branch), shortcut), nn.ReLU())


def basic_block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    """Return a block of two 3×3 convolutions."""
    branch = [*normalised(inputs, outputs, 3, stride), nn.ReLU(), *normalised(outputs, outputs, 3)]
    return residual_block(inputs, outputs, branch, stride)


def bottleneck_block(
    inputs: int, width: int, outputs: int, stride: int = 1, cardinality: int = 1
) -> nn.Sequential:
    """Return a block that works on few maps.

    Args:
        inputs, outputs: maps that come in, and that leave.
        width: D, maps of the 3×3.
        stride: of the 3×3.
        cardinality: C, its groups.
    """
    branch = [
        *normalised(inputs, width, 1),
        nn.ReLU(),
        *normalised(width, width, 3, stride, cardinality),
        nn.ReLU(),
        *normalised(width, outputs, 1),
    ]
    return residual_block(inputs, outputs, branch, stride)


def resnet(name: str, classes: int = 1000) -> nn.Sequential:
    """Return a network for colour pictures of 224×224.

    Args:
        name: one of `RESNETS`.
        classes: to tell apart.

    Raises:
        ValueError: another name.
    """
    if name not in RESNETS:
        raise ValueError(f"name is {name!r}; allowed are {', '.join(map(repr, RESNETS))}")
    size = RESNETS[name]
    layers: list[nn.Module] = [*normalised(3, 64, 7, stride=2), nn.ReLU(), nn.MaxPool2d(3, 2, padding=1)]
    inputs = 64
    for stage, (blocks, width) in enumerate(zip(size.blocks, STAGE_WIDTHS, strict=True)):
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            if size.bottleneck:
                inner = size.cardinality * size.group_width * 2**stage
                layers.append(bottleneck_block(inputs, inner, 4 * width, stride, size.cardinality))
                inputs = 4 * width
            else:
                layers.append(basic_block(inputs, width, stride))
                inputs = width
    return nn.Sequential(*layers, *global_average(), nn.Linear(inputs, classes))
