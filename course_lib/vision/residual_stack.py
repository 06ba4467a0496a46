"""The smallest network in which a shortcut can be left out, or a block.

    x_0 = stem(picture)      x_i = x_{i−1} + F_i(x_{i−1})      scores = head(x_n)

F is normalisation, ReLU, 3×3, twice: nothing stands on the way from block to block.

He et al. 2016, *Identity mappings in deep residual networks*, figure 1 (b).
"""

from copy import copy

from jaxtyping import Float
from torch import Tensor, nn

from course_lib.vision.convnets import global_average
from course_lib.vision.residual import Residual


class ResidualStack(nn.Module):
    """Blocks of one width, for grey pictures; on 28×28 they work on maps of 14×14.

    Args:
        blocks: n; two layers each.
        width: maps.
        shortcuts: without them x_i = F_i(x_{i−1}).
        classes: to tell apart.

    Raises:
        ValueError: there is no block.
    """

    def __init__(self, blocks: int, width: int = 16, shortcuts: bool = True, classes: int = 10) -> None:
        super().__init__()
        if blocks < 1:
            raise ValueError(f"blocks is {blocks}; allowed is 1 or more")
        self.stem = nn.Conv2d(1, width, 3, stride=2, padding=1)
        self.blocks = nn.Sequential(*(_block(width, shortcuts) for _ in range(blocks)))
        self.head = nn.Sequential(
            nn.BatchNorm2d(width), nn.ReLU(), *global_average(), nn.Linear(width, classes)
        )

    def forward(self, pictures: Float[Tensor, "batch 1 height width"]) -> Float[Tensor, "batch classes"]:
        """Return the scores of each class."""
        return self.head(self.blocks(self.stem(pictures)))

    def without(self, block: int) -> "ResidualStack":
        """Return the network without one of its blocks; all else, weights too, is shared with this one.

        Args:
            block: its number, from 0.

        Raises:
            ValueError: there is no such block.
        """
        if not 0 <= block < len(self.blocks):
            raise ValueError(f"block is {block}; allowed is 0 to {len(self.blocks) - 1}")
        shorter = copy(self)
        shorter._modules = {**self._modules, "blocks": nn.Sequential(*_all_but(self.blocks, block))}
        return shorter


def _block(width: int, shortcut: bool) -> Residual:
    layers: list[nn.Module] = []
    for _ in range(2):
        convolution = nn.Conv2d(width, width, 3, padding=1, bias=False)
        layers += [nn.BatchNorm2d(width), nn.ReLU(), convolution]
    return Residual(nn.Sequential(*layers), nn.Identity() if shortcut else None)


def _all_but(blocks: nn.Sequential, left_out: int) -> list[nn.Module]:
    return [block for i, block in enumerate(blocks) if i != left_out]
