"""`course start`, `check`, `submit` and `progress`, as students who make mistakes use them."""

import json

import nbformat
import pytest
from click.testing import CliRunner
from mini_paper import PAPER, REPOSITORY, RIGHT, answered, cell, source_notebook

from course_tools import cli
from course_tools.papers import check, kernel, paper
from course_tools.papers.canonical import canonicalise
from course_tools.papers.paper import find_paper, find_work, papers

WHY = "Because <s> doubles."


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """A folder of papers with the mini paper in it, as students get it."""
    folder = tmp_path_factory.mktemp("shipped")
    notebook = source_notebook()
    for each in notebook.cells:
        mark = each.metadata.get("nbgrader", {})
        if mark.get("solution"):
            head = each.source.split("    ###")[0] if each.cell_type == "code" else ""
            each.source = (
                f"{head}    # YOUR CODE HERE\n    raise NotImplementedError()" if head else "YOUR ANSWER HERE"
            )
        elif mark.get("grade"):
            each.source = each.source.split("\n###")[0]
    (folder / PAPER).mkdir()
    nbformat.write(notebook, folder / PAPER / f"{PAPER}.ipynb")
    return folder


@pytest.fixture
def home(tmp_path, monkeypatch, shipped):
    """A student's empty folder, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(paper, "shipped", lambda name: shipped)
    return tmp_path


def course(*arguments):
    return CliRunner().invoke(cli.main, arguments)


def save(home, **answers):
    """What a student who writes answers into the started notebook saves."""
    path = home / f"{PAPER}.ipynb"
    notebook = answered(json.loads(path.read_text(encoding="utf-8")), **answers)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def states(*arguments):
    return {
        o["exercise"]["name"]: (o["state"], o["message"])
        for o in json.loads(course(*arguments, "--json").output)
    }


def test_start_copies_the_paper_and_never_over_work(home, shipped):
    assert course("start", "mi").exit_code == 0
    copy = home / "mini.ipynb"
    assert copy.read_bytes() == (shipped / "mini" / "mini.ipynb").read_bytes()
    copy.write_text("my work")
    again = course("start", "mini")
    assert again.exit_code == 2 and "is there already" in again.output and "Traceback" not in again.output
    assert copy.read_text() == "my work"
    assert course("start", "mini", "--folder", "other/place").exit_code == 0
    assert (home / "other" / "place" / "mini.ipynb").exists()


def test_start_follows_no_link_out_of_the_folder(home):
    (home / "mini.ipynb").symlink_to(home / "nowhere.txt")
    assert course("start", "mini").exit_code == 2
    assert not (home / "nowhere.txt").exists()


@pytest.mark.parametrize("name", ["", "x", "../mini"])
def test_an_unknown_paper_is_named_with_those_that_exist(home, name):
    for command in ("start", "check", "submit"):
        done = course(command, name)
        assert done.exit_code == 2 and "there are: mini" in done.output


def test_without_a_notebook_the_way_to_one_is_told(home):
    for command in ("check", "submit"):
        done = course(command, "mini")
        assert done.exit_code == 2 and "course start mini" in done.output
    assert "course start mini" in course("progress").output


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"cells": 3}', b"\xff\xfe\x00", b"<<<<<<< HEAD"])
def test_a_damaged_notebook_is_said_to_be_one(home, content):
    (home / "mini.ipynb").write_bytes(content)
    for command in ("check", "submit", "progress"):
        done = course(command, "mini")
        assert done.exit_code == 2 and "mini.ipynb" in done.output and ".ipynb_checkpoints" in done.output
    assert course("progress").exit_code == 0


def test_the_notebook_of_another_paper_is_refused(home):
    nbformat.write(nbformat.v4.new_notebook(cells=[]), home / "mini.ipynb")
    done = course("check", "mini")
    assert done.exit_code == 2 and "not the notebook of mini" in done.output


def test_an_empty_paper_needs_no_python(home, monkeypatch):
    course("start", "mini")
    monkeypatch.setattr(check, "run_cells", None)
    done = course("check", "mini")
    assert done.exit_code == 1 and done.output.count("not written yet") == 4
    assert "0 of 3 exercises are finished" in done.output


def test_check_says_of_each_exercise_how_it_stands(home):
    course("start", "mini")
    save(home, double="def double(number):\n    return number", shout="def shout(word) return word", why=WHY)
    found = states("check", "mini")
    assert found["double"][0] == check.WRONG and "AssertionError" in found["double"][1]
    assert found["shout"][0] == check.WRONG and "SyntaxError" in found["shout"][1]
    assert ".py" not in found["shout"][1] and "line 1" in found["shout"][1]
    assert found["why"] == (check.WRITTEN, "3 words, marked by hand")
    save(home, **RIGHT)
    done = course("check", "mini")
    assert done.exit_code == 0 and "3 of 3 exercises are finished" in done.output


@pytest.mark.parametrize("wanted", ["2", "shout", "hou"])
def test_one_exercise_is_checked_alone(home, wanted):
    course("start", "mini")
    save(home, double="1 / 0", shout=RIGHT["shout"])
    assert states("check", "mini", wanted) == {"shout": (check.DONE, "")}


def test_an_unknown_exercise_is_named_with_those_that_exist(home):
    course("start", "mini")
    done = course("check", "mini", "nine")
    assert done.exit_code == 2 and "1 double, 2 shout, 3 why" in done.output


def ran(sources, tmp_path, seconds=3):
    told = []
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    kernel.run_cells(cells, tmp_path, lambda cell, error, text: told.append((cell.source, error)), seconds)
    assert [source for source, _ in told] == list(sources)
    return [error for _, error in told]


def test_what_goes_wrong_in_a_cell_is_told_and_the_next_one_runs(tmp_path):
    endless = "while True:\n    pass"
    sources = ["x = 1", "1 / 0", endless, "assert x == 1", "input()", "%time y = 2", "print('a' * 10**7)"]
    errors = ["", "ZeroDivisionError", kernel.TIMED_OUT, "", "StdinNotImplementedError", "", ""]
    assert ran(sources, tmp_path) == errors


def test_a_cell_that_ends_python_or_cannot_be_stopped_ends_the_run(tmp_path):
    assert ran(["import os; os._exit(1)", "x = 1"], tmp_path) == [kernel.ENDED, kernel.NOT_RUN]


def test_progress_remembers_until_the_answer_changes(home):
    course("start", "mini")
    save(home, **RIGHT)
    assert {state for state, _ in states("progress", "mini").values()} == {check.UNCHECKED, check.EMPTY}
    course("check", "mini", "double")
    assert states("progress", "mini")["double"][0] == check.DONE
    assert states("progress", "mini")["shout"][0] == check.UNCHECKED
    assert "1 of 3 exercises are finished: 1 done" in course("progress").output
    save(home, double=RIGHT["double"] + " + 0")
    assert states("progress", "mini")["double"][0] == check.UNCHECKED
    (home / check.RECORD).write_text('{"mini": [1, 2]}')
    assert course("progress").exit_code == 0
    save(home, **RIGHT)
    course("check", "mini", "double")
    assert states("progress", "mini")["double"][0] == check.DONE


def test_edited_checks_are_not_what_is_run(home):
    course("start", "mini")
    path = save(home, double="def double(number):\n    return 0", **{"test-double": "pass"})
    found = states("check", path.name, "double")
    assert found["double"][0] == check.WRONG
    assert "'test-double' was edited" in course("check", "mini", "3").output


def test_submit_names_what_is_missing_and_writes_nothing(home):
    course("start", "mini")
    save(home, double=RIGHT["double"], shout="def shout(word):\n    return word")
    done = course("submit", "mini")
    assert done.exit_code == 1 and "nothing was written" in done.output and "--anyway" in done.output
    assert "exercise 2 is not right yet" in done.output and "exercise 3 is not written yet" in done.output
    assert not (home / "handed_in").exists()
    assert course("submit", "mini", "--anyway").exit_code == 0
    assert (home / "handed_in" / "mini.ipynb").exists()


def test_what_is_handed_in_is_what_grading_reads(home, shipped):
    course("start", "mini")
    path = save(home, **RIGHT, why=WHY)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cell(notebook, "double")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "old"}]
    notebook["cells"].insert(2, nbformat.v4.new_code_cell("helper = 7"))
    path.write_text(json.dumps(notebook), encoding="utf-8")
    done = course("submit", "mini")
    assert done.exit_code == 0, done.output
    written = home / "handed_in" / "mini.ipynb"
    assert str(written.relative_to(home)) in done.output
    release = nbformat.read(shipped / "mini" / "mini.ipynb", as_version=4)
    graded, notes = canonicalise(release, json.loads(written.read_text(encoding="utf-8")))
    assert notes == [] and "helper = 7" in [each.source for each in graded.cells]
    for name, answer in {**RIGHT, "why": WHY}.items():
        assert cell(graded, name)["source"] == answer
    assert "old" not in written.read_text(encoding="utf-8")
    nbformat.validate(nbformat.read(written, as_version=4))


def test_submitting_again_keeps_what_was_handed_in_before(home):
    course("start", "mini")
    save(home, **RIGHT, why="first")
    course("submit", "mini")
    course("submit", "mini")
    save(home, why="second")
    course("submit", "mini")
    texts = {path.name: path.read_text() for path in (home / "handed_in").iterdir()}
    assert set(texts) == {"mini.ipynb", "mini.earlier-1.ipynb"}
    assert "second" in texts["mini.ipynb"] and "first" in texts["mini.earlier-1.ipynb"]


def test_a_cell_of_ones_own_that_stops_is_named(home):
    course("start", "mini")
    path = save(home, **RIGHT, why=WHY)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"].append(nbformat.v4.new_code_cell("later = undefined_name"))
    path.write_text(json.dumps(notebook), encoding="utf-8")
    done = course("submit", "mini")
    assert done.exit_code == 1 and "'later = undefined_name'" in done.output and "NameError" in done.output


def test_every_paper_is_read_with_numbers_titles_and_points():
    for each in papers():
        assert all(exercise.title[0].isupper() for exercise in each.exercises), each.name
        labels = [exercise.label for exercise in each.exercises]
        assert len(set(labels)) == len(labels) and labels[0] in ("1", "1a")
        assert all(exercise.by_hand or exercise.tests for exercise in each.exercises)
    attention = find_paper("ps04")
    assert sum(exercise.points for exercise in attention.exercises) == 62
    assert attention.find("greedy").label == "7" and attention.find("9").name == "ps04-beam"
    assert [find_paper("ps01").find(label).name for label in ("2a", "2b")] == ["ps01-one", "ps01-many"]


def test_the_solved_paper_is_done(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert course("start", "ps04").exit_code == 0
    source = nbformat.read(REPOSITORY / "solutions" / "ps04_attention" / "ps04_attention.ipynb", as_version=4)
    answers = {
        each.metadata.nbgrader.grade_id: each.source
        for each in source.cells
        if each.metadata.get("nbgrader", {}).get("solution")
    }
    path = find_work(find_paper("ps04"))
    path.write_text(
        json.dumps(answered(json.loads(path.read_text(encoding="utf-8")), **answers)), encoding="utf-8"
    )
    done = course("check", "ps04")
    assert done.exit_code == 0, done.output
    assert "10 of 10 exercises are finished: 9 done, 1 written" in done.output


def test_who_works_in_the_paper_of_a_clone_has_written_an_answer(shipped, tmp_path):
    path = tmp_path / PAPER / f"{PAPER}.ipynb"
    path.parent.mkdir()
    as_shipped = nbformat.read(shipped / PAPER / f"{PAPER}.ipynb", as_version=4)
    path.write_text(json.dumps(answered(as_shipped, double=RIGHT["double"])))
    itself = paper.Paper(path)
    written = {each.name: bool(check.Work(itself, path).answer(each)) for each in itself.exercises}
    assert written.pop("double")
    assert written and not any(written.values())
