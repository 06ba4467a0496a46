"""What of a paper is done, by its visible tests, in seconds; and what was done when that was last asked."""

import contextlib
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course_tools.papers.canonical import SubmissionError, canonicalise
from course_tools.papers.kernel import ENDED, NOT_RUN, SECONDS_FOR_CELL, TIMED_OUT, run_cells
from course_tools.papers.paper import Exercise, Paper, read_work

EMPTY, WRONG, DONE, WRITTEN, UNCHECKED = "not written yet", "not right yet", "done", "written", "not checked"
RECORD = ".course_progress.json"


@dataclass(frozen=True)
class Outcome:
    """How an exercise stands.

    Attributes:
        exercise: the exercise.
        state: `EMPTY`; `WRONG`; `DONE`, if all visible tests hold; `WRITTEN`, if a person marks it;
            `UNCHECKED`, if it could not be found out.
        message: what to do about it, or empty.
    """

    exercise: Exercise
    state: str
    message: str = ""

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do."""
        return self.state in (DONE, WRITTEN)


class Work:
    """A student's notebook, with the answers in the course's own copy of the paper.

    Args:
        paper: the paper.
        path: the student's notebook.

    Attributes:
        notebook: the paper with the student's answers and own cells: what will be graded.
        notes: what is odd about the student's notebook, in words.

    Raises:
        ValueError: it is no notebook, or none of this paper.
        OSError: it cannot be read.
    """

    def __init__(self, paper: Paper, path: Path) -> None:
        self.paper, self.path = paper, path
        try:
            self.notebook, self.notes = canonicalise(paper.notebook, read_work(path))
        except SubmissionError as error:
            raise ValueError(f"{path} is not the notebook of {paper.name}: {error}") from error
        self.cells = {name_of(cell): cell for cell in self.notebook.cells if name_of(cell)}

    def answer(self, exercise: Exercise) -> str:
        """The text of an answer; empty if it is still the paper's."""
        text = str(self.cells[exercise.name].source)
        return "" if text.split() == exercise.stub.split() else text

    def is_locked(self, cell: Any) -> bool:
        """Whether a cell is the paper's and neither an answer nor a test."""
        mark = cell.metadata.get("nbgrader", {})
        return bool(mark) and not mark.get("solution") and not mark.get("grade")

    def is_shown(self, cell: Any) -> bool:
        """Whether a cell is the paper's and asks for nothing."""
        return not name_of(cell) and any(cell.id == own.id for own in self.paper.notebook.cells)

    def fingerprint(self, exercise: Exercise) -> str:
        """A short text that changes with the answer and with its tests."""
        tests = [self.cells[name].source for name in exercise.tests]
        return hashlib.sha256("\0".join([self.answer(exercise), *tests]).encode()).hexdigest()[:16]

    def untested(self, exercise: Exercise) -> Outcome | None:
        """How an exercise stands that needs no test; None if it needs one."""
        if not self.answer(exercise).strip():
            return Outcome(exercise, EMPTY)
        if exercise.by_hand:
            return Outcome(exercise, WRITTEN, f"{len(self.answer(exercise).split())} words, marked by hand")
        return None

    def cells_to_run(self, exercises: set[str]) -> list[Any]:
        """What must run to test some exercises: not what the paper only shows, nor the other tests."""
        tests = {test for e in self.paper.exercises for test in e.tests if e.name not in exercises}
        return [
            cell
            for cell in self.notebook.cells
            if cell.cell_type == "code" and not self.is_shown(cell) and name_of(cell) not in tests
        ]


