"""The whole way of a paper through nbgrader's exchange, with the course's own settings."""

import json
import os
import sys
import sysconfig

import nbformat
import pytest
from mini_paper import PAPER, RIGHT, answered, make_released_course, need_sandbox
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import default as exchange
from traitlets.config.loader import PyFileConfigLoader

from course_tools.grading import feedback, grade
from course_tools.grading.submissions import find_submissions

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nbgrader's exchange is not for Windows")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    need_sandbox()
    folder = make_released_course(tmp_path_factory.mktemp("course"))
    return folder


@pytest.fixture(scope="module", autouse=True)
def activated():
    """nbgrader calls the program `alembic`, which an activated environment finds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", sysconfig.get_path("scripts"), prepend=os.pathsep)
        yield


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """The exchange's folder, which everybody may write to."""
    folder = tmp_path_factory.mktemp("exchange")
    folder.chmod(0o777)
    return folder


def act(step, course, shared, folder, student="*"):
    """Do one step of the exchange as nbgrader's command does it in `folder`, with the course's settings."""
    config = PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    config.Exchange.root = str(shared)
    config.Exchange.cache = str(folder / "cache")
    config.Exchange.assignment_dir = str(folder)
    config.CourseDirectory.update(assignment_id=PAPER, student_id=student)
    directory = CourseDirectory(config=config)
    return step(coursedir=directory, authenticator=Authenticator(config=config), config=config).start()


def hand_in(course, shared, folder, student, **answers):
    """Fetch the paper as a student does, answer it and submit it."""
    folder.mkdir(exist_ok=True)
    if not (folder / PAPER).exists():
        act(exchange.ExchangeFetchAssignment, course, shared, folder, student)
    path = folder / PAPER / f"{PAPER}.ipynb"
    path.write_text(json.dumps(answered(nbformat.read(path, as_version=4), **answers)))
    act(exchange.ExchangeSubmit, course, shared, folder, student)


@pytest.fixture(scope="module")
def handed_in(course, shared, tmp_path_factory):
    act(exchange.ExchangeReleaseAssignment, course, shared, course)
    students = tmp_path_factory.mktemp("students")
    hand_in(course, shared, students / "ann", "ann", double=RIGHT["double"])
    hand_in(course, shared, students / "ann", "ann", **RIGHT)
    hand_in(course, shared, students / "bob", "bob", shout=RIGHT["shout"])
    act(exchange.ExchangeCollect, course, shared, course)
    return students


def test_what_is_collected_is_graded_and_stays_as_it_was(course, handed_in):
    notebook = course / "submitted" / "ann" / PAPER / f"{PAPER}.ipynb"
    before = notebook.read_bytes()
    results = {result.student: result.score for result in grade(PAPER, course / "submitted", course)}
    assert results == {"ann": 7, "bob": 4}
    assert notebook.read_bytes() == before


def test_the_inbound_folder_is_graded_too_and_the_last_of_a_student_counts(course, shared, handed_in):
    inbound = next(shared.iterdir()) / "inbound"
    (inbound / "ann+other_paper+2026-01-01 10:00:00 UTC").mkdir()
    results = grade(PAPER, inbound, course)
    assert [(result.student, result.score) for result in results] == [("ann", 7), ("bob", 4)]
    assert [result.message for result in results] == ["the last of 2 that were handed in", ""]


def test_feedback_goes_back_the_same_way_and_takes_nothing_of_staff_along(course, shared, handed_in):
    grade(PAPER, course / "submitted", course)
    feedback(PAPER, course)
    act(exchange.ExchangeReleaseFeedback, course, shared, course)
    act(exchange.ExchangeFetchFeedback, course, shared, handed_in / "bob", "bob")
    [page] = (handed_in / "bob").glob(f"{PAPER}/feedback/*/{PAPER}.html")
    assert "mini (Score: 4.0 / 10.0)" in page.read_text()
    receipt = {"timestamp.txt", "submission_secret.txt"}
    for step, suffix in (("autograded", ".ipynb"), ("feedback", ".html")):
        files = {path.name for path in (course / step / "bob" / PAPER).iterdir()}
        assert files == receipt | {f"{PAPER}{suffix}"}


def test_a_receipt_that_cannot_be_read_changes_nothing(tmp_path, course, handed_in):
    folder = tmp_path / "ann"
    folder.mkdir()
    paper = nbformat.read(course / "assignments" / PAPER / f"{PAPER}.ipynb", as_version=4)
    (folder / f"{PAPER}.ipynb").write_text(json.dumps(answered(paper, **RIGHT)))
    (folder / "timestamp.txt").write_text("yesterday")
    [result] = grade(PAPER, tmp_path, course)
    assert (result.status, result.score) == ("graded", 7)


def test_a_student_with_a_plus_is_no_file_of_the_exchange(tmp_path):
    (tmp_path / "ann+bob.ipynb").write_text("{}")
    assert [submission.student for submission in find_submissions(tmp_path, PAPER)] == ["ann+bob"]
