import json

import nbformat
import pytest
from mini_paper import HIDDEN, ODD_NAME, PAPER, REPOSITORY, SOLUTIONS, cell, make_course, source_notebook

from course_tools.grading import GradingError, release
from course_tools.grading.release import build_release, leaks
from course_tools.grading.session import papers


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("course") / ODD_NAME)


@pytest.fixture(scope="module")
def report(course):
    return release(PAPER, course)


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_only_the_notebook_gets_out(course, report):
    assert report.files == (f"{PAPER}.ipynb",)
    assert set(contents(course / "assignments")) == {f"{PAPER}/{PAPER}.ipynb"}
    assert (report.points, report.manual_points) == (7, 3)
    assert report.changed


def test_the_release_has_the_visible_tests_and_no_secrets(course, report):
    text = (report.folder / f"{PAPER}.ipynb").read_text()
    assert "assert double(2) == 4" in text
    assert "raise NotImplementedError" in text
    assert "Because doubling" not in text
    for secret in (*HIDDEN, *SOLUTIONS, "HIDDEN TESTS", "BEGIN SOLUTION"):
        assert secret not in text


def test_release_keeps_no_gradebook(course, report):
    assert not (course / "gradebook.db").exists()


def test_releasing_again_replaces_what_is_there_by_the_same_bytes(course, report):
    notebook = report.folder / f"{PAPER}.ipynb"
    before = notebook.read_bytes()
    notebook.write_text("edited")
    (report.folder / "left_over.txt").write_text("old")
    assert release(PAPER, course).changed
    assert contents(report.folder) == {f"{PAPER}.ipynb": before}
    assert not release(PAPER, course).changed


def test_an_unknown_paper_is_named_with_those_that_exist(course):
    with pytest.raises(ValueError, match=r"'../mini'.*this course has mini"):
        release("../mini", course)


def test_a_folder_without_a_course_is_named(tmp_path):
    with pytest.raises(ValueError, match="nbgrader_config"):
        release(PAPER, tmp_path)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("    ### BEGIN SOLUTION\n    return number\n    ### END SOLUTION", "does not pass"),
        ("    ### BEGIN SOLUTION\n    return 2 * number", "end solution"),
    ],
)
def test_a_source_that_fails_or_is_malformed_is_not_released(tmp_path, wrong, message):
    course = make_course(tmp_path)
    source = source_notebook()
    cell(source, "double").source = "def double(number):\n" + wrong
    nbformat.write(source, course / "solutions" / PAPER / f"{PAPER}.ipynb")
    with pytest.raises(GradingError, match=message):
        release(PAPER, course)
    assert not (course / "assignments").exists()


def leaky(release_notebook):
    """Ways in which a release could leak, and words of the report on each."""

    def hidden_line(notebook):
        cell(notebook, "shout").source += f"\n{HIDDEN[0]}"

    def solution_line(notebook):
        notebook.cells[0].source += f"\n{SOLUTIONS[1]}"

    def marker(notebook):
        notebook.cells[0].source += "\n### BEGIN HIDDEN TESTS"

    def output(notebook):
        notebook.cells[1].outputs = [nbformat.v4.new_output("stream", name="stdout", text="4")]

    def count(notebook):
        notebook.cells[1].execution_count = 3

    def author(notebook):
        notebook.metadata["authors"] = [{"name": "A. Lecturer"}]

    def folder(notebook):
        notebook.cells[0].source += "\nsee solutions/mini"

    cases = {
        hidden_line: "staff line",
        solution_line: "staff line",
        marker: "marker",
        output: "output",
        count: "output",
        author: "authors",
        folder: "staff folder",
    }
    for change, words in cases.items():
        notebook = nbformat.from_dict(json.loads(json.dumps(release_notebook)))
        change(notebook)
        yield change.__name__, notebook, words


def test_the_scan_finds_every_kind_of_leak(course, report, tmp_path):
    source = course / "solutions" / PAPER / f"{PAPER}.ipynb"
    clean = nbformat.read(report.folder / f"{PAPER}.ipynb", as_version=4)
    assert leaks(source, report.folder) == []
    for name, notebook, words in leaky(clean):
        folder = tmp_path / name
        folder.mkdir()
        nbformat.write(notebook, folder / f"{PAPER}.ipynb")
        found = leaks(source, folder)
        assert len(found) == 1 and words in found[0], (name, found)

    (folder / "answers").mkdir()
    (folder / "answers" / "wrong.py").write_text("staff only")
    assert any("answers/wrong.py" in leak for leak in leaks(source, folder))


@pytest.mark.parametrize("paper", papers(REPOSITORY))
def test_the_committed_release_is_what_the_source_gives(paper, tmp_path):
    fresh = build_release(paper, REPOSITORY, tmp_path)
    assert contents(fresh) == contents(REPOSITORY / "assignments" / paper)
