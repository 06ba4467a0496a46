"""How good a forecast is, and how much of its past a reservoir holds."""

import numpy as np
from jaxtyping import Float

from course_lib.reservoir.readout import check_series, ridge, with_bias


def nrmse(predicted: Float[np.ndarray, "time outputs"], target: Float[np.ndarray, "time outputs"]) -> float:
    """Return the root of the mean squared error over the variance of the target.

    Returns:
        0 is perfect; 1 is as good as always saying the target's mean.

    Raises:
        ValueError: shapes differ, a value is not finite, or the target never changes.
    """
    _check_pair(predicted, target)
    return float(np.sqrt(np.mean((predicted - target) ** 2) / _variance(target)))


def horizon(
    predicted: Float[np.ndarray, "time outputs"], target: Float[np.ndarray, "time outputs"], tolerance: float
) -> int:
    """Return how many steps from the first stay within `tolerance` standard deviations of the target.

    Raises:
        ValueError: as `nrmse`; the tolerance is not above 0.
    """
    if not tolerance > 0:
        raise ValueError(f"tolerance is {tolerance}; allowed is above 0")
    _check_pair(predicted, target)
    gone = np.abs(predicted - target).max(axis=1) > tolerance * np.sqrt(_variance(target))
    return int(gone.argmax()) if gone.any() else len(target)


def memory_curve(
    states: Float[np.ndarray, "time units"],
    inputs: Float[np.ndarray, "time 1"],
    longest: int,
    beta: float = 1e-8,
) -> Float[np.ndarray, "longest"]:
    """Return how well a linear readout tells the input of k steps ago, for k = 1 … longest.

        MC_k = r²(u(n − k), y_k(n)),    MC = Σ_k MC_k ≤ units

    Readouts learn on the first half of the steps and are measured on the second (Jaeger 2001, on short term
    memory; the bound is his proposition 2).

    Args:
        states: x(1) … x(T), without the washout.
        inputs: u(1) … u(T) that drove them, drawn independently.
        longest: below a quarter of T.
        beta: of the ridge regression.

    Returns:
        squared correlations, 0 to 1; their sum is the memory capacity.

    Raises:
        ValueError: shapes differ, a value is not finite, `longest` is out of range.
    """
    check_series("states", states)
    check_series("inputs", inputs, 1)
    if len(states) != len(inputs):
        raise ValueError(f"states have {len(states)} steps, inputs {len(inputs)}; allowed is as many")
    if not 1 <= longest < len(states) // 4:
        raise ValueError(f"longest is {longest}; allowed are 1 to {len(states) // 4 - 1}")
    past = np.hstack([inputs[longest - k : len(inputs) - k] for k in range(1, longest + 1)])
    features = with_bias(states[longest:])
    half = len(features) // 2
    told = features[half:] @ ridge(features[:half], past[:half], beta).T
    told, past = told - told.mean(axis=0), past[half:] - past[half:].mean(axis=0)
    norms = (told**2).sum(axis=0) * (past**2).sum(axis=0)
    shared = (told * past).sum(axis=0) ** 2 / np.maximum(norms, np.finfo(float).tiny)
    return np.minimum(shared, 1.0)  # rounding may pass above


def _check_pair(predicted: np.ndarray, target: np.ndarray) -> None:
    check_series("target", target)
    check_series("predicted", predicted, target.shape[1])
    if len(predicted) != len(target):
        raise ValueError(f"predicted has {len(predicted)} steps; allowed is {len(target)}, as the target")


def _variance(target: np.ndarray) -> float:
    variance = float(target.var(axis=0).mean())
    if variance == 0:
        raise ValueError("target never changes, so an error has nothing to be compared with")
    return variance
