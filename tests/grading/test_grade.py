import contextlib
import csv
import json
import os
import sqlite3
import unicodedata

import nbformat
import pytest
from click.testing import CliRunner
from mini_paper import (
    PAPER,
    RIGHT,
    answered,
    cell,
    make_course,
    make_released_course,
    need_sandbox,
    source_notebook,
)
from nbformat.v4 import new_code_cell

from course_tools import cli
from course_tools.grading import GradingError, grade
from course_tools.grading.grade import STATUSES, table
from course_tools.grading.gradesheet import read_table
from course_tools.grading.session import nbgrader_session
from course_tools.grading.submissions import SubmissionError, find_submissions, read_submission
from course_tools.papers.canonical import canonicalise

HANGS = "def double(number):\n    while True:\n        pass"
# Ignores the interrupt, so that its process has to be ended.
STUBBORN = """import signal, time
def double(number):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True: time.sleep(60)"""
KILLS = "import os\ndef shout(word):\n    os.kill(os.getpid(), 9)"
PRINTS = "def double(number):\n    while True: print('x' * 1000)"
PRINTS_MUCH = "print('y' * 3_000_000)\ndef double(number):\n    print('x' * 3_000_000)\n    return 2 * number"
INPUT = "def double(number):\n    return int(input())"
EXITS = "import sys\ndef shout(word):\n    sys.exit(0)"
WARNS = "import warnings\ndef double(number):\n    warnings.warn('slow')\n    return 2 * number"

# name: (answers, status, score); the points are 3 for double and 4 for shout, by hand.
BATCH = {
    "right": (RIGHT, "graded", 7),
    "blank": ({}, "graded", 0),
    "syntax": ({**RIGHT, "double": "def double(number:"}, "graded", 4),
    "input": ({**RIGHT, "double": INPUT}, "graded", 4),
    "exits": ({**RIGHT, "shout": EXITS}, "graded", 3),
    "hangs": ({**RIGHT, "double": HANGS}, "timed_out", 4),
    "stubborn": ({**RIGHT, "double": STUBBORN}, "timed_out", 4),
    "prints": ({**RIGHT, "double": PRINTS}, "timed_out", 4),
    "prints much": ({**RIGHT, "double": PRINTS_MUCH}, "graded", 7),
    "killed": ({**RIGHT, "shout": KILLS}, "crashed", 3),
    "os._exit": ({**RIGHT, "double": "import os\nos._exit(0)"}, "crashed", 4),
}


def write(path, notebook):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(notebook))


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    need_sandbox()
    folder = make_released_course(tmp_path_factory.mktemp("course"))
    return folder


@pytest.fixture(scope="module")
def released(course):
    return nbformat.read(course / "assignments" / PAPER / f"{PAPER}.ipynb", as_version=4)


@pytest.fixture(scope="module")
def batch(course, released):
    """One graded batch of everything that goes wrong, and what it gave, by student."""
    folder = course / "handed in"
    folder.mkdir()
    for student, (answers, _, _) in BATCH.items():
        write(folder / f"{student}.ipynb", answered(released, **answers))
    written = answered(released, **RIGHT, why="It is linear.")
    write(folder / "Zoë Müller" / f"{PAPER}.ipynb", answered(released, **{**RIGHT, "double": WARNS}))
    write(folder / "renamed" / "my homework.ipynb", written)
    beyond = answered(released, **RIGHT)
    beyond["cells"].append({**new_code_cell("import os\nos._exit(0)"), "id": "mine"})
    write(folder / "beyond.ipynb", beyond)
    (folder / "broken.ipynb").write_text(json.dumps(answered(released))[:-40])
    (folder / "empty.ipynb").write_text("")
    (folder / "nothing").mkdir()
    results = grade(PAPER, folder, course)
    return {result.student: result for result in results}


@pytest.mark.parametrize("student", BATCH)
def test_every_submission_has_the_state_and_score_it_deserves(batch, student):
    _, status, score = BATCH[student]
    assert (batch[student].status, batch[student].score) == (status, score), batch[student]
    assert batch[student].max_score == 10
    assert status in STATUSES


