"""`grades.csv` comes back from spreadsheets, and may be open in one."""

import csv
import json
import os

import nbformat
import pytest
from click.testing import CliRunner
from mini_paper import PAPER, RIGHT, answered, make_course, make_released_course, need_sandbox

from course_tools import cli
from course_tools.grading import GradingError, grade
from course_tools.grading.grade import COLUMNS, SubmissionResult, save_grades
from course_tools.grading.gradesheet import read_table

MÜLLER = SubmissionResult("Müller, Max", "graded", 2.5, 10, 0, "the points of 'a' were edited; \"so\"")
ANN = SubmissionResult("ann", "unreadable", None, 10, 0, "")


@pytest.fixture
def course(tmp_path):
    save_grades("ps01", [MÜLLER, ANN], tmp_path)
    return tmp_path


def saved_again(folder, encoding="utf-8", delimiter=",", note=None):
    """Save the table as a spreadsheet would, perhaps with a column of the grader's own."""
    path = folder / "grades.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if note:
        rows = [{"note": note, **row} for row in rows]
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=delimiter, quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_what_a_spreadsheet_saved_is_read(course, encoding, delimiter):
    saved_again(course, encoding, delimiter, "came late")
    save_grades("ps02", [ANN], course)
    rows = read_table(course / "grades.csv")
    assert [(row["paper"], row["student"], row["note"]) for row in rows] == [
        ("ps01", "Müller, Max", "came late"),
        ("ps01", "ann", "came late"),
        ("ps02", "ann", ""),
    ]
    assert (rows[0]["score"], rows[0]["message"]) == ("2.5", MÜLLER.message)


def test_grading_again_keeps_the_graders_own_column(course):
    saved_again(course, note="came late")
    save_grades("ps01", [SubmissionResult("ann", "graded", 3, 10, 0, "")], course)
    row = read_table(course / "grades.csv")[1]
    assert (row["note"], row["status"], row["score"]) == ("came late", "graded", "3")
    assert tuple(row) == (*COLUMNS, "note")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column 'paper'"),
        ("name,points\nann,3\n", "no column 'paper', but 'name', 'points'"),
        ("paper,student,status,message\nps01,ann,graded,,3\n", "line 2, has 5 cells for 4 columns"),
    ],
)
def test_what_is_no_table_of_grades_is_refused_before_anything_runs(tmp_path, text, words):
    folder = make_course(tmp_path)
    (folder / "grades.csv").write_text(text)
    (folder / "in").mkdir()
    (folder / "in" / "ann.ipynb").write_text("{}")
    with pytest.raises(ValueError, match=words):
        grade(PAPER, folder / "in", folder)
    assert (folder / "grades.csv").read_text() == text
    assert not (folder / "gradebook.db").exists()


def test_a_table_that_cannot_be_replaced_loses_nothing_and_the_results_are_shown(tmp_path, monkeypatch):
    need_sandbox()
    folder = make_released_course(tmp_path / "course")
    paper = nbformat.read(folder / "assignments" / PAPER / f"{PAPER}.ipynb", as_version=4)
    (folder / "in").mkdir()
    (folder / "in" / "ann.ipynb").write_text(json.dumps(answered(paper, **RIGHT)))

    def is_open(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("course_tools.grading.commands.course_folder", lambda: folder)
    monkeypatch.setattr(os, "replace", is_open)
    done = CliRunner().invoke(cli.main, ["grade", PAPER, str(folder / "in")])
    assert done.exit_code == 1
    assert "ann      graded" in done.output and "7 / 10" in done.output
    assert "grades.csv cannot be replaced: Permission denied" in done.output
    assert [row["student"] for row in read_table(folder / "grades.tmp")] == ["ann"]
    with pytest.raises(GradingError, match=r"grades\.tmp"):
        save_grades(PAPER, [ANN], folder)
