"""The lattice view: what CTC sums, for each labelling, over what the network saw."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from course_lib.figures.lattice import MAPS, MOVES_UP_TO, describe_lattice, static_lattice
from course_lib.figures.picture import Picture
from course_lib.traces.lattice import LatticeTrace
from course_lib.widgets.shared.base import TraceWidget, widget_css, widget_module


class LatticeView(TraceWidget):
    """A `LatticeTrace`, labelling by labelling and map by map in the browser without the kernel.

    Above what the network saw, then its best path; below, over the same steps, a map of the states of the
    chosen labelling, with its likeliest path. In a short lattice every move is drawn.

    Choices (arguments after the trace, or `select`):
        labelling: which, from 0.
        kind: "posterior", "forward" or "backward".
        time, state: what is read out, from 0; state None is the one of the likeliest path.
        dark, large: dark background (None: as the page), large type.
    """

    trace: LatticeTrace
    _esm = widget_module(Path(__file__).with_suffix(".js"), MAPS=MAPS, MOVES_UP_TO=MOVES_UP_TO)
    _css = widget_css(Path(__file__).with_suffix(".css"))
    _default_view: ClassVar[dict[str, Any]] = {"labelling": 0, "kind": "posterior", "time": 0, "state": None}

    def picture(self) -> Picture:
        """Draw what is shown now as a picture with alt text."""
        shown = {"labelling": self.view["labelling"], "kind": self.view["kind"]}
        return Picture.of(static_lattice(self.trace, **shown), describe_lattice(self.trace, **shown))

    def _check_view(self, view: dict[str, Any]) -> None:
        if view["kind"] not in MAPS:
            raise ValueError(f"kind must be one of {', '.join(map(repr, MAPS))}, got {view['kind']!r}")
        sizes = {"labelling": len(self.trace.labellings), "time": len(self.trace.probabilities)}
        for name, size in sizes.items():
            if type(view[name]) is not int or not 0 <= view[name] < size:
                raise ValueError(f"{name} must be a whole number from 0 to {size - 1}, got {view[name]!r}")
        states = int((self.trace.states[view["labelling"]] >= 0).sum())
        state = view["state"]
        if state is not None and (type(state) is not int or not 0 <= state < states):
            raise ValueError(f"state must be a whole number from 0 to {states - 1} or None, got {state!r}")