@pytest.mark.parametrize(
    ("student", "status", "words"),
    [
        ("Zoë Müller", "graded", ""),
        ("renamed", "needs_manual", "renamed to 'my homework.ipynb'"),
        ("broken", "unreadable", "broken JSON"),
        ("empty", "unreadable", "empty"),
        ("nothing", "missing_notebook", f"no {PAPER}.ipynb"),
    ],
)
def test_odd_files_are_reported(batch, student, status, words):
    assert batch[student].status == status
    assert words in batch[student].message
    assert batch[student].score == (7 if status in ("graded", "needs_manual") else None)


def test_a_cell_that_no_test_follows_is_not_run(batch, course):
    assert (batch["beyond"].status, batch["beyond"].score) == ("graded", 7)
    graded = nbformat.read(course / "autograded" / "beyond" / PAPER / f"{PAPER}.ipynb", as_version=4)
    (mine,) = [cell for cell in graded.cells if "_exit" in cell.source]
    assert mine.outputs == []


def test_messages_name_the_cell(batch):
    assert "ended its process: test-shout" in batch["killed"].message
    assert "ended its process: double" in batch["os._exit"].message
    for student in ("hangs", "stubborn", "prints"):
        assert "took too long: test-double" in batch[student].message


def test_a_crash_costs_the_tests_of_its_cell_and_no_others(batch, course):
    with nbgrader_session(course) as api, api.gradebook as gradebook:
        for student, scores in (("killed", (3, 0)), ("os._exit", (0, 4))):
            marks = {m.name: m for m in gradebook.find_submission_notebook(PAPER, PAPER, student).grades}
            assert (marks["test-double"].auto_score, marks["test-shout"].auto_score) == scores
            assert not batch[student].manual_pending


def test_what_is_printed_beyond_a_limit_is_dropped(batch, course):
    graded = (course / "autograded" / "prints much" / PAPER / f"{PAPER}.ipynb").read_text()
    assert len(graded) < 1_100_000
    assert "the rest is left out" in graded and "xxx" not in graded
    assert batch["prints much"].message == "shows more than is kept: double"


def test_the_written_answer_waits_for_a_person(batch):
    assert batch["renamed"].manual_pending == 1
    assert batch["right"].manual_pending == 0


