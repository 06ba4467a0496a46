"""From a picture to annotation vectors: one for each place of a lower layer's maps.

a = {a_1, …, a_L}, a_i ∈ ℝ^D        Xu et al. 2015, section 3.1.1; there L = 14·14 and D = 512
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.vision import check_pixels, pooled_convolutions


class AnnotationEncoder(nn.Module):
    """A small convolutional network that stops before its places are averaged.

    Args:
        channels: of each convolution, from the first; a pooling halves the picture before each but the first.
        side: pixels along a side of the pictures.

    Attributes:
        grid: places along a side.
        features: D, numbers in an annotation vector.

    Raises:
        ValueError: the poolings do not divide the side.
    """

    def __init__(self, channels: tuple[int, ...], side: int) -> None:
        super().__init__()
        shrink = 2 ** (len(channels) - 1)
        if side % shrink:
            raise ValueError(f"side is {side}; allowed are multiples of {shrink}, as the poolings halve it")
        self.side, self.grid, self.features = side, side // shrink, channels[-1]
        # With the channels of a pixel side by side a step of training takes two thirds of the time.
        self.convolutions = pooled_convolutions((3, *channels))
        for parameter in self.convolutions.parameters():
            if parameter.dim() == 4:
                parameter.data = parameter.data.contiguous(memory_format=torch.channels_last)

    def forward(self, pixels: Float[Tensor, "batch 3 side side"]) -> Float[Tensor, "batch places features"]:
        """Return the annotation vectors, row by row from the upper left.

        Args:
            pixels: 0 to 1.

        Raises:
            ValueError: pictures of another size, or values outside 0 to 1.
        """
        check_pixels(pixels, channels=3)
        if pixels.shape[2:] != (self.side, self.side):
            raise ValueError(
                f"pixels are {pixels.shape[2]}×{pixels.shape[3]}; allowed is {self.side}×{self.side}"
            )
        maps = self.convolutions(pixels.contiguous(memory_format=torch.channels_last))
        return maps.flatten(2).transpose(1, 2)
