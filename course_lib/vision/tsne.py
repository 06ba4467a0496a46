"""t-SNE by hand: a map in which near neighbours stay near (van der Maaten and Hinton 2008, section 3).

    p_j|i ∝ exp(−β_i ‖x_i − x_j‖²)      β_i such that the entropy of p_·|i is log₂(perplexity)
    p_ij  = (p_j|i + p_i|j) / 2n        q_ij ∝ 1 / (1 + ‖y_i − y_j‖²)
    C     = Σ p_ij log(p_ij / q_ij)     ∂C/∂y_i = 4 Σ_j (p_ij − q_ij) (y_i − y_j) / (1 + ‖y_i − y_j‖²)

All pairs are looked at, which is enough for some hundred points; `course_lib.figures.embed_tsne` is for more.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

EXAGGERATION, EXAGGERATED_STEPS = 4.0, 100  # P is four times too large at first: clusters form
FIRST_DEVIATION = 1e-2  # of the first layout: N(0, 10⁻⁴) has this standard deviation
HALVINGS = 60  # of the range in which β is searched: more than a double has digits
SMALLEST = 1e-300  # keeps log(0) away


class Layout(NamedTuple):
    """Where the points came to lie."""

    places: Float[np.ndarray, "points 2"]
    divergences: Float[np.ndarray, "steps"]  # KL(P‖Q) in nats before each step


def squared_distances(points: Float[np.ndarray, "points features"]) -> Float[np.ndarray, "points points"]:
    """Return ‖x_i − x_j‖² of all pairs."""
    lengths = (points**2).sum(axis=1)
    return np.maximum(lengths[:, None] + lengths[None] - 2 * points @ points.T, 0)


def neighbourhood(distances: Float[np.ndarray, "others"], perplexity: float) -> Float[np.ndarray, "others"]:
    """Return one point's p_j|i: the width of its Gaussian is searched by halving.

    Args:
        distances: squared, to each other point.
        perplexity: effective number of neighbours, from 1 to the number of others.
    """
    nearer = distances - distances.min()  # the nearest gets exp(0): nothing underflows
    low, high, beta = 0.0, np.inf, 1 / max(np.median(nearer), SMALLEST)
    for _ in range(HALVINGS):
        weights = np.exp(-beta * nearer)
        shares = weights / weights.sum()
        if entropy(shares) > np.log2(perplexity):
            low, beta = beta, 2 * beta if high == np.inf else (beta + high) / 2  # too wide
        else:
            high, beta = beta, (low + beta) / 2
    return shares


def entropy(shares: Float[np.ndarray, "others"]) -> float:
    """Return −Σ p log₂ p, in bits; 2 to its power is the perplexity."""
    return float(-(shares * np.log2(np.maximum(shares, SMALLEST))).sum())


def joint_probabilities(
    points: Float[np.ndarray, "points features"], perplexity: float
) -> Float[np.ndarray, "points points"]:
    """Return p_ij: how near points lie, each by its own measure.

    Args:
        points: what is to be laid out.
        perplexity: effective number of neighbours, above 1 and below the number of other points.

    Raises:
        ValueError: a perplexity out of range.
    """
    count = len(points)
    if not 1 < perplexity < count - 1:
        raise ValueError(f"perplexity of {count} points must lie between 1 and {count - 1}, got {perplexity}")
    conditional = np.zeros((count, count))
    for i, distances in enumerate(squared_distances(points)):
        others = np.arange(count) != i
        conditional[i, others] = neighbourhood(distances[others], perplexity)
    return (conditional + conditional.T) / (2 * count)


def similarities(
    places: Float[np.ndarray, "points 2"],
) -> tuple[Float[np.ndarray, "points points"], Float[np.ndarray, "points points"]]:
    """Return 1 / (1 + ‖y_i − y_j‖²), 0 for a point with itself, and q_ij, which is the same with sum 1."""
    near = 1 / (1 + squared_distances(places))
    np.fill_diagonal(near, 0)
    return near, near / near.sum()


def kl_divergence(joint: Float[np.ndarray, "points points"], places: Float[np.ndarray, "points 2"]) -> float:
    """Return C = KL(P‖Q), in nats."""
    q = np.maximum(similarities(places)[1], SMALLEST)
    return float((joint * np.log(np.maximum(joint, SMALLEST) / q)).sum())


def kl_gradient(
    joint: Float[np.ndarray, "points points"], places: Float[np.ndarray, "points 2"]
) -> Float[np.ndarray, "points 2"]:
    """Return ∂C/∂y_i: each pair is a spring, which pulls where p > q and pushes where p < q."""
    near, q = similarities(places)
    springs = (joint - q) * near
    return 4 * (springs.sum(axis=1, keepdims=True) * places - springs @ places)


def lay_out(
    joint: Float[np.ndarray, "points points"], seed: int = 0, steps: int = 500, rate: float = 200.0
) -> Layout:
    """Let the springs pull, from tiny random places on: gradient descent with momentum.

    Args:
        joint: p_ij.
        seed: of the first places.
        steps: of the descent.
        rate: its step size.
    """
    places = np.random.default_rng(seed).normal(0, FIRST_DEVIATION, (len(joint), 2))
    velocity, gains = np.zeros_like(places), np.ones_like(places)
    divergences = []
    for step in range(steps):
        divergences.append(kl_divergence(joint, places))
        early = step < EXAGGERATED_STEPS
        gradient = kl_gradient(joint * EXAGGERATION if early else joint, places)
        against = np.sign(gradient) != np.sign(velocity)  # goes on downhill: a longer step (Jacobs 1988)
        gains = np.maximum(np.where(against, gains + 0.2, gains * 0.8), 0.01)
        velocity = (0.5 if early else 0.8) * velocity - rate * gains * gradient
        places = places + velocity
        places -= places.mean(axis=0)
    return Layout(places, np.array(divergences))
