"""Marks for a learning platform: its own table, as it was downloaded, with the scores filled in."""

import csv
from pathlib import Path

from course_tools.grading.course_file import COURSE_FILE, Class
from course_tools.grading.gradesheet import read_table
from course_tools.grading.roster import Roster

# What the platforms need to know a student again; of Canvas' export nothing else is sent back.
_MOODLE = ("Identifier", "Grade")
_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")


def write_grades(
    paper: str, grades: Path, target: Path, format: str, of: Class
) -> tuple[int, dict[str, str]]:
    """Write a table that the platform takes in.

    Args:
        paper: the paper's name.
        grades: `grades.csv`.
        target: the file to write.
        format: "moodle" or "canvas".
        of: the class; its roster is the platform's own table.

    Returns:
        `(count, without)`: how many scores are in the table, and whose are not, with the reason.

    Raises:
        ValueError: there is no roster, it is not the platform's, nothing is graded, or the platform counts
            other points.
    """
    if of.roster is None:
        raise ValueError(
            f"there is no roster: download the platform's table of grades and name it in {COURSE_FILE}, "
            'as in roster = "roster.csv"'
        )
    rows = {row["student"]: row for row in read_table(grades) if row["paper"] == paper}
    if not rows:
        raise ValueError(f"paper is {paper!r}: nothing of it is graded yet; run `course grade` first")
    without = {student.id: "nothing was handed in" for student in of.roster.students}
    scores = {}
    for student, row in rows.items():
        if student not in without:
            without[student] = "not in the roster"
        elif not row["score"]:
            without[student] = row["status"]
        elif row["manual_pending"] not in ("", "0"):
            without[student] = "answers wait to be marked by hand"
        else:
            scores[student] = row["score"]
            del without[student]
    points = next(iter(rows.values()))["max_score"]
    if format == "moodle":
        columns, lines = _for_moodle(of.roster, scores, float(points))
    else:
        columns, lines = _for_canvas(of.roster, scores, points, of.canvas.get(paper, paper))
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(lines)
    return len(scores), without


def _for_moodle(
    roster: Roster, scores: dict[str, str], points: float
) -> tuple[list[str], list[dict[str, str]]]:
    _demand(roster, _MOODLE, "Moodle's grading worksheet")
    lines = []
    for student in roster.students:
        theirs = student.row.get("Maximum grade") or student.row.get("Maximum Grade")
        if theirs and float(theirs.replace(",", ".")) != points:
            raise ValueError(
                f"Moodle counts to {theirs}, the paper to {points:g}: set the maximum grade there to that"
            )
        lines.append({**student.row, "Grade": scores.get(student.id, student.row["Grade"])})
    return roster.columns, lines


def _for_canvas(
    roster: Roster, scores: dict[str, str], points: str, column: str
) -> tuple[list[str], list[dict[str, str]]]:
    _demand(roster, _CANVAS[:2], "Canvas' export of the gradebook")
    known = [name for name in roster.columns if name == column or name.rpartition(" (")[0] == column]
    column = known[0] if len(known) == 1 else column
    lines = [{"Student": "Points Possible", column: points}]
    lines += [{**s.row, column: scores[s.id]} for s in roster.students if s.id in scores]
    return [*(name for name in _CANVAS if name in roster.columns), column], lines


def _demand(roster: Roster, columns: tuple[str, ...], what: str) -> None:
    if missing := [name for name in columns if name not in roster.columns]:
        raise ValueError(
            f"the roster has no column {missing[0]!r}, so it is not {what}: download that, and name it "
            f"in {COURSE_FILE}"
        )
