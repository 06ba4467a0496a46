"""A run that is disturbed ends with the marks of one that is not, however many workers run."""

import json
import os
import shutil
import signal
import subprocess
import sys
from multiprocessing import active_children

import nbformat
import psutil
import pytest
from mini_paper import PAPER, REPOSITORY, RIGHT, answered, make_course, need_sandbox

from course_tools.grading import grade, release
from course_tools.grading.gradesheet import read_table
from course_tools.grading.recording import digest
from course_tools.grading.session import nbgrader_session
from course_tools.grading.submissions import HandedIn
from course_tools.sandbox.walls import Limits

STUDENTS = {
    "ann": RIGHT,
    "bob": {**RIGHT, "double": "import os\nos._exit(0)"},
    "cem": {},
    "dan": {**RIGHT, "shout": "def shout(word): return word"},
    "eve": {**RIGHT, "why": "It is linear."},
}
SCORES = {"ann": 7, "bob": 4, "cem": 0, "dan": 3, "eve": 7}
# Ends itself as if by `kill -9` once the first result is known.
KILLED = f"""
import os, sys
from multiprocessing import active_children
from pathlib import Path
from course_tools.grading import grade

def report(result):
    print(result.student, *(child.pid for child in active_children()), flush=True)
    os.kill(os.getpid(), 9)

course = Path(sys.argv[1])
grade({PAPER!r}, course / "in", course, report, jobs=2)
"""


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A course, and what was handed in, before anything is graded."""
    need_sandbox()
    folder = make_course(tmp_path_factory.mktemp("course"))
    with (folder / "nbgrader_config.py").open("a") as config:
        config.write("c.Execute.timeout = 60\n")
    release(PAPER, folder)
    paper = nbformat.read(folder / "assignments" / PAPER / f"{PAPER}.ipynb", as_version=4)
    (folder / "in").mkdir()
    for student, answers in STUDENTS.items():
        (folder / "in" / f"{student}.ipynb").write_text(json.dumps(answered(paper, **answers)))
    return folder


@pytest.fixture
def course(released, tmp_path):
    return shutil.copytree(released, tmp_path / "course")


@pytest.fixture
def run_again(monkeypatch):
    """Whose answers were run, in each call of `grade`."""
    calls = []
    run_all = grade.__globals__["run_all"]

    def noted(setup, notebooks, jobs):
        calls.append(sorted(notebooks))
        return run_all(setup, notebooks, jobs)

    monkeypatch.setitem(grade.__globals__, "run_all", noted)
    return calls


def check_marks(results, course):
    assert {result.student: result.score for result in results} == SCORES
    assert {row["student"]: float(row["score"]) for row in read_table(course / "grades.csv")} == SCORES


def test_one_worker_and_two_give_the_same_and_nothing_is_run_or_marked_twice(released, tmp_path, run_again):
    courses = [shutil.copytree(released, tmp_path / str(jobs)) for jobs in (1, 2)]
    alone, together = (
        grade(PAPER, course / "in", course, jobs=jobs) for jobs, course in enumerate(courses, start=1)
    )
    check_marks(alone, courses[0])
    assert together == alone
    course = courses[1]
    with nbgrader_session(course) as api, api.gradebook as gradebook:
        mark = gradebook.find_grade("why", PAPER, PAPER, "eve")
        mark.manual_score, mark.needs_manual_grade = 2.5, False
        gradebook.db.commit()
    again = {result.student: result for result in grade(PAPER, course / "in", course)}
    assert run_again == [sorted(STUDENTS), sorted(STUDENTS), []]
    assert (again["eve"].status, again["eve"].score, again["eve"].manual_pending) == ("graded", 9.5, 0)
    assert [again[result.student] for result in alone if result.student != "eve"] == [
        result for result in alone if result.student != "eve"
    ]


def test_a_submission_or_a_test_that_changed_is_run_again(course, run_again):
    grade(PAPER, course / "in", course)
    path = course / "in" / "cem.ipynb"
    paper = json.loads(path.read_text())
    path.write_text(json.dumps(answered(paper, **RIGHT)))
    assert {result.student: result.score for result in grade(PAPER, course / "in", course)}["cem"] == 7
    source = course / "solutions" / PAPER / f"{PAPER}.ipynb"
    source.write_text(source.read_text().replace("double(-3) == -6", "double(-4) == -8"))
    grade(PAPER, course / "in", course)
    assert run_again == [sorted(STUDENTS), ["cem"], sorted(STUDENTS)]


def test_other_limits_are_another_run():
    nothing = HandedIn({}, [], {})
    digests = {digest("paper", Limits(**limits), "notebook", nothing) for limits in ({}, {"memory": 1})}
    assert len(digests) == 2


def test_a_due_date_that_moves_changes_the_note_and_nothing_is_run_again(course, run_again):
    folder = course / "late" / "Ann Lee_13_assignsubmission_file_"
    folder.mkdir(parents=True)
    shutil.copy(course / "in" / "ann.ipynb", folder / f"{PAPER}.ipynb")
    for year, late in ((2001, True), (2100, False)):
        (course / "course.toml").write_text(f"[due]\n{PAPER} = {year}-01-01T00:00:00+00:00\n")
        [result] = grade(PAPER, folder.parent, course)
        assert ("late by" in result.message) == late
        assert read_table(course / "grades.csv")[0]["message"] == result.message
    assert run_again == [["Ann Lee"], []]


def test_what_took_too_long_is_run_again(course, run_again):
    grade(PAPER, course / "in", course)
    path = course / "autograded" / "ann" / PAPER / f"{PAPER}.ipynb"
    notebook = json.loads(path.read_text())
    notebook["metadata"]["course"]["status"] = "timed_out"
    path.write_text(json.dumps(notebook))
    check_marks(grade(PAPER, course / "in", course), course)
    assert run_again == [sorted(STUDENTS), ["ann"]]


def test_a_gradebook_that_was_lost_is_filled_again(course, run_again):
    grade(PAPER, course / "in", course)
    (course / "gradebook.db").unlink()
    check_marks(grade(PAPER, course / "in", course), course)
    assert run_again == [sorted(STUDENTS), sorted(STUDENTS)]


def test_a_worker_that_is_killed_costs_nothing(course):
    killed = []

    def kill(_):
        if not killed:
            killed.append(active_children()[0])
            killed[0].kill()

    check_marks(grade(PAPER, course / "in", course, kill, jobs=2), course)
    assert killed


@pytest.fixture
def interrupts():
    """Python's answer to Ctrl-C, also where the tests were started in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_ends_the_workers_and_the_next_run_goes_on(course, run_again):
    begun = []

    def interrupt(result):
        begun.append(result.student)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        grade(PAPER, course / "in", course, interrupt, jobs=2)
    check_marks(grade(PAPER, course / "in", course, jobs=2), course)
    assert run_again == [sorted(STUDENTS), sorted(STUDENTS.keys() - begun)]
    assert len(begun) == 1


def test_a_run_that_is_killed_leaves_no_process_and_the_next_one_goes_on(course, run_again):
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-c", KILLED, str(course)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    student, *workers = ended.stdout.split()
    left = [psutil.Process(int(worker)) for worker in workers if psutil.pid_exists(int(worker))]
    assert workers and not psutil.wait_procs(left, timeout=60)[1]
    check_marks(grade(PAPER, course / "in", course), course)
    assert run_again == [sorted(STUDENTS.keys() - {student})]
