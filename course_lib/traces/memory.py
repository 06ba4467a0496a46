"""A memory at work: where a network wrote, where it read, and what stood in each row."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from course_lib.traces.base import Trace, array, tokens

_TOLERANCE = 2e-3  # half precision leaves a sum this far from 1


@dataclass(frozen=True, eq=False)
class MemoryTrace(Trace):
    """What one run of a network with a tape left.

    Attributes:
        write: (steps, rows) weights of the head that writes, 0 to 1; each step's sum is 1 at most.
        read: (steps, rows) weights of the head that reads, likewise.
        rows: (steps, rows, size) what stands in each row after the step.
        inputs: (steps, inputs) what the network saw.
        outputs: (steps, outputs) what it said, 0 to 1.
        steps: what each step is; strings may repeat.
        title: what the picture shows, as a sentence.
    """

    write: np.ndarray = field(metadata=array(np.float32, "steps rows"))
    read: np.ndarray = field(metadata=array(np.float32, "steps rows"))
    rows: np.ndarray = field(metadata=array(np.float32, "steps rows size"))
    inputs: np.ndarray = field(metadata=array(np.float32, "steps inputs"))
    outputs: np.ndarray = field(metadata=array(np.float32, "steps outputs"))
    steps: tuple[str, ...] = field(metadata=tokens("steps"))
    title: str = ""

    def __len__(self) -> int:
        return len(self.steps)

    def validate(self) -> None:
        """Check that the weights are weights, and that all can be drawn.

        Raises:
            ValueError: an empty axis, a NaN or an infinity, a weight outside 0 to 1, or weights of a step
                with a sum above 1.
        """
        for name in ("write", "read", "rows", "inputs", "outputs"):
            values = getattr(self, name)
            if 0 in values.shape:
                raise ValueError(f"{name} must have no empty axis, got shape {values.shape}")
            if not np.isfinite(values).all():
                raise ValueError(f"{name} must be finite, got {values[~np.isfinite(values)][0]}")
        for name in ("write", "read"):
            weights = getattr(self, name)
            if weights.min() < -_TOLERANCE or weights.max() > 1 + _TOLERANCE:
                raise ValueError(f"{name} must lie in 0 to 1, got {weights.min():.4g} to {weights.max():.4g}")
            step = int(weights.sum(axis=1).argmax())
            if weights[step].sum() > 1 + _TOLERANCE:
                raise ValueError(
                    f"{name} must sum to at most 1, but step {step} has {weights[step].sum():.4g}"
                )
