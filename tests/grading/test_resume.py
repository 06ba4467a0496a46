"""A run that is disturbed ends with the marks of one that is not, however many workers run."""

import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor

import dask
import nbformat
import psutil
import pytest
import torch
from click.testing import CliRunner
from distributed import Client, LocalCluster
from mini_paper import PAPER, REPOSITORY, RIGHT, answered, make_released_course, need_sandbox

from course_tools import cli
from course_tools.grading import GradingError, grade
from course_tools.grading import cluster as grading_cluster
from course_tools.grading.cluster import run_on_cluster
from course_tools.grading.execution import Times
from course_tools.grading.gradesheet import read_table
from course_tools.grading.recording import digest
from course_tools.grading.session import nbgrader_session
from course_tools.grading.submissions import HandedIn
from course_tools.grading.workers import Setup, _pool
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
    folder = make_released_course(tmp_path_factory.mktemp("course"))
    with (folder / "nbgrader_config.py").open("a") as config:
        config.write("c.Execute.timeout = 60\n")
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

    def noting(run):
        def noted(*arguments, **options):
            [notebooks] = [given for given in arguments if isinstance(given, dict)]
            calls.append(sorted(notebooks))
            return run(*arguments, **options)

        return noted

    for name in ("run_all", "run_on_cluster"):
        monkeypatch.setitem(grade.__globals__, name, noting(grade.__globals__[name]))
    return calls


@pytest.fixture(scope="module")
def cluster():
    """Two workers of Dask, each a process of its own."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as running:
        yield running


def graded_notebooks(course):
    """Each student's graded notebook, outputs and all."""
    paths = (course / "autograded").glob(f"*/{PAPER}/{PAPER}.ipynb")
    return {path.parent.parent.name: json.loads(path.read_text()) for path in paths}


def check_marks(results, course):
    assert {result.student: result.score for result in results} == SCORES
    assert {row["student"]: float(row["score"]) for row in read_table(course / "grades.csv")} == SCORES


def test_whoever_runs_them_marks_are_the_same_and_nothing_is_run_or_marked_twice(
    released, cluster, tmp_path, run_again
):
    ways = {"alone": {"jobs": 1}, "two": {"jobs": 2}, "cluster": {"scheduler": cluster.scheduler_address}}
    courses = {way: shutil.copytree(released, tmp_path / way) for way in ways}
    alone, two, far = (grade(PAPER, course / "in", course, **ways[way]) for way, course in courses.items())
    check_marks(alone, courses["alone"])
    assert far == two == alone
    assert graded_notebooks(courses["cluster"]) == graded_notebooks(courses["alone"])
    course = courses["cluster"]
    with nbgrader_session(course) as api, api.gradebook as gradebook:
        mark = gradebook.find_grade("why", PAPER, PAPER, "eve")
        mark.manual_score, mark.needs_manual_grade = 2.5, False
        gradebook.db.commit()
    again = {result.student: result for result in grade(PAPER, course / "in", course)}
    assert run_again == [sorted(STUDENTS)] * 3 + [[]]
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
            killed.append(next(iter(_pool(2)._processes)))
            os.kill(killed[0], signal.SIGKILL)

    check_marks(grade(PAPER, course / "in", course, kill, jobs=2), course)
    assert killed


def test_workers_that_were_killed_between_two_runs_cost_nothing(course):
    with pytest.raises(BrokenExecutor):
        _pool(1).submit(os._exit, 1).result()
    check_marks(grade(PAPER, course / "in", course), course)


def test_a_worker_of_a_cluster_that_dies_and_an_interrupt_cost_nothing(course, cluster, run_again):
    done = []

    def disturb(result):
        done.append(result.student)
        if len(done) > 1:
            raise KeyboardInterrupt
        os.kill(cluster.workers[0].pid, signal.SIGKILL)

    far = {"scheduler": cluster.scheduler_address}
    with pytest.raises(KeyboardInterrupt):
        grade(PAPER, course / "in", course, disturb, **far)
    check_marks(grade(PAPER, course / "in", course, **far), course)
    assert run_again == [sorted(STUDENTS), sorted(STUDENTS.keys() - done)]


def no_marks(scheduler):
    """Why a cluster gives none."""
    setup = Setup("{}", "bubblewrap", Limits(), Times())
    with pytest.raises(GradingError) as caught:
        dict(run_on_cluster(scheduler, setup, {"ann": "{}"}))
    return str(caught.value)


def test_a_cluster_is_not_told_how_many_run_at_a_time(tmp_path):
    told = CliRunner().invoke(cli.main, ["grade", PAPER, str(tmp_path), "--jobs", "2", "--scheduler", "x"])
    assert told.exit_code == 2 and "--jobs is for this machine" in told.output


def test_where_dask_is_not_installed_that_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "'.[cluster]'" in no_marks("tcp://127.0.0.1:1")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://"])
def test_an_address_that_nobody_answers_at_is_named(monkeypatch, address):
    monkeypatch.setattr(grading_cluster, "CONNECT", 1)
    assert f"no Dask scheduler at {address!r}" in no_marks(address)


def test_a_worker_with_another_version_gives_no_marks(cluster, monkeypatch):
    other = {**grading_cluster.versions(), "torch": "0.1"}
    monkeypatch.setattr(grading_cluster, "versions", lambda: other)
    assert f"torch {torch.__version__}, not 0.1" in no_marks(cluster.scheduler_address)


def test_a_cluster_without_workers_and_a_worker_without_the_course_give_no_marks(tmp_path, monkeypatch):
    (tmp_path / "hide.py").write_text("import sys\nsys.modules['course_tools'] = None\n")
    monkeypatch.setattr(grading_cluster, "LOOK", 1)
    hidden = {"preload": [str(tmp_path / "hide.py")], "dashboard_address": ":0"}
    with LocalCluster(n_workers=0, threads_per_worker=1, **hidden) as empty:
        assert "has no worker" in no_marks(empty.scheduler_address)
        empty.scale(1)
        with Client(empty) as client:
            client.wait_for_workers(1)
        said = no_marks(empty.scheduler_address)
    assert "cannot run submissions: " in said and "course_tools" in said


def test_a_worker_that_has_no_sandbox_gives_no_marks(tmp_path):
    need_sandbox()
    (tmp_path / "hide.py").write_text("import os\nos.environ['PATH'] = '/nowhere'\n")
    hidden = {"preload": [str(tmp_path / "hide.py")], "dashboard_address": ":0"}
    with LocalCluster(n_workers=1, threads_per_worker=1, **hidden) as bare:
        said = no_marks(bare.scheduler_address)
    assert "cannot run submissions: bubblewrap is not installed" in said


def test_a_scheduler_that_ends_is_named_and_the_next_run_goes_on(course, run_again):
    done = []
    leaves_at_once = dask.config.set({"distributed.comm.timeouts.connect": 1})  # and looks for no scheduler
    with leaves_at_once, LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as ending:

        def end(result):
            done.append(result.student)
            ending.sync(ending.scheduler.close)

        with pytest.raises(GradingError) as caught:
            grade(PAPER, course / "in", course, end, scheduler=ending.scheduler_address)
    assert f"the scheduler at {ending.scheduler_address!r} has ended" in str(caught.value)
    check_marks(grade(PAPER, course / "in", course), course)
    assert run_again == [sorted(STUDENTS), sorted(STUDENTS.keys() - done)]


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
    check_marks(grade(PAPER, course / "in", course), course)
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
