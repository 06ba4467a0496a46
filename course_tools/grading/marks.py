"""What a graded notebook was worth, exercise by exercise, and what its failed checks said."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from course_tools.grading.execution import TIMED_OUT
from course_tools.papers.paper import Exercise, read_exercises


@dataclass(frozen=True)
class Mark:
    """One exercise of one submission.

    Attributes:
        exercise: what was asked for.
        score: points, 0…`exercise.points`.
        pending: whether something of it waits for a person's mark; that counts 0 until then.
        failures: what its failed checks said.
        timed_out: whether a check took too long.
    """

    exercise: Exercise
    score: float
    pending: bool
    failures: tuple[str, ...]
    timed_out: bool


def read_marks(cells: list[Any], scores: Mapping[str, float], pending: Collection[str]) -> list[Mark]:
    """Sum up a graded notebook by exercise.

    Args:
        cells: of the notebook, with outputs.
        scores: points of each cell that is graded, by its grade id.
        pending: grade ids of the cells that wait for a person's mark.

    Returns:
        One mark for each exercise, in the order of the paper.
    """
    errors: dict[str, list[Any]] = {}
    for cell in cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        errors[name] = [output for output in cell.get("outputs", []) if output.output_type == "error"]
    return [
        Mark(
            exercise,
            sum(scores.get(name, 0.0) for name in exercise.graded),
            any(name in pending for name in exercise.graded),
            tuple(
                dict.fromkeys(_message(error) for name in exercise.graded for error in errors.get(name, []))
            ),
            any(error.ename == TIMED_OUT for name in exercise.graded for error in errors.get(name, [])),
        )
        for exercise in read_exercises(cells)
    ]


def _message(error: Any) -> str:
    """Return what an error says; of a check only its message, which shows no hidden test."""
    if error.ename == "CheckError":
        return str(error.evalue)
    return f"{error.ename}: {error.evalue}" if error.evalue else str(error.ename)
