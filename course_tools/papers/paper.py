"""A paper as students get it: its exercises, and the notebook in which a student works on it."""

import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from course_tools.installed import shipped

_HEADING = re.compile(r"^##+ Exercise (\d+) · (.+) \([^()]*\)$", re.M)
_PART = re.compile(r"^###+ \(([a-z])\) (.+?)(?: \([^()]*\))?$", re.M)
_HINTS = re.compile(r"\*\*About (\d+) minutes\. Difficulty: (easy|medium|hard)\.\*\*")
_STUBS = "YOUR CODE HERE", "YOUR ANSWER HERE"  # what nbgrader puts where an answer goes
_NO_EFFORT = 0, ""


@dataclass(frozen=True)
class Exercise:
    """One answer cell of a paper, with its tests.

    Attributes:
        name: the grade id of the answer cell, such as `ps04-greedy`.
        label: its number, and its part where the exercise has several: `7`, `2b`.
        title: what it is called.
        points: what it is worth, with hidden tests or by a person's mark.
        minutes: how long it may take; 0 where the paper does not say.
        difficulty: `easy`, `medium` or `hard`; empty where the paper does not say.
        by_hand: whether a person marks it.
        stub: what stands in the answer cell before there is an answer; empty where there is one.
        tests: grade ids of the visible tests.
        graded: grade ids of all cells that give points for it.
    """

    name: str
    label: str
    title: str
    points: float
    minutes: int
    difficulty: str
    by_hand: bool
    stub: str
    tests: tuple[str, ...]
    graded: tuple[str, ...]


@dataclass(frozen=True)
class Paper:
    """A paper as it was released.

    Attributes:
        path: its notebook.
    """

    path: Path

    @property
    def name(self) -> str:
        """Its name, such as `ps04_attention`."""
        return self.path.stem

    @cached_property
    def notebook(self) -> Any:
        """The notebook, as nbformat reads it."""
        import nbformat

        return nbformat.read(self.path, as_version=4)

    @cached_property
    def exercises(self) -> tuple[Exercise, ...]:
        """Its exercises in order; of a part of an exercise, each on its own."""
        return tuple(read_exercises(self.notebook.cells))

    def find(self, wanted: str) -> Exercise:
        """An exercise by its number ("7", "2b"), its name, or a part of the name that no other has.

        Raises:
            ValueError: there is no such exercise; the message lists them.
        """
        found = [
            exercise
            for exercise in self.exercises
            if wanted in (exercise.label, exercise.name, exercise.name.partition("-")[2])
        ] or [exercise for exercise in self.exercises if wanted and wanted in exercise.name]
        if len(found) == 1:
            return found[0]
        known = ", ".join(f"{exercise.label} {exercise.name}" for exercise in self.exercises)
        raise ValueError(f"exercise is {wanted!r}: {self.name} has {known}")


def read_exercises(cells: list[Any]) -> list[Exercise]:
    """Return the exercises of a paper's notebook, in order."""
    found: list[Exercise] = []
    number, part, title, effort = "", "", "", _NO_EFFORT
    for cell in cells:
        mark = cell.metadata.get("nbgrader", {})
        if mark.get("solution"):
            label = f"{number}{part}" or str(len(found) + 1)
            by_hand, points = bool(mark.get("grade")), float(mark.get("points", 0))
            name = mark["grade_id"]
            graded = (name,) if by_hand else ()
            # In a clone a student may work in the paper itself: what is there instead of a stub is an answer.
            stub = cell.source if any(text in cell.source for text in _STUBS) else ""
            found.append(Exercise(name, label, title or name, points, *effort, by_hand, stub, (), graded))
            effort = _NO_EFFORT
        elif mark.get("grade") and found:
            tests = (mark["grade_id"],) if _does_something(cell.source) else ()
            last = found[-1]
            found[-1] = replace(
                last,
                points=last.points + mark["points"],
                tests=last.tests + tests,
                graded=(*last.graded, mark["grade_id"]),
            )
        elif cell.cell_type == "markdown":
            if heading := _HEADING.search(cell.source):
                number, title, part = *heading.groups(), ""
            if heading := _PART.search(cell.source):
                part, title = heading.groups()
            if hints := _HINTS.match(cell.source):
                effort = int(hints[1]), hints[2]
    return found


def _does_something(source: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in source.splitlines())


def papers(folder: Path | None = None) -> list[Paper]:
    """All papers of this version of the course, in order.

    Args:
        folder: the folder of papers; if None, the one that came with the course.
    """
    folder = folder or shipped("assignments")
    return [Paper(path) for path in sorted(folder.glob("*/*.ipynb")) if path.stem == path.parent.name]


def find_paper(wanted: str) -> Paper:
    """A paper by the start of its name ("ps04"), or by the name or path of its notebook.

    Raises:
        ValueError: no paper has that name, or several.
    """
    start = Path(wanted).stem if wanted.endswith(".ipynb") else wanted
    known = papers()
    found = [paper for paper in known if start and paper.name.startswith(start)]
    if len(found) != 1:
        names = ", ".join(paper.name for paper in found or known)
        raise ValueError(f"paper is {wanted!r}, which names {len(found)} papers; there are: {names}")
    return found[0]


def find_work(paper: Paper, wanted: str = "") -> Path:
    """The notebook in which a student works on a paper.

    Args:
        paper: the paper.
        wanted: what the student named it by; the path of a notebook is taken as it is.

    Returns:
        That path, or the first there is of the places where `course start` and `course get` put one.

    Raises:
        ValueError: there is no such notebook.
    """
    if wanted.endswith(".ipynb"):
        if not Path(wanted).is_file():
            raise ValueError(f"{wanted} is not there")
        return Path(wanted)
    file = f"{paper.name}.ipynb"
    for path in (Path(file), Path(paper.name, file), Path("assignments", paper.name, file)):
        if path.is_file():
            return path
    raise ValueError(
        f"there is no {file} in this folder: go to the folder with your work, "
        f"or begin with `course start {paper.name}`"
    )


def read_work(path: Path) -> dict[str, Any]:
    """Read a student's notebook as plain JSON, which may be older, newer or odder than nbformat likes.

    Raises:
        ValueError: the file is no notebook.
        OSError: it cannot be read.
    """
    advice = "JupyterLab keeps the last version that was saved in .ipynb_checkpoints beside it"
    try:
        notebook = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: it is no notebook any more; {advice}") from error
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError(f"{path} is no notebook of format 4: it has no list of cells; {advice}")
    return notebook
