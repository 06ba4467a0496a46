"""The lattice of CTC: what a network says at every step, and all ways through it that make one labelling."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from course_lib.traces.base import Trace, array, tokens


@dataclass(frozen=True, eq=False)
class LatticeTrace(Trace):
    """One input, and the lattice of each labelling that it may have.

    Attributes:
        probabilities: (time, classes) of each label at each step, the blank first; each step's sum is 1.
        classes: what each label is.
        labellings: what is written; the first is looked at first.
        states: (labellings, states) the label of each state, blanks between; -1 behind the last.
        forward, backward: (labellings, time, states) log α and log β; -inf where no path comes.
        alignment: (labellings, time) the state of each labelling's likeliest path.
        log_likelihood: (labellings,) log p of each.
        picture: (rows, columns) what the network saw, 0 to 255, columns spanning all steps; None for none.
        title: what is shown, as a sentence.
    """

    probabilities: np.ndarray = field(metadata=array(np.float32, "time classes"))
    classes: tuple[str, ...] = field(metadata=tokens("classes"))
    labellings: tuple[str, ...] = field(metadata=tokens("labellings"))
    states: np.ndarray = field(metadata=array(np.int32, "labellings states"))
    forward: np.ndarray = field(metadata=array(np.float32, "labellings time states"))
    backward: np.ndarray = field(metadata=array(np.float32, "labellings time states"))
    alignment: np.ndarray = field(metadata=array(np.int32, "labellings time"))
    log_likelihood: np.ndarray = field(metadata=array(np.float32, "labellings"))
    picture: np.ndarray | None = field(default=None, metadata=array(np.uint8, "rows columns"))
    title: str = ""

    def validate(self) -> None:
        """Check that all can be drawn.

        Raises:
            ValueError: an empty axis, probabilities that are none, a labelling that cannot be, or a state of
                no label.
        """
        for name in ("probabilities", "forward"):
            if 0 in (shape := getattr(self, name).shape):
                raise ValueError(f"{name} must have no empty axis, got shape {shape}")
        least, sums = self.probabilities.min(), self.probabilities.sum(axis=1)
        if not (least >= 0 and np.abs(sums - 1).max() < 1e-3):
            raise ValueError(
                f"probabilities must be 0 or more and sum to 1, got {least:.4g} and more, "
                f"sums from {sums.min():.4g} to {sums.max():.4g}"
            )
        if not np.isfinite(self.log_likelihood).all():
            raise ValueError(f"log_likelihood must be finite, got {self.log_likelihood.tolist()}")
        if self.states.min() < -1 or self.states.max() >= len(self.classes):
            raise ValueError(
                f"states must be labels from 0 to {len(self.classes) - 1}, or -1, "
                f"got {self.states.min()} to {self.states.max()}"
            )

    @property
    def best_path(self) -> np.ndarray:
        """The likeliest label of each step, (time,)."""
        return np.asarray(self.probabilities.argmax(axis=1))
