"""Maps on pictures: where a network looks, step by step or class by class."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from course_lib.traces.base import Trace, array, names


@dataclass(frozen=True, eq=False)
class OverlayTrace(Trace):
    """Pictures, and what lies on them: for each picture and step one map of each kind.

    Attributes:
        pictures: (pictures, height, width, 3) uint8.
        picture_names: what each shows.
        maps: (pictures, steps, kinds, rows, columns) 0 or more, from the upper left; coarse or fine, each
            map spans its whole picture.
        steps: (pictures, steps) what each step is: a class, or a word that was said.
        kinds: what the maps of a step are called.
        title: what is shown, as a sentence.
        candidates: (pictures, steps, candidates) what the network would say at each step; None where nothing.
        candidate_probabilities: of these, 0 to 1.
    """

    pictures: np.ndarray = field(metadata=array(np.uint8, "pictures height width colours"))
    picture_names: tuple[str, ...] = field(metadata=names("pictures"))
    maps: np.ndarray = field(metadata=array(np.float32, "pictures steps kinds rows columns"))
    steps: tuple[tuple[str, ...], ...] = field(metadata=names("pictures steps"))
    kinds: tuple[str, ...] = field(metadata=names("kinds"))
    title: str = ""
    candidates: tuple[tuple[tuple[str, ...], ...], ...] | None = field(
        default=None, metadata=names("pictures steps candidates")
    )
    candidate_probabilities: np.ndarray | None = field(
        default=None, metadata=array(np.float32, "pictures steps candidates")
    )

    def validate(self) -> None:
        """Check that all can be drawn.

        Raises:
            ValueError: an empty axis, pictures without three colours, a number of a map that is below 0 or
                not finite, candidates without probabilities or the other way round, or no probabilities.
        """
        for name in ("pictures", "maps"):
            values = getattr(self, name)
            if 0 in values.shape:
                raise ValueError(f"{name} must have no empty axis, got shape {values.shape}")
        if self.pictures.shape[3] != 3:
            raise ValueError(f"pictures must have 3 colours, got {self.pictures.shape[3]}")
        wrong = self.maps[~(np.isfinite(self.maps) & (self.maps >= 0))]
        if wrong.size:
            raise ValueError(f"maps must be finite and 0 or more, got {wrong[0]:.4g}")
        if (self.candidates is None) != (self.candidate_probabilities is None):
            raise ValueError("candidates and candidate_probabilities must come together, got one of them")
        if self.candidate_probabilities is not None:
            chances = self.candidate_probabilities
            wrong = chances[~((chances >= 0) & (chances <= 1))]
            if wrong.size:
                raise ValueError(f"candidate_probabilities must be from 0 to 1, got {wrong[0]:.4g}")
