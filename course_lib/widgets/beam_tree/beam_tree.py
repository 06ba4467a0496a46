"""The beam tree: replay a search step by step, change it, and ask why a hypothesis was dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from course_lib.decoding.beam import PRUNED_SHOWN
from course_lib.decoding.penalty import FORMULAS, Kind, LengthPenalty
from course_lib.decoding.problem import TOP, Recorder, SearchProblem, TextModel
from course_lib.decoding.replay import replay
from course_lib.decoding.table import read_table, table_record
from course_lib.figures.beam import SCORES, describe_beam_tree, static_beam_tree
from course_lib.figures.display import Mode
from course_lib.figures.picture import Picture
from course_lib.traces import BeamTrace
from course_lib.traces.base import Trace
from course_lib.traces.expansions import ExpansionTrace
from course_lib.widgets.beam_tree.beam_settings import (
    SETTINGS,
    WIDEST_BEAM,
    check_settings,
    form_of,
    record_of,
    settings_of,
)
from course_lib.widgets.shared.base import TraceWidget, widget_css, widget_module
from course_lib.widgets.shared.typed import Reading, TextReader, typed_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class _Made(Trace):
    """With which settings the tree was made, and what the kernel can do."""

    settings: dict[str, Any]
    can: dict[str, bool]


class BeamTree(TraceWidget):
    """A beam search, replayed in the browser, and searched again under other settings.

    Three ways to make one: `from_translator` and `from_problem` search a model and record what it says, so
    that most settings are replayed without the kernel; `from_table` needs no model; and the constructor shows
    a trace that is there already.

    Choices (arguments, or `select`):
        step: the last step shown, from 0; None shows all.
        node: the node that is explained; None takes the best one shown.
        score: the number in each node: "probability", "log" or "score".
        pruned: whether pruned nodes are shown.
        beam_size, kind, alpha, temperature: of the search shown: k from 1 to 20; the length penalty
            ("none", "average", "gnmt") and its power from 0 to 2; from 0.1 to 10. From Python they can become
            what the record holds; in the browser also what the kernel must search for.
        table: a table that is searched in place of the model, as the widget's own form makes it.
        show_greedy, show_reference: whether these paths are drawn.
        predict: whether the next step's winners are hidden, to be guessed.
        dark, large: dark background (None: as the page), large type.

    `trace` is the tree now shown.
    """

    trace: BeamTrace
    _esm = widget_module(
        Path(__file__).with_suffix(".js"),
        FORMULAS=FORMULAS,
        PRUNED_SHOWN=PRUNED_SHOWN,
        WIDEST_BEAM=WIDEST_BEAM,
    )
    _css = widget_css(Path(__file__).with_suffix(".css"))
    _default_view: ClassVar[dict[str, Any]] = {
        "step": None,
        "node": None,
        "score": "log",
        "pruned": True,
        "beam_size": None,
        "kind": None,
        "alpha": None,
        "temperature": None,
        "table": None,
        "show_greedy": True,
        "show_reference": True,
        "predict": False,
    }

    def __init__(
        self,
        trace: BeamTrace,
        *,
        search: Callable[[int, float], BeamTrace] | None = None,
        recorder: Recorder | None = None,
        record: ExpansionTrace | None = None,
        search_text: Callable[[str], SearchProblem] | None = None,
        read: Callable[[str], Reading] | None = None,
        mode: Mode | None = None,
        **choices: Any,
    ) -> None:
        """Make the widget.

        Args:
            trace: the search that is shown first.
            search: (beam_size, alpha) -> the same search with another width and another length penalty.
            recorder: searches the same problem with any settings, and keeps what the model says.
            record: what the model said; None takes the recorder's.
            search_text: (text) -> the problem of another text; the reader then can type one.
            read: (text) -> what the model reads of it, shown below the text.
            mode: "auto", "live", "static" or "page"; None takes the environment variable COURSE_WIDGETS.
            choices: first values of `view`. With a record: `kind` and `alpha` that the trace was made with.

        Raises:
            ValueError: a mode or a choice that does not exist, or `search` without `alpha` or the reverse.
        """
        self._record = recorder.record() if recorder is not None and record is None else record
        if self._record is None and (search is None) != (choices.get("alpha") is None):
            raise ValueError(
                "search and alpha belong together: alpha is the power that the trace was made with"
            )
        if self._record is not None and (choices.get("kind") is None or choices.get("alpha") is None):
            raise ValueError("a record needs kind and alpha, the length penalty that the trace was made with")
        self._search, self._recorder, self._search_text, self._read = search, recorder, search_text, read
        choices.setdefault("beam_size", trace.beam_size)
        if self._record is not None:
            choices.setdefault("temperature", trace.temperature)
        self._home = trace, {name: choices.get(name) for name in SETTINGS}
        self._shown = self._home[1]
        super().__init__(trace, mode=mode, **choices)

    @classmethod
    def from_problem(
        cls,
        problem: SearchProblem,
        *,
        beam_size: int = 3,
        kind: Kind = "average",
        alpha: float = 1.0,
        temperature: float = 1.0,
        beam_sizes: Iterable[int] = range(1, 6),
        temperatures: Iterable[float] = (0.5, 2.0),
        top: int = TOP,
        search_text: Callable[[str], SearchProblem] | None = None,
        read: Callable[[str], Reading] | None = None,
        mode: Mode | None = None,
        **choices: Any,
    ) -> Self:
        """Search a problem with its model, and record enough to replay other searches.

        Args:
            problem: what is searched.
            beam_size, kind, alpha, temperature: of the search that is shown first.
            beam_sizes: widths that are replayed under every length penalty, at this temperature.
            temperatures: those that are replayed under every length penalty, at this width.
            top: continuations recorded of each prefix.
            search_text: (text) -> the problem of another text; the reader then can type one.
            read: (text) -> what the model reads of it, shown below the text.
            mode: "auto", "live", "static" or "page"; None takes the environment variable COURSE_WIDGETS.
            choices: first values of `view`.

        Raises:
            ValueError: an argument is out of its range.
        """
        settings = settings_of(beam_size, kind, alpha, temperature)
        beam_sizes, temperatures = tuple(beam_sizes), tuple(temperatures)
        recorder = Recorder(problem, max(top, beam_size + 2, *(size + 2 for size in beam_sizes)))
        trace = recorder.search(beam_size, LengthPenalty(kind, alpha), temperature)
        recorder.explore(sorted({*beam_sizes, beam_size}), (temperature,))
        recorder.explore((beam_size,), temperatures)
        settings = {
            "beam_size": beam_size,
            "kind": kind,
            "alpha": float(alpha),
            "temperature": float(temperature),
        }
        return cls(
            trace, recorder=recorder, search_text=search_text, read=read, mode=mode, **settings, **choices
        )

    @classmethod
    def from_translator(
        cls,
        translator: TextModel,
        text: str,
        *,
        max_length: int | None = None,
        reference: str | Sequence[int] | None = None,
        search_text: bool = True,
        **settings: Any,
    ) -> Self:
        """Search the translation of a text; the reader can type others.

        Args:
            translator: the model.
            text: the source sentence.
            max_length: most tokens to write; None for twice what is read and five more.
            reference: a translation held to be right, as text, or as ids with the end-of-sentence token.
            search_text: whether the reader can type another sentence.
            settings: as for `from_problem`.

        Raises:
            ValueError: an empty text, or an argument out of its range.
        """

        def another(typed: str) -> SearchProblem:
            text = typed_text(typed, translator.source_pieces)
            return SearchProblem.translation(translator, text, max_length)

        read = None
        if search_text and isinstance(translator, TextReader):  # the first time takes seconds
            read = partial(Reading.of_text, translator)
        problem = SearchProblem.translation(translator, text, max_length, reference)
        return cls.from_problem(problem, search_text=another if search_text else None, read=read, **settings)

    @classmethod
    def from_table(
        cls,
        table: Sequence[Sequence[float]] | np.ndarray | str,
        tokens: Sequence[str] | None = None,
        *,
        by: str = "step",
        weights: bool = False,
        eos: int | None = None,
        steps: int | None = None,
        beam_size: int = 3,
        kind: Kind = "none",
        alpha: float = 1.0,
        temperature: float = 1.0,
        reference: Sequence[int] | None = None,
        mode: Mode | None = None,
        **choices: Any,
    ) -> Self:
        """Search a plain table of probabilities; no kernel is ever needed.

        Args:
            table: a row for each step, or for each last token; numbers, or text as for `read_table`.
            tokens: names of the columns; None numbers them from 0.
            by: "step" or "token", what a row stands for; by token, the search begins with the first row.
            weights: whether rows that do not sum to 1 are taken as they are.
            eos: the column of the token that ends a sequence; None where nothing does.
            steps: most tokens to write; None for the number of rows.
            beam_size, kind, alpha, temperature: of the search that is shown first.
            reference: columns that somebody holds to be right.
            mode: "auto", "live", "static" or "page"; None takes the environment variable COURSE_WIDGETS.
            choices: first values of `view`.

        Raises:
            ValueError: what is wrong with the table, or an argument out of its range.
        """
        settings = {
            "beam_size": beam_size,
            "kind": kind,
            "alpha": float(alpha),
            "temperature": float(temperature),
        }
        check_settings(settings)
        named, rows = (
            read_table(table) if isinstance(table, str) else (None, [list(map(float, r)) for r in table])
        )
        names = named if tokens is None else tuple(tokens)
        form = form_of(rows, names, by, weights, eos, steps)
        record = table_record(rows, names, by, weights, eos, steps, "a table")
        texts = dict(zip(record.known.tolist(), record.token, strict=True))
        for token in reference or ():
            if token not in texts:
                raise ValueError(f"reference holds {token}; the columns go from 0 to {len(texts) - 1}")
        held = None if reference is None else (tuple(reference), tuple(texts[i] for i in reference))
        trace = replay(record, beam_size, LengthPenalty(kind, alpha), temperature, held)
        return cls(trace, record=record, mode=mode, **{"table": form, **settings, **choices})

    def picture(self) -> Picture:
        """Draw what is shown now as a picture with alt text."""
        return Picture.of(self._figure(), describe_beam_tree(self.trace))

    def save_svg(self, path: str | Path) -> Path:
        """Write the picture as an SVG file, sharp at any size and with its alt text, and return its path."""
        metadata = {"Description": describe_beam_tree(self.trace)}
        self._figure().savefig(path, format="svg", bbox_inches="tight", metadata=metadata)
        return Path(path)

    def _figure(self) -> Figure:
        step = None if self.view["step"] is None else min(self.view["step"], self.trace.last_step)
        view = self.view
        return static_beam_tree(
            self.trace,
            step=step,
            score=view["score"],
            pruned=view["pruned"],
            greedy=view["show_greedy"],
            reference=view["show_reference"],
        )

    def _content(self) -> Mapping[str, Trace]:
        record = {} if self._record is None else {"record": self._record}
        tree = self._home[0]
        reading = {} if self._read is None else {"reading": self._read(tree.source)}
        return {"tree": tree, **record, **reading, "made": self._made()}

    def _made(self) -> _Made:
        searches = self._search is not None or self._recorder is not None
        return _Made(self._home[1], {"search": searches, "text": self._search_text is not None})

    def _answer(self, request: dict[str, Any]) -> Mapping[str, Trace]:
        want = request.get("want")
        settings: dict[str, Any] = {name: request.get(name) for name in SETTINGS}
        if not self._made().can.get(str(want)):
            raise ValueError(f"{type(self).__name__} cannot answer the request {request!r}")
        if "beam_size" not in request:  # a view asks whether there is a kernel, with nothing to search for
            return {"made": self._made()}
        check_settings(settings)
        beam_size, kind, alpha, temperature = (settings[name] for name in SETTINGS[:4])
        if want == "text" and self._search_text is not None:
            self._recorder = Recorder(self._search_text(request["text"]), TOP)
        if self._recorder is not None:
            trace = self._recorder.search(beam_size, LengthPenalty(kind, alpha), temperature)
            sizes = range(1, beam_size + 1) if want == "text" else (beam_size,)
            self._recorder.explore(sizes, (temperature,))
            self._record = self._recorder.record()
        else:
            assert self._search is not None
            trace = self._search(beam_size, float(alpha))
        self.trace, self._home, self._shown = trace, (trace, settings), settings
        self._keep_content()
        return self._content()

    def _check_view(self, view: dict[str, Any]) -> None:
        settings = {name: view[name] for name in SETTINGS}
        trace = self.trace if settings == self._shown else self._replay(settings)
        for name, size in (("step", trace.last_step + 1), ("node", len(trace))):
            value = view[name]
            if value is not None and not (type(value) is int and 0 <= value < size):
                raise ValueError(f"{name} must be a whole number from 0 to {size - 1} or None, got {value!r}")
        if view["score"] not in SCORES:
            raise ValueError(f"score must be one of {', '.join(SCORES)}, got {view['score']!r}")
        self.trace, self._shown = trace, settings

    def _replay(self, settings: dict[str, Any]) -> BeamTrace:
        """Return the tree that the browser shows under these settings."""
        home, made = self._home
        if settings == made:
            return home
        if self._record is None:
            changed = [name for name in SETTINGS if settings[name] != made[name]]
            raise ValueError(f"{changed[0]} is what the trace was made with; only the reader can search anew")
        check_settings(settings)
        penalty = LengthPenalty(settings["kind"], settings["alpha"])
        given = settings["table"] == made["table"]
        record = self._record if given else record_of(settings["table"])
        held = (
            None if home.reference is None or not given else (home.reference.tolist(), home.reference_token)
        )
        return replay(record, settings["beam_size"], penalty, settings["temperature"], held)