@dataclass
class Run:
    """What running cells of a student's notebook tells about its exercises.

    Args:
        work: the student's notebook.
        exercises: which exercises are asked for.
        report: called with each outcome as soon as it is known, in the order of the paper.

    Attributes:
        outcomes: one for each exercise, in order.
        errors: the name and text of the error of each cell that ran, by grade id, else by id.
    """

    work: Work
    exercises: tuple[Exercise, ...]
    report: Callable[[Outcome], object] = lambda outcome: None
    outcomes: list[Outcome] = field(default_factory=list)
    errors: dict[str, tuple[str, str]] = field(default_factory=dict)

    def __call__(self, cells: list[Any], seconds: float = SECONDS_FOR_CELL) -> list[Outcome]:
        """Run cells, and keep what came out for `course progress`.

        Raises:
            RuntimeError: a cell that the paper locks stops.
        """
        self._tell_what_is_known()
        if len(self.outcomes) < len(self.exercises):
            run_cells(cells, self.work.path.parent, self._ran, seconds)
        keep_record(self.work, self.outcomes)
        return self.outcomes

    def _ran(self, cell: Any, error: str, text: str) -> None:
        self.errors[name_of(cell) or cell.id] = error, text
        if error and self.work.is_locked(cell):
            raise RuntimeError(f"the paper's cell {name_of(cell)!r}: {in_words(error, text)}")
        self._tell_what_is_known()

    def _tell_what_is_known(self) -> None:
        for exercise in self.exercises[len(self.outcomes) :]:
            outcome = self.work.untested(exercise)
            if outcome is None and any(name not in self.errors for name in (exercise.name, *exercise.tests)):
                return
            self.outcomes.append(outcome or _judge(exercise, self.errors))
            self.report(self.outcomes[-1])


def check(
    work: Work, exercises: tuple[Exercise, ...], report: Callable[[Outcome], object] = lambda outcome: None
) -> list[Outcome]:
    """Run the visible tests of some exercises; one outcome for each, in order (see `Run`)."""
    run = Run(work, exercises, report)
    return run(work.cells_to_run({e.name for e in exercises if work.untested(e) is None}))


def _judge(exercise: Exercise, errors: dict[str, tuple[str, str]]) -> Outcome:
    """Say how an exercise stands by the errors of its cells, the answer's first."""
    for name in (exercise.name, *exercise.tests):
        error, text = errors.get(name, ("", ""))
        if error == NOT_RUN:
            return Outcome(exercise, UNCHECKED, "an earlier cell ended Python or could not be stopped")
        if error == "CheckError":
            return Outcome(exercise, WRONG, text)
        if error:
            whose = "your answer's cell" if name == exercise.name else "the check of your answer"
            return Outcome(exercise, WRONG, f"{whose}: {in_words(error, text)}")
    return Outcome(exercise, DONE)


def in_words(error: str, text: str) -> str:
    """What went wrong in a cell, as `run_cells` tells it, as the end of a sentence."""
    if error in (TIMED_OUT, ENDED):
        return text
    # Python adds the file's name, which is none for a cell.
    text = re.sub(r"\(\S+\.py, (line \d+)\)", r"(\1)", text.partition("\n")[0])
    return f"it stops with {': '.join(filter(None, [error, text]))}"


def name_of(cell: Any) -> str:
    """The grade id of a cell, or an empty text."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def keep_record(work: Work, outcomes: list[Outcome]) -> None:
    """Keep outcomes beside a student's notebook, if that folder can be written to.

    Args:
        work: the student's notebook.
        outcomes: what came out.
    """
    record = _read_record(work.path.parent)
    record.setdefault(work.paper.name, {}).update(
        {o.exercise.name: [work.fingerprint(o.exercise), o.state] for o in outcomes}
    )
    with contextlib.suppress(OSError):
        (work.path.parent / RECORD).write_text(json.dumps(record, indent=1), encoding="utf-8")


def recall(work: Work) -> list[Outcome]:
    """How the exercises of a paper stand, by what was kept of answers that have not changed since.

    Args:
        work: the student's notebook.
    """
    kept = _read_record(work.path.parent).get(work.paper.name, {})
    outcomes = []
    for exercise in work.paper.exercises:
        fingerprint, state = kept.get(exercise.name, ["", UNCHECKED])
        outcomes.append(
            work.untested(exercise)
            or Outcome(exercise, state if fingerprint == work.fingerprint(exercise) else UNCHECKED)
        )
    return outcomes


def _read_record(folder: Path) -> dict[str, dict[str, list[str]]]:
    """What was kept; of a file that is not as it was written, nothing."""
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        return {
            str(paper): {str(name): [str(mark), str(state)] for name, (mark, state) in kept.items()}
            for paper, kept in record.items()
        }
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
