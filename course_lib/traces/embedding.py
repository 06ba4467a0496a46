"""The trace of one t-SNE run: where every point was, frame by frame, and how far to believe the map."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields

import numpy as np

from course_lib.traces.base import Trace, array, names, tokens

OTHER_KINDS = ("data", "noise", "permuted")


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
        trustworthiness: at most 1, of the last frame; 1 where no point that is far in the original space has
            come near (Venna and Kaski 2001), None where it was not measured.
        pictures: uint8 (points, rows, columns), a thumbnail of each point, 0 is paper and 255 is ink.
        texts: (points,) strings, more about each point: the sentence around a word.
        others: float32 (others, points, 2), last layouts of further runs, to hold beside this one.
        other_kinds: (others,) what was laid out: "data" is the same points; "noise" and "permuted" are a
            random twin, whose point i has nothing to do with point i here.
        other_perplexities, other_kl, other_kept, other_trustworthiness: float (others,), as above, each
            measured against what was laid out.
        components: float32 (points, 3), the first principal components of the points, 0 where they have fewer
            features; a map without any choice, to hold beside the t-SNE map.
        component_shares: float (3,) from 0 to 1, the share of the variance that each component holds.
        components_kept: float (2,), `neighbours_kept` of the first two components, and of all three.

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
    trustworthiness: float | None = None
    pictures: np.ndarray | None = field(default=None, metadata=array(np.uint8, "points rows columns"))
    texts: tuple[str, ...] | None = field(default=None, metadata=names("points"))
    others: np.ndarray | None = field(default=None, metadata=array(np.float32, "others points plane"))
    other_kinds: tuple[str, ...] | None = field(default=None, metadata=names("others"))
    other_perplexities: np.ndarray | None = field(default=None, metadata=array(np.float64, "others"))
    other_kl: np.ndarray | None = field(default=None, metadata=array(np.float64, "others"))
    other_kept: np.ndarray | None = field(default=None, metadata=array(np.float64, "others"))
    other_trustworthiness: np.ndarray | None = field(default=None, metadata=array(np.float64, "others"))
    components: np.ndarray | None = field(default=None, metadata=array(np.float32, "points space"))
    component_shares: np.ndarray | None = field(default=None, metadata=array(np.float64, "space"))
    components_kept: np.ndarray | None = field(default=None, metadata=array(np.float64, "views"))

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
        if self.trustworthiness is not None and not self.trustworthiness <= 1:
            raise ValueError(f"trustworthiness is at most 1; got {self.trustworthiness}")
        if self.pictures is not None and 0 in self.pictures.shape:
            raise ValueError(f"pictures has one pixel or more a point; got shape {self.pictures.shape}")
        self._validate_neighbours(len(self))
        self._validate_others()
        self._validate_components()

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

    def _validate_others(self) -> None:
        told = {f.name: getattr(self, f.name) for f in fields(self) if f.name.startswith("other")}
        missing = [name for name, value in told.items() if value is None]
        if missing and len(missing) < len(told):
            raise ValueError(f"of other runs all is told or nothing; missing: {', '.join(missing)}")
        if missing:
            return
        unknown = set(told["other_kinds"]) - set(OTHER_KINDS)
        if unknown:
            raise ValueError(f"other_kinds holds {', '.join(OTHER_KINDS)}; got {sorted(unknown)}")
        for name, value in told.items():
            if isinstance(value, np.ndarray) and not np.isfinite(value).all():
                raise ValueError(f"{name} holds finite numbers; got NaN or infinity")
        if (told["other_perplexities"] <= 0).any():
            raise ValueError("other_perplexities are above 0")
        if ((told["other_kept"] < 0) | (told["other_kept"] > 1)).any():
            raise ValueError("other_kept are shares between 0 and 1")
        if (told["other_trustworthiness"] > 1).any():
            raise ValueError("other_trustworthiness are at most 1")

    def _validate_components(self) -> None:
        told = {f.name: getattr(self, f.name) for f in fields(self) if f.name.startswith("component")}
        missing = [name for name, value in told.items() if value is None]
        if missing and len(missing) < len(told):
            raise ValueError(f"of components all is told or nothing; missing: {', '.join(missing)}")
        if missing:
            return
        if told["components"].shape[1] != 3 or len(told["components_kept"]) != 2:
            raise ValueError(
                f"components has 3 columns and components_kept 2 values, of two columns and of three; "
                f"got {told['components'].shape[1]} and {len(told['components_kept'])}"
            )
        if not np.isfinite(told["components"]).all():
            raise ValueError("components holds finite numbers; got NaN or infinity")
        for name in ("component_shares", "components_kept"):
            if not ((told[name] >= 0) & (told[name] <= 1)).all():
                raise ValueError(f"{name} holds shares between 0 and 1; got {told[name].tolist()}")

    def group_names(self) -> tuple[str, ...]:
        """Return the classes, by value where all are numbers, else in order of first appearance.

        A class's colour is its place here.
        """
        names = dict.fromkeys(self.groups)
        numbers = all(re.fullmatch("[0-9]+", name) for name in names)
        return tuple(sorted(names, key=int) if numbers else names)
