"""Depth, width or filter size: three ways to spend the same multiply-adds.

    multiply-adds = Σ_l n_{l−1} · s_l² · n_l · m_l²

of layers l with n_l maps, filters of s_l × s_l, and m_l × m_l places.

He and Sun 2015, *Convolutional neural networks at constrained time cost*, equation (1), section 3.
"""

from typing import NamedTuple

from torch import nn

from course_lib.vision.convnets import global_average
from course_lib.vision.residual import normalised
from course_lib.vision.separable import convolution_cost

SIDE = 14  # places along an axis, in every layer behind the stem
CLASSES = 10


class Stack(NamedTuple):
    """Layers of one kind, one behind the other.

    Args:
        depth: layers between the stem and the readout.
        width: n, maps of each.
        taps: s, along an axis; odd, so that the places stay as many.
    """

    depth: int
    width: int
    taps: int

    @property
    def multiply_adds(self) -> int:
        """What all layers cost for one picture: stem, stack and readout."""
        places, taps = (SIDE, SIDE), (self.taps, self.taps)
        stem = convolution_cost(1, self.width, (3, 3), places).multiply_adds
        layer = convolution_cost(self.width, self.width, taps, places).multiply_adds
        return stem + self.depth * layer + self.width * CLASSES

    def network(self) -> nn.Sequential:
        """Return the network for grey pictures of 28×28: a stem that halves them, the stack, a readout.

        Raises:
            ValueError: the filters have an even size, or a number is below 1.
        """
        if min(self) < 1 or self.taps % 2 == 0:
            raise ValueError(f"got {self}; allowed are numbers from 1, and an odd number of taps")
        layers = [*normalised(1, self.width, 3, stride=2), nn.ReLU()]
        for _ in range(self.depth):
            layers += [*normalised(self.width, self.width, self.taps), nn.ReLU()]
        return nn.Sequential(*layers, *global_average(), nn.Linear(self.width, CLASSES))


# Within a family, one thing is given for another, and the third stays as it is.
FAMILIES = {
    "depth for filter size": (Stack(1, 16, 7), Stack(2, 16, 5), Stack(6, 16, 3)),
    "depth for width": (Stack(1, 39, 3), Stack(3, 23, 3), Stack(6, 16, 3), Stack(24, 8, 3)),
    "width for filter size": (Stack(6, 7, 7), Stack(6, 10, 5), Stack(6, 16, 3), Stack(6, 48, 1)),
}
