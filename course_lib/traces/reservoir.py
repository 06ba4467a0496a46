"""A reservoir at work: what it hears, what its units do, and what its readout makes of that."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args

import numpy as np

from course_lib.traces.base import Trace, array, names

Scale = Literal["fixed", "largest", "own"]
Order = Literal["response", "variance", "number"]
_ORDERS = {
    "response": "by first response",
    "variance": "by variance, the liveliest first",
    "number": "by number",
}
_STILL = 1e-6  # a unit that moves less does not move


@dataclass(frozen=True, eq=False)
class ReservoirTrace(Trace):
    """What some units of a reservoir did while it heard a series.

    Attributes:
        activity: (steps, units) any finite numbers: states of an echo state network, traces or potentials of
            a liquid state machine.
        units: (units) the number of each unit in its network, from 0, in the order in which they are drawn.
        inputs: (steps, inputs) what is heard.
        outputs: (steps, outputs) what the readout says; NaN where it says nothing.
        targets: (steps, outputs) what it should say; NaN where nothing is asked.
        spikes: (steps, units) whether a unit fired.
        input_names: names of the inputs; None calls them "input".
        output_names: names of the outputs; None calls them "output".
        network_size: units of the whole network; 0 where all are shown.
        order: how the units are sorted, as words that can follow "sorted".
        first_step: the number of the first step.
        free_from: the step, from 0, from which on the network hears its own outputs; None is never.
        title: what the picture shows, as a sentence.
    """

    activity: np.ndarray = field(metadata=array(np.float32, "steps units"))
    units: np.ndarray = field(metadata=array(np.int32, "units"))
    inputs: np.ndarray = field(metadata=array(np.float32, "steps inputs"))
    outputs: np.ndarray | None = field(default=None, metadata=array(np.float32, "steps outputs"))
    targets: np.ndarray | None = field(default=None, metadata=array(np.float32, "steps outputs"))
    spikes: np.ndarray | None = field(default=None, metadata=array(np.bool_, "steps units"))
    input_names: tuple[str, ...] | None = field(default=None, metadata=names("inputs"))
    output_names: tuple[str, ...] | None = field(default=None, metadata=names("outputs"))
    network_size: int = 0
    order: str = ""
    first_step: int = 1
    free_from: int | None = None
    title: str = ""

    def __len__(self) -> int:
        return len(self.activity)

    def validate(self) -> None:
        """Check that there is something to show, and that it can be drawn.

        Raises:
            ValueError: an empty axis, a NaN or an infinity where none is allowed, units that are doubled or
                not of the network, a step that does not exist.
        """
        for name in ("activity", "inputs", "outputs", "targets"):
            values = getattr(self, name)
            if values is not None:
                _check_numbers(name, values, nan=name in ("outputs", "targets"))
        numbers = self.units.tolist()
        if min(numbers) < 0 or len(set(numbers)) < len(numbers):
            raise ValueError(f"units must differ and be 0 or more, got {numbers}")
        if self.network_size and max(numbers) >= self.network_size:
            raise ValueError(f"units must lie in 0 to {self.network_size - 1}, got {max(numbers)}")
        if self.free_from is not None and not 0 <= self.free_from < len(self):
            raise ValueError(f"free_from must lie in 0 to {len(self) - 1} or be None, got {self.free_from}")

    @classmethod
    def from_states(
        cls,
        states: np.ndarray,
        inputs: np.ndarray,
        *,
        order: Order = "response",
        most: int = 100,
        spikes: np.ndarray | None = None,
        **others: Any,
    ) -> Self:
        """Choose and sort the units of a network; those shown are a fair sample of all.

        Args:
            states: (steps, units): what `EchoStateNetwork.listen` or `LiquidStateMachine.run` returns.
            inputs: (steps, inputs) what was heard.
            order: "response", by the first step at which a unit is half as far from its start as it ever
                gets; "variance", the liveliest first; "number".
            most: units shown; of more, as many at equal distances in the sorted row.
            spikes: (steps, units) whether a unit fired.
            others: other fields of the trace.

        Raises:
            ValueError: an order that does not exist, fewer than 1 unit, or what `validate` refuses.
        """
        if order not in get_args(Order):
            raise ValueError(f"order must be one of {', '.join(get_args(Order))}, got {order!r}")
        if most < 1:
            raise ValueError(f"most must be 1 or more, got {most}")
        states = np.asarray(states)
        if states.ndim != 2 or 0 in states.shape:
            raise ValueError(f"states must be (steps, units), at least one of each, got shape {states.shape}")
        _check_numbers("states", states)
        sorted_units = _sorted_units(states, order)
        size = len(sorted_units)
        chosen = sorted_units[np.linspace(0, size - 1, min(most, size)).round().astype(int)]
        return cls(
            states[:, chosen],
            chosen,
            inputs,
            spikes=None if spikes is None else np.asarray(spikes)[:, chosen],
            network_size=size,
            order=_ORDERS[order],
            **others,
        )

    def place_of(self, unit: int | None) -> int:
        """Return where the unit of this number is drawn, from 0; None is the first.

        Raises:
            ValueError: it is not shown.
        """
        numbers = self.units.tolist()
        if unit is not None and unit not in numbers:
            raise ValueError(f"unit must be one of the {len(numbers)} that are shown, got {unit!r}")
        return 0 if unit is None else numbers.index(unit)

    def colours(self, scale: Scale = "fixed") -> tuple[np.ndarray, float, float]:
        """Return what is coloured, (steps, units), and the two ends of the colours.

        Args:
            scale: "fixed", to 1 or to the largest activity if that is more; "largest", to the largest;
                "own", each unit's distance from its mean as a share of its largest, from −1 to 1: this shows
                how units move, whatever their level.

        Raises:
            ValueError: a scale that does not exist.
        """
        if scale not in get_args(Scale):
            raise ValueError(f"scale must be one of {', '.join(get_args(Scale))}, got {scale!r}")
        if scale == "own":
            moved = self.activity - self.activity.mean(axis=0)
            return moved / np.maximum(np.abs(moved).max(axis=0), _STILL), -1.0, 1.0
        largest = float(np.abs(self.activity).max())
        reach = max(largest, 1.0) if scale == "fixed" or largest == 0 else largest
        return self.activity, -reach if self.activity.min() < 0 else 0.0, reach

    def error(self, steps: slice = slice(None)) -> float | None:
        """Return the root mean square of output − target over steps, or None where nothing was asked."""
        if self.outputs is None or self.targets is None:
            return None
        gaps = (self.outputs - self.targets)[steps].astype(float)
        known = gaps[~np.isnan(gaps)]
        return float(np.sqrt(np.mean(known**2))) if known.size else None


def _sorted_units(states: np.ndarray, order: Order) -> np.ndarray:
    if order == "number":
        return np.arange(states.shape[1])
    if order == "variance":
        return np.argsort(-states.var(axis=0), kind="stable")
    moved = np.abs(states - states[0])
    return np.argsort((moved >= moved.max(axis=0) / 2).argmax(axis=0), kind="stable")


def _check_numbers(name: str, values: np.ndarray, nan: bool = False) -> None:
    if 0 in values.shape:
        raise ValueError(f"{name} must have no empty axis, got shape {values.shape}")
    wrong = np.isinf(values) if nan else ~np.isfinite(values)
    if wrong.any():
        step, column = np.argwhere(wrong)[0]
        allowed = "finite or NaN" if nan else "finite"
        raise ValueError(
            f"{name} must be {allowed}, but step {step}, column {column} has {values[step, column]}"
        )
