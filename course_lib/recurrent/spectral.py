"""The largest stretch of a matrix that is applied again and again."""

import torch
from jaxtyping import Float
from torch import Tensor


def spectral_radius(matrix: Float[Tensor, "size size"]) -> float:
    """Return the largest absolute value of an eigenvalue: ρ(W) = max_i |λ_i(W)|; 0 for a matrix of zeros.

    Raises:
        ValueError: the matrix is empty or not square, or holds a NaN or an infinity.
    """
    if matrix.dim() != 2 or not 0 < matrix.shape[0] == matrix.shape[1]:
        raise ValueError(f"matrix has shape {tuple(matrix.shape)}; allowed is (size, size), 1 or more")
    if not bool(matrix.isfinite().all()):  # LAPACK would end the process
        raise ValueError("matrix holds a NaN or an infinity; allowed are finite numbers")
    return float(torch.linalg.eigvals(matrix.detach()).abs().max())


def with_spectral_radius(matrix: Float[Tensor, "size size"], radius: float) -> Float[Tensor, "size size"]:
    """Return the matrix, scaled to the given spectral radius: W ρ / ρ(W).

    Args:
        matrix: left unchanged.
        radius: 0 or more.

    Raises:
        ValueError: the radius is negative or not finite, or the matrix is one without a spectral radius, or
            one whose spectral radius is 0, which no scale changes.
    """
    if not 0 <= radius < float("inf"):
        raise ValueError(f"radius is {radius}; allowed is a finite number, 0 or more")
    now = spectral_radius(matrix)
    if now == 0:
        raise ValueError("matrix has spectral radius 0; no scale makes it another one")
    return matrix * (radius / now)
