"""The trace of one t-SNE run: where every point was, frame by frame, and how far to believe the map."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from course_lib.traces.base import Trace, array, names, tokens


@dataclass(frozen=True, eq=False)
class EmbeddingTrace(Trace):
    """One t-SNE run, from the first layout to the last.

    Args:
        frames: float32 (frames, points, 2), positions in the map.
        iterations: int (frames,), gradient steps done at each frame, rising.
        kl: float (frames,), Kullback–Leibler divergence KL(P‖Q) in nats at each frame.
        labels: (points,) strings, one a point, e.g. a word.
        groups: (points,) strings, the class of each point.
        perplexity: effective number of neighbours that each point was given, above 0.
        neighbours_kept: in [0, 1], share of the nearest neighbours in the original space that are
            still among as many nearest ones in the last frame.
        neighbours: int (points, k), each point's nearest others in the original space, nearest first.
        title: what the picture says.
        seed: what the run was started from.

    Raises:
        TypeError: a field of another kind.
        ValueError: sizes that disagree, positions that aren't finite, or values out of range.
    """

    frames: np.ndarray = field(metadata=array(np.float32, "frames points plane"))
    iterations: np.ndarray = field(metadata=array(np.int64, "frames"))
    kl: np.ndarray = field(metadata=array(np.float64, "frames"))
    labels: tuple[str, ...] = field(metadata=tokens("points"))
    groups: tuple[str, ...] = field(metadata=names("points"))
    perplexity: float
    neighbours_kept: float
    neighbours: np.ndarray = field(metadata=array(np.int64, "points neighbours"))
    title: str = ""
    seed: int = 0

    def __len__(self) -> int:
        return len(self.labels)

    def validate(self) -> None:
        """Raise where the fields contradict one another."""
        if 0 in self.frames.shape or self.frames.shape[2] != 2:
            raise ValueError(f"frames has shape (frames, points, 2), none empty; got {self.frames.shape}")
        if not np.isfinite(self.frames).all():
            raise ValueError("frames holds finite positions; got NaN or infinity")
        if (np.diff(self.iterations) <= 0).any() or self.iterations[0] < 0:
            raise ValueError(f"iterations rises from 0 or more; got {self.iterations.tolist()}")
        if not np.isfinite(self.kl).all():
            raise ValueError("kl holds finite numbers; got NaN or infinity")
        if not (np.isfinite(self.perplexity) and self.perplexity > 0):
            raise ValueError(f"perplexity is above 0; got {self.perplexity}")
        if not 0 <= self.neighbours_kept <= 1:
            raise ValueError(f"neighbours_kept is a share between 0 and 1; got {self.neighbours_kept}")
        self._validate_neighbours(len(self))

    def _validate_neighbours(self, points: int) -> None:
        columns = self.neighbours.shape[1]
        if not 0 < columns < points:
            raise ValueError(f"neighbours has 1 to {points - 1} columns for {points} points; got {columns}")
        if self.neighbours.min() < 0 or self.neighbours.max() >= points:
            raise ValueError(f"neighbours holds point numbers from 0 to {points - 1}")
        if (self.neighbours == np.arange(points)[:, None]).any():
            raise ValueError("neighbours names other points, never the point itself")
        if (np.diff(np.sort(self.neighbours, axis=1), axis=1) == 0).any():
            raise ValueError("neighbours names each point once a row")

    def group_names(self) -> tuple[str, ...]:
        """Return the classes in order of first appearance; a class's colour is its place here."""
        return tuple(dict.fromkeys(self.groups))
