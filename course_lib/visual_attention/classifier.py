"""Say what is on a picture by looking at a part of it.

    α = softmax_i vᵀ tanh(W a_i)        one look, which no word asks for
    p(class) = softmax(V Σ_i α_i a_i + b)

The network is told the class and never where the thing is. With α_i = 1/L for every place it is the network
that averages its last maps (`global_pooling`).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.visual_attention.annotations import AnnotationEncoder


class PartClassifier(nn.Module):
    """Look once, softly, and name what is there.

    Args:
        channels: of each convolution, see `AnnotationEncoder`.
        side: pixels along a side of the pictures.
        classes: how many there are.
        attention_size: width of the layer that scores a place.
        looks: whether it looks at all; if not, every place counts alike.
    """

    def __init__(
        self, channels: tuple[int, ...], side: int, classes: int, attention_size: int, looks: bool = True
    ) -> None:
        super().__init__()
        self.encoder = AnnotationEncoder(channels, side)
        features = self.encoder.features
        self.looks = looks
        self.score = nn.Sequential(
            nn.Linear(features, attention_size, bias=False),
            nn.Tanh(),
            nn.Linear(attention_size, 1, bias=False),
        )
        self.readout = nn.Linear(features, classes)

    def forward(
        self, pixels: Float[Tensor, "pictures 3 side side"]
    ) -> tuple[Float[Tensor, "pictures classes"], Float[Tensor, "pictures places"]]:
        """Return the scores of the classes, before their softmax, and the weights of the places."""
        annotations = self.encoder(pixels)
        scores = self.score(annotations).squeeze(2)
        weights = (scores if self.looks else torch.zeros_like(scores)).softmax(dim=1)
        return self.readout(torch.einsum("bp,bpf->bf", weights, annotations)), weights


def keep_places(
    pixels: Float[Tensor, "pictures colours side side"],
    worth: Float[Tensor, "pictures places"],
    count: int,
) -> Float[Tensor, "pictures colours side side"]:
    """Return pictures of which only the places of most worth are left; the rest is black.

    Args:
        pixels: pictures.
        worth: of each place of a square grid, row by row.
        count: places that are left, 1 to all.

    Raises:
        ValueError: no places, more than there are, or a grid that does not divide the picture.
    """
    places = worth.shape[1]
    grid = round(places**0.5)
    if not 1 <= count <= places:
        raise ValueError(f"count is {count}; allowed is 1 to {places}")
    if grid**2 != places or pixels.shape[2] % grid:
        raise ValueError(f"{places} places are no square grid on a picture of side {pixels.shape[2]}")
    kept = torch.zeros_like(worth).scatter(1, worth.topk(count, dim=1).indices, 1.0)
    cell = pixels.shape[2] // grid
    shown = kept.unflatten(1, (1, grid, grid)).repeat_interleave(cell, dim=2).repeat_interleave(cell, dim=3)
    return pixels * shown
