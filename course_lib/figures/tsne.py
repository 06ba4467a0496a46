"""Run t-SNE and keep what it did: vectors in, a trace with every recorded frame out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from course_lib.traces import EmbeddingTrace

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

NEIGHBOURS = 10
SMALLEST = 3e-5  # the first layout's spread is 1e-4


def embed_tsne(
    vectors: np.ndarray,
    labels: Sequence[str],
    groups: Sequence[str],
    perplexity: float = 30.0,
    seed: int = 0,
    iterations: int = 750,
    frames: int = 60,
    title: str = "",
    pictures: np.ndarray | None = None,
    texts: Sequence[str] | None = None,
) -> EmbeddingTrace:
    """Lay points out in the plane so that near neighbours stay near (openTSNE, Euclidean distances).

    Neighbourhoods in the original space become probabilities p_ij (Gaussian, as wide as the perplexity asks),
    those in the map q_ij (Student t); gradient descent lowers KL(P‖Q) = Σ p_ij log(p_ij / q_ij). The first
    third of the steps exaggerates P twelve times; ``kl`` is the divergence from the true P all the way. For
    cosine distances give vectors of length 1. Equal inputs and an equal seed give equal traces.

    Args:
        vectors: float (points, features), finite; at least 4 points.
        labels: (points,) one string a point.
        groups: (points,) the class of each point.
        perplexity: effective number of neighbours, from 1 to (points - 1) / 3: t-SNE looks at three times
            as many.
        seed: of the jitter on the first layout and of the neighbour search.
        iterations: gradient steps, at least 3.
        frames: layouts to record, at least 2, closer together at the start, where most happens.
        title: what the picture says.
        pictures: uint8 (points, rows, columns), a thumbnail of each point.
        texts: (points,) more about each point.

    Raises:
        ValueError: a size or a range is wrong, or ``vectors`` holds NaN or infinity.

    Source: van der Maaten and Hinton 2008, section 3; start from principal components: Kobak and Berens 2019.
    """
    points = np.asarray(vectors, dtype=np.float64)
    _check(points, labels, groups, perplexity, iterations, frames)
    from openTSNE import TSNEEmbedding, affinity  # 2.4 s, and only a new map needs it

    affinities = affinity.PerplexityBasedNN(points, perplexity, method="exact", random_state=seed)
    layout = TSNEEmbedding(_first_layout(points, seed), affinities, negative_gradient_method="bh")
    recorder = _Recorder(iterations, frames)
    options = {"learning_rate": "auto", "callbacks": recorder, "callbacks_every_iters": 1}
    recorder.smallest = SMALLEST
    layout = layout.optimize(iterations // 3, exaggeration=12, momentum=0.5, **options)
    recorder.smallest = 0.0
    layout = layout.optimize(iterations - recorder.done, momentum=0.8, **options)
    recorder.keep(layout)

    near = nearest(points)
    components, shares = principal_components(points)
    return EmbeddingTrace(
        frames=np.stack(recorder.layouts),
        iterations=np.array(recorder.steps),
        kl=np.array([divergence(affinities.P, layout) for layout in recorder.layouts]),
        labels=tuple(labels),
        groups=tuple(groups),
        perplexity=float(perplexity),
        neighbours_kept=share_kept(near, nearest(recorder.layouts[-1])),
        neighbours=near,
        title=title,
        seed=seed,
        trustworthiness=trustworthiness(points, recorder.layouts[-1]),
        pictures=pictures,
        texts=None if texts is None else tuple(texts),
        components=components,
        component_shares=shares,
        components_kept=np.array([share_kept(near, nearest(components[:, :axes])) for axes in (2, 3)]),
    )


def principal_components(points: np.ndarray, count: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return the coordinates along which the points vary most: (X - mean) = U S Vᵀ gives U S.

    Args:
        points: float (points, features).
        count: components, 1 or more.

    Returns:
        (components, shares): float (points, count), the largest value of each positive, and (count,), the
        share of the variance that each holds; 0 where there are fewer features, or no variance.
    """
    left, scales, _ = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    found = left * scales
    found *= np.where(found[np.abs(found).argmax(axis=0), np.arange(found.shape[1])] < 0, -1, 1)
    variances = scales**2 / max((scales**2).sum(), np.finfo(float).tiny)
    missing = max(0, count - len(scales))
    return np.pad(found, ((0, 0), (0, missing)))[:, :count], np.pad(variances, (0, missing))[:count]


def nearest(points: np.ndarray, count: int = NEIGHBOURS) -> np.ndarray:
    """Return the nearest others of each point, nearest first.

    Args:
        points: float (points, features).
        count: neighbours a point; fewer where there aren't as many others.

    Returns:
        int (points, min(count, points - 1)).
    """
    from sklearn.neighbors import NearestNeighbors

    index = NearestNeighbors(n_neighbors=min(count, len(points) - 1)).fit(points)
    return index.kneighbors(return_distance=False)  # without a query, a point is no neighbour of itself


