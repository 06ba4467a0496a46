"""Judging answers outside the process that holds them: what a paper's test cells do never enters it."""

import ast
import builtins
import functools
import io
import math
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from traceback import walk_tb
from types import CodeType
from typing import Any, NamedTuple

from course_lib.checks.borrowing import ELSEWHERE, allowed_by
from course_lib.checks.core import CheckError
from course_tools.grading.regions import HIDDEN_TESTS, split_region
from course_tools.sandbox.outside import Answers
from course_tools.sandbox.remote import Ended, Over
from course_tools.sandbox.wire import ClosedError, TimeUpError, WireError

Output = dict[str, Any]


class Judge:
    """Runs the test cells of one paper. A student's function is called where it lives, with plain data.

    Args:
        notebook: the paper; its locked cells set the scene, here too.

    Attributes:
        allowed: what the paper lets answers call, by name.
        scene: the source of the cells that set the scene.
    """

    def __init__(self, notebook: Any) -> None:
        marked = [(cell, cell.metadata.get("nbgrader", {})) for cell in notebook.cells]
        cells = {
            mark["grade_id"]: cell.source
            for cell, mark in marked
            if cell.cell_type == "code" and mark.get("locked") and not mark.get("grade")
        }
        self.scene = list(cells.values())
        self._scene = [compile(source, f"<{name}>", "exec") for name, source in cells.items()]
        self.allowed = allowed_by(self._set_scene())

    def judge(self, cell: Any, answers: Answers, seconds: float, in_sight: bool = False) -> list[Output]:
        """Run a test cell.

        Args:
            cell: the cell, which is the paper's own.
            answers: what it tests.
            seconds: how long all calls of answers may take.
            in_sight: run only what students see of it, and tell them all that comes of it; else what the
                answers raise, and what they return and the cell prints, stays untold: they may have been
                given hidden input before.

        Returns:
            What the cell shows; an error if it fails.

        Raises:
            Over: the whole submission's process has ended.
        """
        name, (visible, _) = cell.metadata.nbgrader.grade_id, split_region(cell.source, HIDDEN_TESTS)
        source = "\n".join(visible) if in_sight else cell.source
        value = None
        printed = io.StringIO()
        with answers.test(seconds), redirect_stdout(printed), redirect_stderr(io.StringIO()):
            try:
                value = self._execute(_compiled(source, f"<{name}>"), answers)
                failed = None
            except Over:
                raise
            except (ClosedError, TimeUpError, WireError) as error:
                raise Over from error
            except BaseException as error:
                failed = _error(error, source, f"<{name}>", None if in_sight else visible)
            if answers.link.ended:
                raise Ended(answers.link.ended)
        shown = [{"output_type": "stream", "name": "stdout", "text": printed.getvalue()}]
        outputs = shown if in_sight and printed.getvalue() else []
        if failed:
            return [*outputs, failed]
        return outputs + _partial(value, float(cell.metadata.nbgrader.points))

    def _set_scene(self) -> dict[str, Any]:
        """Return the names of the scene, made anew: an answer may change what a test gives it."""
        names: dict[str, Any] = {"__name__": "__main__"}
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            for code in self._scene:
                exec(code, names)
        return names

    def _execute(self, test: "_Test", answers: Answers) -> Any:
        names = {**self._set_scene(), ELSEWHERE: _watcher(answers)}
        names.update(answers.get([name for name in test.names if name not in names]))
        exec(test.body, names)
        return None if test.value is None else eval(test.value, names)


def is_error(output: Output) -> bool:
    """Say whether an output of a cell is an error."""
    return output["output_type"] == "error"


def _error(error: BaseException, source: str, file: str, visible: list[str] | None) -> Output:
    """An error of a test cell: its own line where students see that, and the message.

    Args:
        error: what was raised.
        source: of the cell.
        file: the cell's, in tracebacks.
        visible: the lines that students see, where what answers say could carry hidden input out; else None.
    """
    lines = [number for frame, number in walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    line = source.split("\n")[lines[0] - 1].strip() if lines else ""
    kind, message = type(error), str(error)
    is_answers = hasattr(error, "answer_line")
    is_seen = visible is None or line in {text.strip() for text in visible}
    if visible is not None and (is_answers or is_seen):
        kind = next(base for base in kind.__mro__ if base.__module__ == "builtins")
        message = "raised by the answer" if is_answers else "the check does not hold"
    shown = [f"----> {lines[0]} {line}"] if is_seen and lines and not isinstance(error, CheckError) else []
    return {
        "output_type": "error",
        "ename": kind.__name__,
        "evalue": message,
        "traceback": [*shown, f"{kind.__name__}: {message}"],
    }


class _Test(NamedTuple):
    """A test cell, compiled once for all submissions.

    Attributes:
        body: all of it but its value.
        value: its last expression, if it ends with one.
        names: what it speaks of, beside Python's own.
    """

    body: CodeType
    value: CodeType | None
    names: list[str]


@functools.cache
def _compiled(source: str, file: str) -> _Test:
    tree = ast.parse(source, file)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    value = None
    if tree.body and isinstance(last := tree.body[-1], ast.Expr):
        value = compile(ast.Expression(last.value), file, "eval")
        del tree.body[-1]
    return _Test(compile(tree, file, "exec"), value, sorted(names - vars(builtins).keys()))


def _watcher(answers: Answers) -> Callable[[tuple[str, ...]], Any]:
    """Return what stands for `Watch` here: the process with the answers watches, and says what it saw."""

    class Elsewhere:
        borrowed: list[str]

        def __init__(self, refused: tuple[str, ...]) -> None:
            self.borrowed, self._refused = [], refused

        def __enter__(self) -> "Elsewhere":
            answers.link.options = list(self._refused)
            return self

        def __exit__(self, *error: object) -> None:
            answers.link.options = None
            notes, answers.link.notes = answers.link.notes, []
            self.borrowed += [str(what)[:80] for kind, what in notes if kind == "borrowed"]
            answers.link.notes = [[kind, what] for kind, what in notes if kind != "borrowed"]

    return Elsewhere


def _partial(value: Any, points: float) -> list[Output]:
    """Part of the points, where a test cell ends with a number: never more than all, never less than none."""
    if type(value) not in (int, float):
        return []
    if math.isnan(value):
        return [{"output_type": "error", "ename": "ValueError", "evalue": "no number", "traceback": []}]
    text = str(min(max(value, 0.0), points))
    return [
        {
            "output_type": "execute_result",
            "execution_count": None,
            "metadata": {},
            "data": {"text/plain": text},
        }
    ]
