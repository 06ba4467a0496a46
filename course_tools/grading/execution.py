"""Running a submission: cells inside, tests outside; what ends too early is a result, not an accident."""

import re
import time
from collections.abc import Iterable
from typing import Any

from nbformat import from_dict

from course_tools.grading.judge import Judge, is_error
from course_tools.grading.outcome import Executed, Times
from course_tools.sandbox.outside import Answers
from course_tools.sandbox.remote import CUT, Ended, Over, Spoilt

TIMED_OUT = "TimedOut"
PROCESS_ENDED = "ProcessEnded"
NOT_RUN = "NotRun"

ATTEMPTS = 3  # a notebook whose whole process ends is run again without the cell that was running
_TEXT_LIMIT = 4_000_000  # characters of one output
_OUTPUTS_LIMIT = 1000


def execute(notebook: Any, judge: Judge, answers: Answers, times: Times) -> Executed:
    """Run all cells of a submission, then judge its tests.

    Args:
        notebook: in its canonical form, with the paper's hidden tests.
        judge: of the paper.
        answers: where students' code runs.
        times: how long it may take.

    Returns:
        The notebook with outputs, and what happened. The tests of a cell that ended its process, or did not
        end, fail; all others are judged. Of what students see of a test that failed, a second run is told, in
        which no answer is given hidden input; of what they don't see, the check's own message.
    """
    execution = _Execution(notebook, judge, answers, times)
    execution.run()
    if execution.failed():
        execution.run_in_sight()
    return execution.executed()


class _Execution:
    """One submission on its way."""

    def __init__(self, notebook: Any, judge: Judge, answers: Answers, times: Times) -> None:
        self._notebook, self._judge, self._answers, self._times = notebook, judge, answers, times
        self._in_sight = False
        code = {number: cell for number, cell in enumerate(notebook.cells) if cell.cell_type == "code"}
        self._tests = {number for number, cell in code.items() if _is_test(cell)}
        self._to_judge = self._tests
        # What comes after the last test changes no mark: there the paper shows what the answers are good for.
        last = max(self._tests, default=-1)
        self._cells = {number: cell for number, cell in code.items() if number <= last}
        self._outputs: dict[int, list[Any]] = {}
        self._lost: dict[int, str] = {}  # cells that the notebook goes on without, and why
        self._tampering: list[str] = []
        self._deadline = time.monotonic() + times.paper
        self._is_late = False
        self._running = -1

    def failed(self) -> set[int]:
        """Return the tests that have an error as their output, and not for a cell's end."""
        return {
            number
            for number in (self._tests & self._outputs.keys()) - self._lost.keys()
            if any(map(is_error, self._outputs[number]))
        }

    def run_in_sight(self) -> None:
        """Run again what students see of the tests that failed, and tell what comes of it."""
        again = _Execution(self._notebook, self._judge, self._answers, self._times)
        again._to_judge, again._lost, again._in_sight = self.failed(), dict(self._lost), True
        again.run()
        self._outputs |= {number: again._outputs[number] for number in again.failed()}

    def run(self) -> None:
        for _ in range(ATTEMPTS):
            try:
                with self._answers.submission(self._judge.allowed, self._left(), self._judge.scene):
                    self._run_cells()
                    self._judge_tests()
                break
            except Over as over:
                if self._running < 0:
                    raise RuntimeError("the process for answers does not answer") from over
                self._note_tampering()
                has_run = self._suspects or (self._ran[-1:] if isinstance(over, Spoilt) else [])
                self._lose(has_run[0] if has_run else self._running, "end")
            finally:
                self._note_tampering()
        self._is_late = self._left() <= 0

    def _run_cells(self) -> None:
        self._levels: dict[int, int] = {}  # for each test, how many cells have run before it
        self._ran: list[int] = []
        self._suspects: list[int] = []  # cells that tampered with something
        for number, cell in self._cells.items():
            if number in self._tests:
                self._levels[number] = self._answers.level
            elif number not in self._lost and self._left() > 0:
                self._running = number
                try:
                    outputs = self._answers.run(cell.source, _name(cell, number), self._seconds())
                    self._ran.append(number)
                    if any(kind == "tampered" for kind, _ in self._answers.link.notes):
                        self._suspects.append(number)
                    self._note_tampering()
                    self._outputs[number] = clean_outputs(outputs)
                except Ended as ended:
                    self._lose(number, str(ended))

    def _judge_tests(self) -> None:
        for number in sorted(self._to_judge - self._outputs.keys(), reverse=True):
            if self._left() <= 0:
                return
            self._running = number
            self._answers.go_back(self._levels[number])
            try:
                self._outputs[number] = self._judge.judge(
                    self._cells[number], self._answers, self._seconds(), self._in_sight
                )
            except Ended as ended:
                self._lose(number, str(ended))
            if any(kind == "interrupted" for kind, _ in self._answers.link.notes):
                self._lost[number] = TIMED_OUT
            self._note_tampering()

    def _lose(self, number: int, how: str) -> None:
        self._lost[number] = TIMED_OUT if how == "time" else PROCESS_ENDED
        what = "did not end" if how == "time" else "ended its process"
        self._outputs[number] = [_error(self._lost[number], f"this cell {what}")]

    def _note_tampering(self) -> None:
        notes = self._answers.link.notes
        self._tampering += [_words(what) for kind, what in notes if kind == "tampered"]
        notes.clear()

    def _left(self) -> float:
        return self._deadline - time.monotonic()

    def _seconds(self) -> float:
        return max(1.0, min(self._times.cell, self._left()))

    def executed(self) -> Executed:
        used_up = f"the {self._times.paper:g} seconds for the paper are used up"
        not_run = _error(NOT_RUN, used_up if self._is_late else "an earlier cell ended everything")
        for number, cell in self._cells.items():
            cell.outputs = [from_dict(output) for output in self._outputs.get(number, [not_run])]
        missing = self._cells.keys() - self._outputs.keys()
        late, ended = (
            [n for n, why in self._lost.items() if why == kind] for kind in (TIMED_OUT, PROCESS_ENDED)
        )
        done = Executed(self._notebook)
        if self._tampering:
            done.status = "tampered"
            done.notes.append(
                f"look at the answers: they reach into Python ({', '.join(dict.fromkeys(self._tampering))})"
            )
        elif ended:
            done.status = "crashed"
        elif late or missing:
            done.status = "timed_out"
        if not self._is_late:
            done.unknown = self._names(missing & self._tests)
        cut = [n for n, outputs in self._outputs.items() if any(CUT in str(o.get("data")) for o in outputs)]
        for what, numbers in (
            ("ended its process", ended),
            ("took too long", late),
            ("not run", missing),
            ("shows more than is kept", cut),
        ):
            if numbers:
                done.notes.append(f"{what}: {', '.join(self._names(numbers))}")
        return done

    def _names(self, numbers: Iterable[int]) -> list[str]:
        return [_name(self._cells[number], number) for number in sorted(numbers)]


