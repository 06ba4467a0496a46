"""The largest stretch of a matrix that is applied again and again."""

import torch
from jaxtyping import Float
from torch import Tensor


def spectral_radius(matrix: Float[Tensor, "size size"]) -> float:
    """Return the largest absolute value of an eigenvalue: ρ(W) = max_i |λ_i(W)|."""
    return float(torch.linalg.eigvals(matrix.detach()).abs().max())


def with_spectral_radius(matrix: Float[Tensor, "size size"], radius: float) -> Float[Tensor, "size size"]:
    """Return the matrix, scaled to the given spectral radius: W ρ / ρ(W).

    Args:
        matrix: left unchanged.
        radius: 0 or more.

    Raises:
        ValueError: the radius is negative or not finite, the matrix holds a NaN or an infinity, or its
            spectral radius is 0, which no scale changes.
    """
    if not 0 <= radius < float("inf"):
        raise ValueError(f"radius is {radius}; allowed is a finite number, 0 or more")
    if not bool(matrix.isfinite().all()):
        raise ValueError("matrix holds a NaN or an infinity; allowed are finite numbers")
    now = spectral_radius(matrix)
    if now == 0:
        raise ValueError("matrix has spectral radius 0; no scale makes it another one")
    return matrix * (radius / now)
