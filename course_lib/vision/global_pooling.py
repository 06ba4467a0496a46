"""A small network in which only a mean over places stands between the last maps and the scores.

score_c = Σ_k w_ck · (mean over places of A_k) + b_c      Lin, Chen and Yan 2014; Zhou et al. 2016
"""

from itertools import pairwise

from jaxtyping import Float
from torch import Tensor, nn


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
        layers: list[nn.Module] = []
        for before, after in pairwise((1, *channels)):
            layers += [nn.MaxPool2d(2)] if layers else []
            layers += [nn.Conv2d(before, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU()]
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(channels[-1], classes)

    def codes(self, pixels: Float[Tensor, "pictures 1 height width"]) -> Float[Tensor, "pictures codes"]:
        """Return the means of the last maps."""
        return self.features(pixels).mean(dim=(2, 3))

    def forward(self, pixels: Float[Tensor, "pictures 1 height width"]) -> Float[Tensor, "pictures classes"]:
        """Return the score of every class."""
        return self.classifier(self.codes(pixels))