def test_grades_csv_has_states_and_no_invented_zero(batch, course):
    with (course / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert set(rows) == set(batch)
    assert (rows["killed"]["status"], float(rows["killed"]["score"])) == ("crashed", 3)
    assert (rows["empty"]["status"], rows["empty"]["score"]) == ("unreadable", "")
    assert (rows["blank"]["status"], float(rows["blank"]["score"])) == ("graded", 0)


def test_the_table_has_a_line_for_everybody(batch):
    lines = table(list(batch.values())).split("\n")
    assert len(lines) == len(batch) + 2
    assert "2 crashed" in lines[-1]
    assert any(line.startswith("killed") and "3 / 10" in line for line in lines)
    assert any(line.startswith("empty") and "– / 10" in line for line in lines)


def test_grading_again_gives_the_same_and_no_stale_mark_survives(batch, course, released, tmp_path):
    write(tmp_path / "right.ipynb", answered(released, **RIGHT))
    (tmp_path / "renamed.ipynb").write_text("{")
    again = {result.student: result for result in grade(PAPER, tmp_path, course)}
    assert again["right"] == batch["right"]
    assert again["renamed"].score is None
    assert not (course / "autograded" / "renamed" / PAPER).exists()
    with nbgrader_session(course) as api, api.gradebook as gradebook:
        assert all(
            mark.auto_score is None and mark.needs_manual_grade
            for mark in gradebook.find_submission_notebook(PAPER, PAPER, "renamed").grades
        )
    with (course / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert rows["renamed"]["score"] == "" and set(rows) == set(batch)


def test_a_paper_whose_cells_changed_after_grading_is_refused_in_plain_words(batch, course, tmp_path):
    source = course / "solutions" / PAPER / f"{PAPER}.ipynb"
    before = source.read_text()
    changed = source_notebook()
    changed.cells.pop()
    nbformat.write(changed, source)
    write(tmp_path / "right.ipynb", {})
    try:
        with pytest.raises(GradingError, match="Cannot add or remove cells"):
            grade(PAPER, tmp_path, course)
    finally:
        source.write_text(before)


def fail_like(monkeypatch, *errors):
    """Let nbgrader's gradebook fail, for one submission after the other."""
    left = iter(errors)

    def fails(*_, **__):
        raise next(left)

    monkeypatch.setattr("nbgrader.api.Gradebook.update_or_create_submission", fails)


def two_submissions(folder, released):
    for student in ("first", "second"):
        write(folder / f"{student}.ipynb", answered(released, **RIGHT))


def test_a_failure_of_nbgrader_is_a_state_and_the_next_goes_on(course, released, tmp_path, monkeypatch):
    two_submissions(tmp_path, released)
    fail_like(monkeypatch, OSError("disk full"), ValueError("odd"))
    first, second = grade(PAPER, tmp_path, course)
    assert (first.status, first.score) == ("failed", None)
    assert "OSError: disk full" in first.message
    assert "ValueError: odd" in second.message


def test_a_gradebook_in_use_ends_the_run_in_plain_words(released, tmp_path):
    folder = make_course(tmp_path / "course")
    with (folder / "nbgrader_config.py").open("a") as config:
        config.write("c.CourseDirectory.db_url = c.CourseDirectory.db_url.replace('=120', '=0.1')\n")
    (tmp_path / "in").mkdir()
    two_submissions(tmp_path / "in", released)
    graded = []

    def lock(result):
        """Hold the gradebook from the first result on, as a program does that was left open."""
        graded.append(result)
        other.execute("BEGIN EXCLUSIVE")

    with contextlib.closing(sqlite3.connect(folder / "gradebook.db")) as other:
        with pytest.raises(GradingError, match="in use by another program") as caught:
            grade(PAPER, tmp_path / "in", folder, lock)
        assert "upgrade" not in str(caught.value)
        assert [result.student for result in graded] == ["first"]
        with pytest.raises(GradingError, match="in use by another program"):
            grade(PAPER, tmp_path / "in", folder)
    assert [row["student"] for row in read_table(folder / "grades.csv")] == ["first"]


def test_an_error_of_ours_is_a_state_and_the_next_goes_on(course, released, tmp_path, monkeypatch):
    two_submissions(tmp_path, released)
    unlucky = iter([RecursionError("too deep"), SubmissionError("unreadable", "not today")])

    def fails(*_):
        raise next(unlucky)

    monkeypatch.setitem(grade.__globals__, "canonicalise", fails)
    first, second = grade(PAPER, tmp_path, course)
    assert (first.status, first.message) == ("failed", "RecursionError: too deep")
    assert (second.status, second.message) == ("unreadable", "not today")


def test_an_interrupt_stops_the_batch_and_keeps_what_is_done(course, released, tmp_path, monkeypatch):
    two_submissions(tmp_path, released)
    fail_like(monkeypatch, OSError("before the interrupt"), KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        grade(PAPER, tmp_path, course)
    assert "before the interrupt" in (course / "grades.csv").read_text()


# Canonical form: whatever is done to the paper around the answers, the same notebook is graded.


def points(notebook):
    cell(notebook, "test-double")["metadata"]["nbgrader"]["points"] = 1000


def test_edited(notebook):
    cell(notebook, "test-double")["source"] = "pass"


def test_deleted(notebook):
    notebook["cells"].remove(cell(notebook, "test-double"))


def test_doubled(notebook):
    notebook["cells"].append(dict(cell(notebook, "test-double")))


def reordered(notebook):
    notebook["cells"].reverse()


def other_kernel(notebook):
    notebook["metadata"]["kernelspec"] = {"name": "julia", "display_name": "J", "language": "julia"}


def type_changed(notebook):
    cell(notebook, "test-double")["cell_type"] = "markdown"


def nonsense(notebook):
    notebook["cells"][:0] = [
        None,
        3,
        {},
        {"metadata": 3},
        {"metadata": {"nbgrader": []}},
        {"metadata": {"nbgrader": {"grade_id": ["double"]}}},
        {"cell_type": "raw", "source": 7},
    ]
    notebook["metadata"]["widgets"] = {"state": 1}


for _function in (test_edited, test_deleted, test_doubled):
    _function.__test__ = False


@pytest.mark.parametrize(
    ("tamper", "words"),
    [
        (points, "points of 'test-double' were edited"),
        (test_edited, "test cell 'test-double' was edited"),
        (test_deleted, "test cell 'test-double' was missing"),
        (test_doubled, "test cell 'test-double' was there 2 times"),
        (reordered, "another order"),
        (other_kernel, "the kernel was 'julia'"),
        (type_changed, "type of cell 'test-double'"),
        (nonsense, None),
    ],
)
def test_tampering_changes_nothing_but_the_notes(released, tamper, words):
    expected, clean = canonicalise(released, answered(released, **RIGHT))
    assert clean == []
    notebook = answered(released, **RIGHT)
    tamper(notebook)
    canonical, notes = canonicalise(released, notebook)
    assert canonical == expected
    assert len(notes) == (1 if words else 0)
    assert not words or words in notes[0]
    assert cell(canonical, "double").source == RIGHT["double"]


def carriage_returns(text):
    return text.replace("\n", "\r\n")


def old_carriage_returns(text):
    return text.replace("\n", "\r")


def last_newline(text):
    return f"{text}\n"


def spaces_before_line_ends(text):
    return "\n".join(f"{line} " for line in text.split("\n"))


@pytest.mark.parametrize(
    "change", [carriage_returns, old_carriage_returns, last_newline, spaces_before_line_ends]
)
def test_what_an_editor_does_to_line_ends_is_no_tampering(released, change):
    """Nor does it make an answer that nobody touched into one that a person must mark."""
    notebook = answered(released)
    for part in notebook["cells"]:
        part["source"] = change(part["source"])
    canonical, notes = canonicalise(released, notebook)
    assert notes == []
    assert [part.source for part in canonical.cells] == [part.source for part in released.cells]


def test_a_deleted_answer_loses_its_own_exercise_only(released):
    notebook = answered(released, **RIGHT)
    notebook["cells"].remove(cell(notebook, "double"))
    canonical, notes = canonicalise(released, notebook)
    assert notes == ["answer cell 'double' was missing"]
    assert cell(canonical, "double").source == cell(released, "double").source
    assert cell(canonical, "shout").source == RIGHT["shout"]


def test_a_split_answer_is_joined(released):
    notebook = answered(released, double="def helper(n):\n    return 2 * n")
    second = json.loads(json.dumps(cell(notebook, "double")))
    second["source"] = ["def double(n):\n", "    return helper(n)"]
    notebook["cells"].insert(3, second)
    canonical, notes = canonicalise(released, notebook)
    space = {}
    exec(cell(canonical, "double").source, space)
    assert space["double"](4) == 8
    assert notes == ["answer cell 'double' was there 2 times"]


def test_a_students_own_cells_stay_before_the_cell_they_stood_before(released):
    notebook = answered(released, double="double = twice")
    code = {"cell_type": "code", "metadata": {}, "source": "def twice(n): return 2 * n", "outputs": []}
    text = {"cell_type": "markdown", "metadata": {}, "source": ["My last ", "words."]}
    notebook["cells"].insert(2, code)
    notebook["cells"].append(text)
    canonical, notes = canonicalise(released, notebook)
    sources = [c.source for c in canonical.cells]
    assert sources.index(code["source"]) == sources.index("double = twice") - 1
    assert sources[-1] == "My last words."
    assert len(sources) == len(released.cells) + 2
    assert notes == []
    assert canonicalise(released, notebook)[0] == canonical
    nbformat.validate(canonical)


def test_a_picture_in_a_written_answer_is_kept_and_nothing_else(released):
    picture = {"a.png": {"image/png": "iVBORw0KGgo="}}
    notebook = answered(released, why="![plot](attachment:a.png)", **RIGHT)
    cell(notebook, "why")["attachments"] = picture | {"bad": 3, "worse": {"image/png": []}}
    cell(notebook, "double")["attachments"] = picture
    canonical, _ = canonicalise(released, notebook)
    assert cell(canonical, "why").attachments == picture | {"worse": {}}
    assert "attachments" not in cell(canonical, "double")
    nbformat.validate(canonical)


def test_stripped_metadata_is_made_good_by_the_ids_of_the_cells(released):
    notebook = answered(released, **RIGHT)
    for stripped in notebook["cells"]:
        stripped["metadata"] = {}
    canonical, notes = canonicalise(released, notebook)
    assert notes == ["cells had lost their marks and were found by their ids"]
    assert canonical == canonicalise(released, answered(released, **RIGHT))[0]


@pytest.mark.parametrize("id", [None, 3, ["double"], "another"])
def test_stripped_metadata_without_ids_is_no_silent_zero(released, id):
    notebook = answered(released, **RIGHT)
    for stripped in notebook["cells"]:
        stripped["metadata"] = {}
        stripped["id"] = id
    with pytest.raises(SubmissionError, match="none of the paper's answer cells") as caught:
        canonicalise(released, notebook)
    assert caught.value.status == "unreadable"


# What is let in.


def refusals(folder):
    return {submission.student: submission.refusal for submission in find_submissions(folder, PAPER)}


@pytest.mark.parametrize(
    "name", ["*", "..x", ".hidden", "a\x1b[31m", "=1+1", "a\nb", "x" * 81, "a/../b".replace("/", "\\"), "a "]
)
def test_a_name_that_is_more_than_a_name_is_refused(tmp_path, name):
    (tmp_path / f"{name}.ipynb").write_text("{}")
    [submission] = find_submissions(tmp_path, PAPER)
    assert "not a name" in submission.refusal
    assert not submission.named
    assert submission.student.isprintable()


@pytest.mark.parametrize(
    "name",
    ["O'Brien", "Müller, Max", "Lee (2)", "ann+bob", "विकास", "Núñez-D’Arc", "a.b_c@d", "阿明", "e\u0301va"],
)
def test_a_name_of_a_person_is_one(tmp_path, name):
    (tmp_path / f"{name}.ipynb").write_text("{}")
    [submission] = find_submissions(tmp_path, PAPER)
    assert (submission.student, submission.refusal) == (unicodedata.normalize("NFC", name), "")


def test_what_systems_leave_behind_is_nobodys_work(tmp_path):
    (tmp_path / "__MACOSX").mkdir()
    for name in ("._ann.ipynb", ".DS_Store", "Thumbs.db", "desktop.ini", "~$list.xlsx"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(ValueError, match="empty"):
        find_submissions(tmp_path, PAPER)
    (tmp_path / "ann" / "__MACOSX").mkdir(parents=True)
    (tmp_path / "ann" / ".ipynb_checkpoints").mkdir()
    for name in ("essay.ipynb", "._essay.ipynb", "__MACOSX/._essay.ipynb", ".ipynb_checkpoints/essay.ipynb"):
        (tmp_path / "ann" / name).write_text('{"cells": []}')
    [submission] = find_submissions(tmp_path, PAPER)
    assert read_submission(submission, PAPER).notes == ["the notebook was renamed to 'essay.ipynb'"]


@pytest.mark.parametrize(
    "place", ["ann.IPYNB", f"ann/{PAPER}.IPYNB", f"ann/{PAPER}/{PAPER}.ipynb", "ann/my work/a.ipynb"]
)
def test_a_notebook_in_capitals_or_a_folder_deeper_is_found(tmp_path, place):
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"cells": []}')
    [submission] = find_submissions(tmp_path, PAPER)
    assert submission.student == "ann"
    assert read_submission(submission, PAPER).notebook == {"cells": []}


def test_a_platforms_export_is_understood(tmp_path):
    for student in ("Ann Lee_123_assignsubmission_file_", "Bo Ek_124_assignsubmission_file"):
        (tmp_path / student).mkdir()
    (tmp_path / f"Müller, Max_125_assignsubmission_file_{PAPER}.ipynb").write_text("{}")
    (tmp_path / "Müller, Max_125_assignsubmission_file_notes.pdf").write_text("")
    (tmp_path / "Ida Ito_126_assignsubmission_onlinetext_").mkdir()
    found = refusals(tmp_path)
    assert {student for student, refusal in found.items() if not refusal} == {
        "Ann Lee",
        "Bo Ek",
        "Müller, Max",
        "Ida Ito_126_assignsubmission_onlinetext_",
    }


def test_two_students_of_one_name_are_both_named(tmp_path):
    for student in ("Ann Lee_123_assignsubmission_file_", "Ann Lee_124_assignsubmission_file_"):
        (tmp_path / student).mkdir()
    assert ["keep one, or rename" in s.refusal for s in find_submissions(tmp_path, PAPER)] == [True, True]


def test_links_other_files_and_doubles_are_refused_and_nothing_is_skipped(tmp_path):
    (tmp_path / "real.ipynb").write_text("{}")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "real.ipynb")
    (tmp_path / "linked folder").symlink_to(tmp_path)
    (tmp_path / "homework.pdf").write_text("")
    (tmp_path / "twice.ipynb").write_text("{}")
    (tmp_path / "twice").mkdir()
    (tmp_path / f"{PAPER}.ipynb").write_text("{}")
    os.mkfifo(tmp_path / "pipe.ipynb")
    found = refusals(tmp_path)
    assert found.pop("real") == ""
    assert "link" in found["link"] and "link" in found["linked folder"]
    assert "neither" in found["homework.pdf"] and "neither" in found["pipe"]
    assert "2 submissions" in found["twice"]
    assert "after the student" in found[f"{PAPER}.ipynb"]
    assert len(found) == 6


def problem(tmp_path):
    [submission] = find_submissions(tmp_path, PAPER)
    with pytest.raises(SubmissionError) as caught:
        read_submission(submission, PAPER)
    return caught.value.status


def test_a_link_inside_a_folder_is_not_followed(tmp_path):
    (tmp_path / "secret").write_text("{}")
    (tmp_path / "in" / "ann").mkdir(parents=True)
    (tmp_path / "in" / "ann" / f"{PAPER}.ipynb").symlink_to(tmp_path / "secret")
    assert problem(tmp_path / "in") == "refused"


def test_too_large_a_file_is_refused(tmp_path):
    with (tmp_path / "ann.ipynb").open("wb") as file:
        file.truncate(21_000_000)
    assert problem(tmp_path) == "refused"


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", '{"cells": 3}', "\ufeff{}", '{"worksheets": []}'])
def test_what_is_no_notebook_is_unreadable(tmp_path, text):
    (tmp_path / "ann.ipynb").write_text(text)
    assert problem(tmp_path) == "unreadable"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"cells": [' + "[]," * 1_000_001 + "0]}", "more than 1,000,000 lists"),
        ('{"cells": ', "broken JSON"),
    ],
    ids=["deep", "wide", "broken"],
)
def test_why_a_notebook_is_unreadable_is_said(tmp_path, text, reason):
    """What is nested takes many times the memory of its text."""
    (tmp_path / "ann.ipynb").write_text(text)
    [submission] = find_submissions(tmp_path, PAPER)
    with pytest.raises(SubmissionError, match=reason):
        read_submission(submission, PAPER)


def test_a_file_that_the_system_will_not_read_is_unreadable(tmp_path, monkeypatch):
    (tmp_path / "ann.ipynb").write_text("{}")

    def refuses(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.read_bytes", refuses)
    assert problem(tmp_path) == "unreadable"


def test_two_notebooks_with_other_names_are_not_guessed_between(tmp_path):
    (tmp_path / "ann").mkdir()
    for name in ("one", "two"):
        (tmp_path / "ann" / f"{name}.ipynb").write_text("{}")
    assert problem(tmp_path) == "missing_notebook"


def test_the_folders_that_grading_writes_to_are_no_place_for_submissions(tmp_path, course):
    for folder in ("feedback", "autograded/ann"):
        with pytest.raises(ValueError, match="grading writes there"):
            grade(PAPER, course / folder, course)


def test_no_submissions_is_an_error(tmp_path, course):
    with pytest.raises(ValueError, match="empty"):
        grade(PAPER, tmp_path, course)
    with pytest.raises(ValueError, match="no such folder"):
        grade(PAPER, tmp_path / "nowhere", course)


# What stands around students' code.


def graded_by_the_command(course, folder, monkeypatch, *options):
    monkeypatch.setattr("course_tools.grading.commands.course_folder", lambda: course)
    return CliRunner().invoke(cli.main, ["grade", PAPER, str(folder), *options])


def test_without_a_sandbox_nothing_runs_unless_that_is_asked_for_aloud(
    course, released, tmp_path, monkeypatch
):
    ran = tmp_path / "ran"
    double = f"open({str(ran)!r}, 'w').close()\n{RIGHT['double']}"
    write(tmp_path / "in" / "ann.ipynb", answered(released, **{**RIGHT, "double": double}))
    monkeypatch.setattr("shutil.which", lambda name: None)
    refused = graded_by_the_command(course, tmp_path / "in", monkeypatch)
    assert refused.exit_code == 1
    assert "apt install bubblewrap" in refused.output and "--unsafe" in refused.output
    assert not ran.exists()
    done = graded_by_the_command(course, tmp_path / "in", monkeypatch, "--unsafe")
    assert done.exit_code == 0, done.output
    assert "can read and change what you can" in done.output and "7 / 10" in done.output
    assert ran.exists()


def test_a_course_that_the_sandbox_would_show_is_refused(course, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.prefix", str(course.parent))
    write(tmp_path / "in" / "ann.ipynb", {})
    with pytest.raises(GradingError, match="which students' code can read"):
        grade(PAPER, tmp_path / "in", course)
