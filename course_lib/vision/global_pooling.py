"""A small network in which only a mean over places stands between the last maps and the scores.

score_c = Σ_k w_ck · (mean over places of A_k) + b_c      Lin, Chen and Yan 2014; Zhou et al. 2016
"""

from itertools import pairwise

from jaxtyping import Float
from torch import Tensor, nn

from course_lib.vision.pixels import check_pixels


def pooled_convolutions(channels: tuple[int, ...]) -> nn.Sequential:
    """Return 3×3 convolutions with batch normalisation and ReLU; a pooling halves the maps between two.

    Args:
        channels: of the picture, then of the maps that each convolution leaves.
    """
    layers: list[nn.Module] = []
    for before, after in pairwise(channels):
        layers += [nn.MaxPool2d(2)] if layers else []
        layers += [nn.Conv2d(before, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU()]
    return nn.Sequential(*layers)


class GlobalPoolingNetwork(nn.Module):
    """3×3 convolutions with batch normalisation and ReLU, pooled in between; then means and a linear layer.

    Args:
        channels: of each convolution, from the first; a pooling halves the picture before each but the first.
        classes: how many there are.

    Attributes:
        features: to the last maps, which are not negative.
        classifier: from their means to the scores.
    """

    def __init__(self, channels: tuple[int, ...], classes: int) -> None:
        super().__init__()
        self.features = pooled_convolutions((1, *channels))
        self.classifier = nn.Linear(channels[-1], classes)

    def codes(self, pixels: Float[Tensor, "pictures 1 height width"]) -> Float[Tensor, "pictures codes"]:
        """Return the means of the last maps.

        Args:
            pixels: grey, 0 to 1.

        Raises:
            ValueError: pictures in colour, or of another range.
        """
        check_pixels(pixels, channels=1)
        return self.features(pixels).mean(dim=(2, 3))

    def forward(self, pixels: Float[Tensor, "pictures 1 height width"]) -> Float[Tensor, "pictures classes"]:
        """Return the score of every class.

        Args and Raises: those of `codes`.
        """
        return self.classifier(self.codes(pixels))
