"""Gates of a run: what a recurrent layer let in, kept and showed at each character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from course_lib.traces.base import Trace, array, names, tokens

# What a gated layer computes, and between which numbers it lies; a cell may hold any number.
RANGES: dict[str, tuple[float, float]] = {
    "input": (0, 1),
    "forget": (0, 1),
    "output": (0, 1),
    "reset": (0, 1),
    "update": (0, 1),
    "candidate": (-1, 1),
    "cell": (-np.inf, np.inf),
    "hidden": (-1, 1),
}
# Half precision leaves a gate this far outside its range.
_TOLERANCE = 2e-3


@dataclass(frozen=True, eq=False)
class GateTrace(Trace):
    """What one gated layer computed while it read one text.

    Attributes:
        values: (quantities, characters, units); gates from 0 to 1, candidate and hidden from −1 to 1, a cell
            any finite number. NaN is allowed and shown as NaN.
        quantities: what each slice is: "input", "forget", "output", "candidate", "cell", "hidden" of an LSTM;
            "reset", "update", "candidate", "hidden" of a GRU; or some of them.
        characters: what was read, one string a step; strings may repeat.
        title: what the picture shows, as a sentence.
    """

    values: np.ndarray = field(metadata=array(np.float32, "quantities characters units"))
    quantities: tuple[str, ...] = field(metadata=names("quantities"))
    characters: tuple[str, ...] = field(metadata=tokens("characters"))
    title: str = ""

    def __len__(self) -> int:
        return len(self.characters)

    def validate(self) -> None:
        """Check that each quantity is known, stands once and lies in its range.

        Raises:
            ValueError: an empty axis, an unknown or doubled quantity, a value outside its range, infinity.
        """
        if 0 in self.values.shape:
            raise ValueError(f"values must have no empty axis, got shape {self.values.shape}")
        for place, name in enumerate(self.quantities):
            if name not in RANGES:
                raise ValueError(f"quantities must be among {', '.join(RANGES)}, got {name!r}")
            if name in self.quantities[:place]:
                raise ValueError(f"quantities must differ, got {name!r} twice")
            self._check_range(name, self.values[place])

    def _check_range(self, name: str, values: np.ndarray) -> None:
        if np.isinf(values).any():
            raise ValueError(f"values of {name} must be finite or NaN, got infinity")
        low, high = RANGES[name]
        outside = (values < low - _TOLERANCE) | (values > high + _TOLERANCE)  # never so for NaN
        if outside.any():
            time, unit = np.argwhere(outside)[0]
            raise ValueError(
                f"values of {name} must lie in {low} to {high}, but character {time}, unit {unit} "
                f"has {values[time, unit]:.4g}"
            )

    @classmethod
    def from_watch(cls, gates: Any, characters: Sequence[str], title: str = "") -> Self:
        """Make a trace of what `GatedLayer.watch` returns.

        Args:
            gates: a named tuple of arrays or tensors, each (1, characters, units) or (characters, units).
            characters: what was read; a str is taken apart into its characters.
            title: what the picture shows, as a sentence.

        Raises:
            TypeError: gates have no names.
            ValueError: a batch of more than one text, or what `validate` refuses.
        """
        if not hasattr(gates, "_fields"):
            raise TypeError(
                f"gates must be a named tuple, as GatedLayer.watch returns, got {type(gates).__name__}"
            )
        tracks = [np.asarray(track) for track in gates]
        if tracks[0].ndim == 3:
            if len(tracks[0]) != 1:
                raise ValueError(f"gates must be of one text, got a batch of {len(tracks[0])}")
            tracks = [track[0] for track in tracks]
        return cls(np.stack(tracks), gates._fields, tuple(characters), title=title)

    def of(self, quantity: str) -> np.ndarray:
        """Return one quantity, (characters, units).

        Raises:
            ValueError: the trace has no such quantity.
        """
        if quantity not in self.quantities:
            raise ValueError(f"quantity must be one of {', '.join(self.quantities)}, got {quantity!r}")
        return self.values[self.quantities.index(quantity)]

    def reach(self, quantity: str) -> float:
        """Return the end of the quantity's scale: 1, or for a cell its largest magnitude, at least 1."""
        values = np.abs(self.of(quantity))
        return 1.0 if quantity != "cell" else float(np.nanmax(values, initial=1.0))

    @staticmethod
    def is_signed(quantity: str) -> bool:
        """Whether the quantity can be below 0, and so is drawn from a middle."""
        return RANGES[quantity][0] < 0
