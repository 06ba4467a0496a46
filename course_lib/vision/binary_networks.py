"""A small network for grey pictures of 28×28 whose middle is binary: the first and the last layer stay real.

| kind                 | weights | inputs | order of a block                                |
| float                | real    | real   | C-B-A-P: convolution, normalisation, activation, pooling |
| binary weights       | ±α      | real   | C-B-A-P                                         |
| XNOR                 | ±α      | ±1     | B-A-C-P: the signs are taken right before the convolution |
| XNOR, usual order    | ±α      | ±1     | C-B-A-P: the maximum of signs is nearly always +1 |

Rastegari et al. 2016, *XNOR-Net*, section 3.2, figure 3, table 3.
"""

from jaxtyping import Float
from torch import Tensor, nn

from course_lib.vision.binary import BinaryConv2d, sign

KINDS = ("float", "binary weights", "XNOR", "XNOR, usual order")
WIDTHS = (24, 48, 48)
CLASSES = 10


class Sign(nn.Module):
    """The activation of a binary network."""

    def forward(self, inputs: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Return the signs."""
        return sign(inputs)


def activation(kind: str) -> nn.Module:
    """Return what follows a normalisation. In the usual order it is the signs: behind a ReLU all are +1."""
    return Sign() if kind == "XNOR, usual order" else nn.ReLU()


def block(kind: str, inputs: int, outputs: int) -> list[nn.Module]:
    """Return one block of the middle: a 3×3 convolution and what belongs to it.

    Args:
        kind: one of `KINDS`.
        inputs, outputs: maps.
    """
    if kind == "float":
        convolution: nn.Module = nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)
    else:
        convolution = BinaryConv2d(inputs, outputs, 3, 1, "weights" if kind == "binary weights" else "both")
    if kind == "XNOR":  # its convolution takes the signs itself, for it needs the sizes too
        return [nn.BatchNorm2d(inputs), convolution, nn.MaxPool2d(2)]
    return [convolution, nn.BatchNorm2d(outputs), activation(kind), nn.MaxPool2d(2)]


def binary_network(kind: str) -> nn.Sequential:
    """Return a network before training.

    Args:
        kind: one of `KINDS`.

    Raises:
        ValueError: another kind.
    """
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r}; allowed are {', '.join(map(repr, KINDS))}")
    first, second, third = WIDTHS
    return nn.Sequential(
        nn.Conv2d(1, first, 5, padding=2, bias=False),
        nn.BatchNorm2d(first),
        activation(kind),
        nn.MaxPool2d(2),  # 28 → 14
        *block(kind, first, second),
        *block(kind, second, third),  # 7 → 3
        nn.BatchNorm2d(third),
        nn.Flatten(),
        nn.Linear(third * 3 * 3, CLASSES),
    )


def weight_bytes(network: nn.Sequential) -> tuple[int, int]:
    """Return what the 3×3 weights of the blocks take: as 32-bit numbers, and as bits with a scale a filter.

    Args:
        network: of `binary_network`.
    """
    weights = [
        layer.weight
        for layer in network
        if isinstance(layer, nn.Conv2d | BinaryConv2d) and layer.weight.shape[1] > 1
    ]
    reals = sum(4 * weight.numel() for weight in weights)
    bits = sum(8 * -(-weight[0].numel() // 64) * len(weight) + 4 * len(weight) for weight in weights)
    return reals, bits
