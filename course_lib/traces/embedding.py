"""The trace of one t-SNE run: where every point was, frame by frame, and how far to believe the map."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class EmbeddingTrace:
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

    frames: np.ndarray
    iterations: np.ndarray
    kl: np.ndarray
    labels: tuple[str, ...]
    groups: tuple[str, ...]
    perplexity: float
    neighbours_kept: float
    neighbours: np.ndarray
    title: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        for name, dtype in (
            ("frames", np.float32),
            ("iterations", np.int64),
            ("kl", np.float64),
            ("neighbours", np.int64),
        ):
            object.__setattr__(self, name, _frozen(name, getattr(self, name), dtype))
        for name in ("labels", "groups"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        self.validate()

    def __len__(self) -> int:
        return len(self.labels)

    def validate(self) -> None:
        """Raise where the fields contradict one another."""
        if self.frames.ndim != 3 or self.frames.shape[2] != 2 or 0 in self.frames.shape:
            raise ValueError(f"frames has shape (frames, points, 2); got {self.frames.shape}")
        frames, points, _ = self.frames.shape
        if not np.isfinite(self.frames).all():
            raise ValueError("frames holds finite positions; got NaN or infinity")
        for name, size, unit in (
            ("iterations", frames, "frame"),
            ("kl", frames, "frame"),
            ("labels", points, "point"),
            ("groups", points, "point"),
        ):
            if np.shape(getattr(self, name)) != (size,):
                shape = np.shape(getattr(self, name))
                raise ValueError(f"{name} has one entry a {unit}, here {size}; got shape {shape}")
        if (np.diff(self.iterations) <= 0).any() or self.iterations[0] < 0:
            raise ValueError(f"iterations rises from 0 or more; got {self.iterations.tolist()}")
        if not np.isfinite(self.kl).all():
            raise ValueError("kl holds finite numbers; got NaN or infinity")
        if not (np.isfinite(self.perplexity) and self.perplexity > 0):
            raise ValueError(f"perplexity is above 0; got {self.perplexity}")
        if not 0 <= self.neighbours_kept <= 1:
            raise ValueError(f"neighbours_kept is a share between 0 and 1; got {self.neighbours_kept}")
        self._validate_neighbours(points)

    def _validate_neighbours(self, points: int) -> None:
        shape = self.neighbours.shape
        if len(shape) != 2 or shape[0] != points or not 0 < shape[1] < points:
            raise ValueError(f"neighbours has shape ({points}, 1 to {points - 1}); got {shape}")
        if self.neighbours.min() < 0 or self.neighbours.max() >= points:
            raise ValueError(f"neighbours holds point numbers from 0 to {points - 1}")
        if (self.neighbours == np.arange(points)[:, None]).any():
            raise ValueError("neighbours names other points, never the point itself")
        if (np.diff(np.sort(self.neighbours, axis=1), axis=1) == 0).any():
            raise ValueError("neighbours names each point once a row")

    def group_names(self) -> tuple[str, ...]:
        """Return the classes in order of first appearance; a class's colour is its place here."""
        return tuple(dict.fromkeys(self.groups))


def _frozen(name: str, values: object, dtype: type) -> np.ndarray:
    """Copy to a read-only array; a float is never cut down to an integer."""
    array = np.asarray(values)
    if not np.can_cast(array.dtype, dtype, casting="same_kind"):
        raise TypeError(f"{name} holds {np.dtype(dtype).name}; got {array.dtype}")
    array = array.astype(dtype)
    array.setflags(write=False)
    return array
