"""A paper's results over the whole class: what was hard, and what was misunderstood."""

import csv
from collections import Counter
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from course_tools.grading.grade import GRADES_FILE, update_grades
from course_tools.grading.gradesheet import read_table
from course_tools.grading.marks import Mark, read_marks
from course_tools.grading.page import page
from course_tools.grading.session import graded_notebooks, nbgrader_session
from course_tools.papers.paper import Exercise

SHOWN = 5  # messages of an exercise


@dataclass(frozen=True)
class ExerciseOverview:
    """One exercise over the whole class.

    Attributes:
        exercise: what was asked for.
        marks: of all students, by name.
    """

    exercise: Exercise
    marks: dict[str, Mark]

    @property
    def share_right(self) -> float:
        """Share of the students with all points, 0…1, among those that are marked."""
        known = [mark for mark in self.marks.values() if not mark.pending]
        return sum(mark.score >= self.exercise.points for mark in known) / len(known) if known else 0.0

    @property
    def mean_score(self) -> float:
        """Mean points of all students."""
        return sum(mark.score for mark in self.marks.values()) / len(self.marks)

    @property
    def messages(self) -> list[tuple[str, int]]:
        """What failed checks said, and to how many students; the commonest first."""
        said = Counter(text for mark in self.marks.values() for text in mark.failures)
        return said.most_common()


def read_class_marks(paper: str, course_dir: Path) -> list[ExerciseOverview]:
    """Read the marks of all graded submissions of a paper, and bring `grades.csv` up to date with them.

    Args:
        paper: a name, such as `ps04_attention`.
        course_dir: the folder that holds the gradebook.

    Returns:
        One entry for each exercise, in the order of the paper.

    Raises:
        ValueError: there is no such paper, or nothing of it is graded yet.
    """
    import nbformat

    graded = graded_notebooks(paper, course_dir)
    found: dict[str, tuple[Exercise, dict[str, Mark]]] = {}
    with nbgrader_session(course_dir) as api, api.gradebook as gradebook:
        for student, path in graded.items():
            grades = gradebook.find_submission_notebook(paper, paper, student).grades
            scores = {grade.name: grade.score for grade in grades}
            pending = {grade.name for grade in grades if grade.needs_manual_grade}
            for mark in read_marks(nbformat.read(path, as_version=4).cells, scores, pending):
                found.setdefault(mark.exercise.name, (mark.exercise, {}))[1][student] = mark
        update_grades(api, paper, course_dir)
    return [ExerciseOverview(exercise, marks) for exercise, marks in found.values()]


def overview(paper: str, course_dir: Path) -> list[Path]:
    """Write a page and a table of a graded paper over the whole class.

    Args:
        paper: a name, such as `ps04_attention`.
        course_dir: the folder that holds the gradebook and `grades.csv`.

    Returns:
        `overview/<paper>.html`, and `overview/<paper>.csv` with each student's points by exercise.

    Raises:
        ValueError: there is no such paper, or nothing of it is graded yet.
    """
    exercises = read_class_marks(paper, course_dir)
    rows = [row for row in read_table(course_dir / GRADES_FILE) if row["paper"] == paper]
    folder = course_dir / "overview"
    folder.mkdir(exist_ok=True)
    html, table = folder / f"{paper}.html", folder / f"{paper}.csv"
    body = "\n".join([_states(rows), _sums(exercises), *map(_section, exercises)])
    html.write_text(page(f"The class in {paper}", body), encoding="utf-8")
    _write_table(table, exercises)
    return [html, table]


def _write_table(path: Path, exercises: list[ExerciseOverview]) -> None:
    students = sorted({student for each in exercises for student in each.marks})
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["student", *(each.exercise.name for each in exercises)])
        writer.writerow(["(points)", *(f"{each.exercise.points:g}" for each in exercises)])
        for student in students:
            marks = [each.marks.get(student) for each in exercises]
            writer.writerow([student, *("" if m is None or m.pending else f"{m.score:g}" for m in marks)])


def _states(rows: list[dict[str, str]]) -> str:
    counts = Counter(row["status"] for row in rows)
    items = "".join(
        f"<tr><td>{escape(status)}</td>{_number(count)}<td>{escape(_names(rows, status))}</td></tr>"
        for status, count in counts.most_common()
    )
    head = '<th>state</th><th class="number">submissions</th><th>who, where a score is missing</th>'
    return f"<table><thead><tr>{head}</tr></thead><tbody>{items}</tbody></table>"


def _names(rows: list[dict[str, str]], status: str) -> str:
    return ", ".join(row["student"] for row in rows if row["status"] == status and not row.get("score"))


def _sums(exercises: list[ExerciseOverview]) -> str:
    columns = ("all points", "mean", "points", "too slow", "wait to be marked")
    head = "<th></th><th>exercise</th>" + "".join(f'<th class="number">{name}</th>' for name in columns)
    rows = "".join(
        f"<tr><td>{escape(each.exercise.label)}</td><td>{_link(each.exercise)}</td>"
        f'<td class="number">{_bar(each.share_right)}</td>{_number(f"{each.mean_score:.3g}")}'
        f"{_number(f'{each.exercise.points:g}')}"
        f"{_number(sum(mark.timed_out for mark in each.marks.values()))}"
        f"{_number(sum(mark.pending for mark in each.marks.values()))}</tr>"
        for each in exercises
    )
    return f"<h2>By exercise</h2><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _section(each: ExerciseOverview) -> str:
    if not each.messages:
        return ""
    shown = each.messages[:SHOWN]
    rows = "".join(f"<tr>{_number(count)}<td>{escape(text[:500])}</td></tr>" for text, count in shown)
    left = len(each.messages) - len(shown)
    more = f"<p>and {left} other messages</p>" if left else ""
    exercise = each.exercise
    return (
        f'<section id="{escape(exercise.name)}"><h2>{escape(exercise.label)} · {escape(exercise.title)}</h2>'
        f'<table><thead><tr><th class="number">students</th><th>read this</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>{more}</section>"
    )


def _link(exercise: Exercise) -> str:
    return f'<a href="#{escape(exercise.name)}">{escape(exercise.title)}</a>'


def _bar(share: float) -> str:
    return f'<meter value="{share:.3f}"></meter> {share:.0%}'


def _number(value: Any) -> str:
    return f'<td class="number">{value}</td>'
