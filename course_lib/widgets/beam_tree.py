"""The beam tree: replay a search step by step, and ask why a hypothesis was dropped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from course_lib.figures.beam import SCORES, describe_beam_tree, static_beam_tree
from course_lib.figures.display import Mode
from course_lib.figures.picture import Picture
from course_lib.traces import BeamTrace
from course_lib.widgets.base import TraceWidget, module_source, widget_css

WIDEST_BEAM = 20  # a wider one can't be read


class BeamTree(TraceWidget):
    """A `BeamTrace`, replayed in the browser without the kernel.

    Choices (arguments after the trace, or `select`):
        step: the last step shown, from 0; None shows all.
        node: the node that is explained; None takes the best one shown.
        score: the number in each node: "probability", "log" or "score".
        pruned: whether pruned nodes are shown.
        alpha: the power in the length penalty that the trace was made with; only beside `search`.
        dark, large: dark background (None: as the page), large type.

    With `search` the reader can move the beam width and alpha: the kernel searches again, once a change, and
    `trace` is the newest search.
    """

    trace: BeamTrace
    _esm = module_source("common.js", "beam_tree.js")
    _css = widget_css("beam_tree.css")
    _default_view: ClassVar[dict[str, Any]] = {
        "step": None,
        "node": None,
        "score": "log",
        "pruned": True,
        "alpha": None,
    }

    def __init__(
        self,
        trace: BeamTrace,
        *,
        search: Callable[[int, float], BeamTrace] | None = None,
        mode: Mode | None = None,
        **choices: Any,
    ) -> None:
        """Make the widget.

        Args:
            trace: the search that is shown first.
            search: (beam_size, alpha) -> the same search with another width and another length penalty.
            mode: "auto", "live" or "static"; None takes the environment variable COURSE_WIDGETS.
            choices: first values of `view`.

        Raises:
            ValueError: a mode or a choice that does not exist, or `search` without `alpha` or the reverse.
        """
        if (search is None) != (choices.get("alpha") is None):
            raise ValueError(
                "search and alpha belong together: alpha is the power that the trace was made with"
            )
        self._search = search
        super().__init__(trace, mode=mode, **choices)

    def picture(self) -> Picture:
        """Draw what is shown now as a picture with alt text."""
        step = None if self.view["step"] is None else min(self.view["step"], self.trace.last_step)
        figure = static_beam_tree(self.trace, step=step, score=self.view["score"], pruned=self.view["pruned"])
        return Picture.of(figure, describe_beam_tree(self.trace))

    def _answer(self, request: dict[str, Any]) -> BeamTrace:
        if request.get("want") == "search" and self._search is not None:
            # A view first asks whether there is a kernel that can search, with nothing to search for.
            if "beam_size" in request:
                self.trace = self._search(*_checked(request["beam_size"], request["alpha"]))
            return self.trace
        super()._answer(request)
        return self.trace

    def _check_view(self, view: dict[str, Any]) -> None:
        for name, size in (("step", self.trace.last_step + 1), ("node", len(self.trace))):
            value = view[name]
            if value is not None and not (type(value) is int and 0 <= value < size):
                raise ValueError(f"{name} must be a whole number from 0 to {size - 1} or None, got {value!r}")
        if view["score"] not in SCORES:
            raise ValueError(f"score must be one of {', '.join(SCORES)}, got {view['score']!r}")


def _checked(beam_size: Any, alpha: Any) -> tuple[int, float]:
    if type(beam_size) is not int or not 1 <= beam_size <= WIDEST_BEAM:
        raise ValueError(f"The beam width is a whole number from 1 to {WIDEST_BEAM}; got {beam_size}.")
    if type(alpha) not in (int, float) or not 0 <= alpha <= 2:
        raise ValueError(f"Alpha is a number from 0 to 2; got {alpha}.")
    return beam_size, float(alpha)
