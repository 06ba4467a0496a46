"""A paper as staff write it, and its test cells run on any answer, in this process and in milliseconds.

Everything comes from the source notebook: the locked cells that set the scene, the answers, the tests. There
is no sandbox: this is for what staff write themselves.
"""

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Result:
    """What an exercise is worth with some answer."""

    points: float
    possible: float
    messages: tuple[str, ...]


class SolvedPaper:
    """A source notebook, cut into exercises.

    Args:
        path: of the solved notebook.
    """

    def __init__(self, path: Path) -> None:
        import nbformat

        self.path = path
        self.name = path.stem
        self.notebook = nbformat.read(path, as_version=4)

    def exercises(self) -> dict[str, list[Any]]:
        """Return the test cells of each answer cell, by its grade id."""
        found: dict[str, list[Any]] = {}
        for cell in self._marked("code"):
            mark = cell.metadata.nbgrader
            if mark.solution:
                found[mark.grade_id] = []
            elif mark.grade:
                found[list(found)[-1]].append(cell)
        return found

    def source(self, grade_id: str) -> str:
        """Return the text of a cell."""
        return str(next(c.source for c in self._marked("code") if c.metadata.nbgrader.grade_id == grade_id))

    def run(self, exercise: str, answer: str) -> Result:
        """Execute the scene, one answer and its tests; a test cell that raises is worth 0."""
        names: dict[str, Any] = {"__name__": "__main__"}
        with contextlib.redirect_stdout(io.StringIO()):
            for cell in self._marked("code"):
                mark = cell.metadata.nbgrader
                if mark.locked and not mark.grade:
                    _execute(cell.source, mark.grade_id, names)
            # An answer that does not even run leaves the tests to say so.
            with contextlib.suppress(Exception):
                _execute(answer, exercise, names)
            points, messages = 0.0, []
            tests = self.exercises()[exercise]
            for cell in tests:
                try:
                    _execute(cell.source, cell.metadata.nbgrader.grade_id, names)
                    points += cell.metadata.nbgrader.points
                except Exception as error:
                    messages.append(f"{type(error).__name__}: {error}")
        return Result(points, sum(cell.metadata.nbgrader.points for cell in tests), tuple(messages))

    def _marked(self, kind: str) -> list[Any]:
        return [c for c in self.notebook.cells if c.cell_type == kind and "nbgrader" in c.metadata]


def _execute(source: str, name: str, names: dict[str, Any]) -> None:
    exec(compile(source, f"<{name}>", "exec"), names)