def _is_test(cell: Any) -> bool:
    mark = cell.metadata.get("nbgrader", {})
    return bool(mark.get("grade")) and not mark.get("solution")


def _words(text: Any) -> str:
    """Keep of what comes from a student's process what can be printed without care."""
    return re.sub(r"[^A-Za-z0-9_.' ]", "", str(text))[:80]


def _name(cell: Any, number: int) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", f"number {number + 1}"))


def _error(name: str, message: str) -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "evalue": message, "traceback": [f"{name}: {message}"]}


def clean_outputs(outputs: list[Any]) -> list[dict[str, Any]]:
    """Return of what a process says a cell has shown only what a notebook may hold.

    Args:
        outputs: plain JSON; anything may be in it.
    """
    cleaned = []
    for output in outputs[:_OUTPUTS_LIMIT]:
        kind = output.get("output_type") if isinstance(output, dict) else None
        if kind == "stream":
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            cleaned.append({"output_type": kind, "name": name, "text": _text(output.get("text"))})
        elif kind == "error":
            lines = output.get("traceback")
            shown = [_text(line) for line in lines[:_OUTPUTS_LIMIT]] if isinstance(lines, list) else []
            names = {key: _text(output.get(key)) for key in ("ename", "evalue")}
            cleaned.append({"output_type": kind, **names, "traceback": shown})
        elif kind in ("display_data", "execute_result") and isinstance(output.get("data"), dict):
            data = {_text(key): _text(value) for key, value in output["data"].items()}
            counted = {"execution_count": None} if kind == "execute_result" else {}
            cleaned.append({"output_type": kind, "data": data, "metadata": {}, **counted})
    return cleaned


def _text(value: Any) -> str:
    return str(value)[:_TEXT_LIMIT].encode("utf-8", "replace").decode()
