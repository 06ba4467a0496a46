"""Attention sees a set. Position encodings tell it the order."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


def sinusoidal_positions(length: int, size: int) -> Float[Tensor, "{length} {size}"]:
    """Return one row of sines and cosines for each position.

        PE(p, 2i) = sin(p / 10000^(2i/size))       PE(p, 2i+1) = cos(p / 10000^(2i/size))

    Each pair of features is a hand of a clock; PE(p+k) is PE(p) with every hand turned by a fixed angle
    (Vaswani et al. 2017, section 3.5).

    Raises:
        ValueError: `size` is odd, or `length` below 1.
    """
    if length < 1 or size < 2 or size % 2:
        raise ValueError(
            f"length is {length} and size {size}; allowed are a length of 1 or more and an even size"
        )
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    frequency = 10_000.0 ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = position * frequency
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).to(torch.get_default_dtype())


class PositionalEncoding(nn.Module):
    """Add to each position what tells its place.

    Args:
        size: features of a position.
        kind: "sinusoidal" (fixed), "learned" (a table), or "none".
        longest: positions that there is an encoding for.

    Raises:
        ValueError: no such kind.
    """

    def __init__(self, size: int, kind: str = "sinusoidal", longest: int = 256) -> None:
        super().__init__()
        if kind not in ("sinusoidal", "learned", "none"):
            raise ValueError(f"kind is {kind!r}; allowed are 'sinusoidal', 'learned', 'none'")
        table = sinusoidal_positions(longest, size)
        if kind == "learned":
            self.table = nn.Parameter(torch.randn(longest, size) * size**-0.5)
        else:
            self.register_buffer("table", table if kind == "sinusoidal" else 0 * table, persistent=False)

    def forward(self, x: Float[Tensor, "batch length size"], start: int = 0) -> Tensor:
        """Return x + PE(start), …, PE(start + length - 1).

        Raises:
            ValueError: there are more positions than the table holds.
        """
        end = start + x.shape[1]
        if end > len(self.table):
            raise ValueError(f"position {end} was asked for; allowed are up to {len(self.table)} positions")
        return x + self.table[start:end]