def share_kept(before: np.ndarray, after: np.ndarray) -> float:
    """Return the share of each row of ``before`` that is also in that row of ``after``, over all rows."""
    return float((before[:, :, None] == after[:, None, :]).any(axis=2).mean())


def trustworthiness(points: np.ndarray, layout: np.ndarray, count: int = NEIGHBOURS) -> float:
    """Return how little comes near in the layout that is far in the original space: 1 where nothing does.

    T(k) = 1 - 2 / (n k (2n - 3k - 1)) Σ_i Σ_j (r(i, j) - k), where j runs over those of the k nearest of i in
    the layout that aren't among its k nearest in the original space, and r(i, j) is j's place there.

    Args:
        points: float (points, features), 3 points or more.
        layout: float (points, 2).
        count: k; fewer where that is not below half the points.

    Source: Venna and Kaski 2001, Neighborhood preservation in nonlinear projection methods.
    """
    from scipy.spatial.distance import cdist

    total = len(points)
    k = min(count, (total - 1) // 2)
    near = nearest(layout, k)
    excess = 0
    for start in range(0, total, 500):  # of all pairs at once, thousands of points fill the memory
        rows = np.arange(start, min(start + 500, total))
        distances = cdist(points[rows], points)
        distances[np.arange(len(rows)), rows] = -1  # a point's own place is 0
        places = np.argsort(np.argsort(distances, axis=1), axis=1)
        excess += np.maximum(np.take_along_axis(places, near[rows], axis=1) - k, 0).sum()
    return float(1 - 2 * excess / (total * k * (2 * total - 3 * k - 1)))


def largest_perplexity(points: int) -> float:
    """Return the largest perplexity allowed: t-SNE looks at three times as many neighbours."""
    return (points - 1) / 3


def divergence(P: csr_matrix, layout: np.ndarray) -> float:
    """Return KL(P‖Q) = Σ p_ij log(p_ij / q_ij) in nats, over all pairs: openTSNE's own is an estimate.

    Args:
        P: sparse (points, points), probabilities that sum to 1.
        layout: float (points, 2); q_ij ∝ 1 / (1 + ‖y_i - y_j‖²).
    """
    from scipy.spatial.distance import pdist

    places, pairs = layout.astype(np.float64), P.tocoo()
    p, rows, columns = (values[pairs.data > 0] for values in (pairs.data, pairs.row, pairs.col))
    similarity = 1 / (1 + ((places[rows] - places[columns]) ** 2).sum(axis=1))
    total = 2 * (1 / (1 + pdist(places, "sqeuclidean"))).sum()
    return float((p * np.log(p * total / similarity)).sum())


class _Recorder:
    """Called by openTSNE before every step: keeps the layouts that become frames, and stops a collapse.

    Points that no structure holds apart (noise, or all equal) shrink to one place while P is exaggerated, to
    where floating point ends. A stage stops when the spread falls below ``smallest``.
    """

    def __init__(self, iterations: int, frames: int) -> None:
        self.wanted = set((iterations * np.linspace(0, 1, frames) ** 1.5).round().astype(int).tolist())
        self.smallest = 0.0
        self.done = 0
        self.steps: list[int] = []
        self.layouts: list[np.ndarray] = []

    def __call__(self, iteration: int, divergence: float, layout: np.ndarray) -> bool:
        if self.done in self.wanted:
            self.keep(layout)
        stop = bool(layout.std() < self.smallest)
        self.done += not stop
        return stop

    def keep(self, layout: np.ndarray) -> None:
        self.wanted.discard(self.done)
        self.steps.append(self.done)
        self.layouts.append(np.array(layout, dtype=np.float32))


def _first_layout(points: np.ndarray, seed: int) -> np.ndarray:
    """Return the two principal components, made tiny; points that are all equal start at random places."""
    from openTSNE import initialization

    if np.ptp(points, axis=0).max() == 0 or points.shape[1] == 1:
        return initialization.random(points, random_state=seed)
    return initialization.pca(points, random_state=seed)


def _check(
    points: np.ndarray,
    labels: Sequence[str],
    groups: Sequence[str],
    perplexity: float,
    iterations: int,
    frames: int,
) -> None:
    if points.ndim != 2 or len(points) < 4 or points.shape[1] == 0:
        raise ValueError(f"vectors has shape (points, features) with 4 points or more; got {points.shape}")
    if not np.isfinite(points).all():
        bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
        raise ValueError(f"vectors holds finite numbers; rows with NaN or infinity: {bad[:5].tolist()}")
    for name, values in (("labels", labels), ("groups", groups)):
        if len(values) != len(points):
            raise ValueError(f"{name} has one entry a point, here {len(points)}; got {len(values)}")
    largest = largest_perplexity(len(points))
    if not 1 <= perplexity <= largest:
        raise ValueError(
            f"perplexity of {len(points)} points is from 1 to {largest:.4g}, a third of the other points; "
            f"got {perplexity}"
        )
    if iterations < 3:
        raise ValueError(f"iterations is 3 or more; got {iterations}")
    if frames < 2:
        raise ValueError(f"frames is 2 or more; got {frames}")
