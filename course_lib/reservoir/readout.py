"""The one part of a reservoir that is learned: a linear readout, by ridge regression.

    W_out = argmin_W Σ_n ‖y(n) − W x(n)‖² + β ‖W‖²_F = Y Xᵀ (X Xᵀ + β I)⁻¹

with the features x(n) as the columns of X and the targets y(n) as those of Y. No gradient goes further.

Lukoševičius 2012, equation 9.
"""

import numpy as np
from jaxtyping import Float
from scipy import linalg


def ridge(
    features: Float[np.ndarray, "time features"], targets: Float[np.ndarray, "time outputs"], beta: float
) -> Float[np.ndarray, "outputs features"]:
    """Return W_out, from the normal equations by Cholesky's method.

    Args:
        features: x(n), one a row; put a 1 in each for a bias.
        targets: y(n), one a row.
        beta: 0 or more; 0 is least squares, the solution of least norm.

    Raises:
        ValueError: beta is negative, not finite, or too small for these features; a value is not finite; the
            rows are not equally many.
        TypeError: features or targets are no numpy array of numbers.
    """
    if not 0 <= beta < np.inf:
        raise ValueError(f"beta is {beta}; allowed is a finite number, 0 or more")
    check_series("features", features)
    check_series("targets", targets)
    if len(features) != len(targets):
        raise ValueError(f"features have {len(features)} rows, targets {len(targets)}; allowed is as many")
    if beta == 0:
        return np.linalg.lstsq(features, targets)[0].T
    gram = features.T @ features
    gram.flat[:: len(gram) + 1] += beta  # the diagonal
    try:
        factor = linalg.cho_factor(gram, overwrite_a=True)
    except linalg.LinAlgError as error:
        raise ValueError(f"beta is {beta}; these features need a larger one, or 0") from error
    return linalg.cho_solve(factor, features.T @ targets).T


def with_bias(*parts: Float[np.ndarray, "time _"]) -> Float[np.ndarray, "time features"]:
    """Return [1; part; part; …] for each step."""
    return np.hstack([np.ones((len(parts[0]), 1)), *parts])


def check_scales(**scales: float) -> None:
    """Raise ValueError unless each scale is finite and 0 or more."""
    for name, scale in scales.items():
        if not 0 <= scale < np.inf:
            raise ValueError(f"{name} is {scale}; allowed is a finite number, 0 or more")


def check_series(name: str, values: np.ndarray, columns: int | None = None) -> None:
    """Raise TypeError or ValueError unless values are finite numbers and have the shape (time, columns)."""
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "biuf":
        came = f"array of {values.dtype}" if isinstance(values, np.ndarray) else type(values).__name__
        raise TypeError(f"{name} are of type {came}; allowed is a numpy array of numbers")
    if values.ndim != 2 or not len(values) or (columns is not None and values.shape[1] != columns):
        allowed = f"(time, {'any' if columns is None else columns})"
        raise ValueError(f"{name} have shape {values.shape}; allowed is {allowed}")
    broken = ~np.isfinite(values).all(axis=1)
    if broken.any():
        raise ValueError(f"{name} hold a NaN or an infinity at step {broken.argmax()}, counted from 0")
