"""A whole class: what Moodle and Canvas hand out, who is who, what came when and twice, and the way back."""

import csv
import json
import os
import stat
import zipfile
from datetime import UTC, datetime

import nbformat
import pytest
from click.testing import CliRunner
from mini_paper import PAPER, RIGHT, answered, make_released_course
from nbgrader.api import Gradebook

from course_tools import cli
from course_tools.grading import class_zip, grade
from course_tools.grading.class_zip import unpacked
from course_tools.grading.course_file import Class, read_class
from course_tools.grading.grade import SubmissionResult, save_grades
from course_tools.grading.platform_grades import write_grades
from course_tools.grading.roster import read_roster
from course_tools.grading.submissions import find_submissions, read_submission

NOTEBOOK = '{"cells": []}'
MOODLE = """Identifier,Full name,Email address,Status,Grade,Maximum grade,Last modified (grade)
Participant 12,Ann Lee,ann@a.example,Submitted,,10.00,-
Participant 13,Ann Lee,lee@a.example,Submitted,,10.00,-
Participant 14,"Müller, Max",max@a.example,Submitted,,10.00,-
Participant 15,Bo Ek,bo@a.example,No submission,,10.00,-
"""
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Quiz (7),mini (99),Total
    Points Possible,,,,,5,10,15
"Lee, Ann",1012,s12,annlee,A,4,,4
"Müller, Max",1014,s14,maxm,A,5,,5
"""


def write(folder, name, text=NOTEBOOK, day=1):
    """Write a file that was last changed on a day of March 2026, at noon."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    time = datetime(2026, 3, day, 12, tzinfo=UTC).timestamp()
    os.utime(path, (time, time))
    return path


def pack(path, *names, day=1):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name, (2026, 3, day, 12, 0, 0)), NOTEBOOK)
    return path


def roster(tmp_path, text):
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return read_roster(path)


def found(folder, of=None):
    return {s.student: s.refusal or s.note for s in find_submissions(folder, PAPER, of or Class())}


# What platforms hand out.


@pytest.mark.parametrize("around", ["", "download/"])
def test_moodles_zip_of_a_class_is_read_as_it_is(tmp_path, around):
    names = (
        "Ann Lee_12_assignsubmission_file_/mini.ipynb",
        "Müller, Max_14_assignsubmission_file_/deep/mini.ipynb",
        "Bo Ek_15_assignsubmission_file_mini.ipynb",
        "__MACOSX/._mini.ipynb",
        "Ann Lee_12_assignsubmission_file_/._mini.ipynb",
    )
    path = pack(tmp_path / "class.zip", *(around + name for name in names))
    with unpacked(path) as folder:
        assert found(folder) == {"Ann Lee": "", "Müller, Max": "", "Bo Ek": ""}
        for submission in find_submissions(folder, PAPER):
            assert read_submission(submission, PAPER).notebook == {"cells": []}
    assert not folder.exists()


def test_canvas_zip_of_a_class_is_read_as_it_is(tmp_path):
    path = pack(tmp_path / "class.zip", "leeann_1012_7_mini.ipynb", "mullermax_LATE_1014_9_mini-1.ipynb")
    with unpacked(path) as folder:
        assert found(folder) == {"leeann": "", "mullermax": "late, as Canvas says"}


def test_a_folder_stays_what_it_is(tmp_path):
    with unpacked(tmp_path) as folder:
        assert folder == tmp_path


@pytest.mark.parametrize("name", ["../mini.ipynb", "/mini.ipynb", "a/../../mini.ipynb"])
def test_a_class_zip_that_leads_out_is_refused_as_a_whole(tmp_path, name):
    path = pack(tmp_path / "class.zip", "ann.ipynb", name)
    with pytest.raises(ValueError, match="leads out of it"), unpacked(path):
        pass


def test_a_link_in_a_class_zip_is_refused(tmp_path):
    link = zipfile.ZipInfo("ann.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(ValueError, match="link"), unpacked(tmp_path / "class.zip"):
        pass


@pytest.mark.parametrize("names", [[], ["."], ["__MACOSX/._mini.ipynb"]], ids=["empty", "dot", "debris"])
def test_a_class_zip_that_holds_nothing_says_so(tmp_path, names):
    path = pack(tmp_path / "class.zip", *names)
    with pytest.raises(ValueError, match="is a zip that holds nothing"), unpacked(path):
        pass


def test_a_class_zip_that_swells_is_not_unpacked(tmp_path, monkeypatch):
    """Each file is small enough; together they are too much."""
    monkeypatch.setattr(class_zip, "TOTAL_LIMIT", 1_000_000)
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(20):
            archive.writestr(f"student{number}.ipynb", "0" * 100_000)
    assert path.stat().st_size < 10_000
    with pytest.raises(ValueError, match="of notebooks"), unpacked(path):
        pass


def test_a_class_zip_of_too_many_files_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(class_zip, "FILES_LIMIT", 3)
    path = pack(tmp_path / "class.zip", *(f"student{number}.ipynb" for number in range(4)))
    with pytest.raises(ValueError, match="a zip of more than 3 files"), unpacked(path):
        pass


def test_what_is_no_zip_is_said_to_be_none(tmp_path):
    path = write(tmp_path, "class.zip", "no zip")
    with pytest.raises(ValueError, match="neither a folder nor a readable zip"), unpacked(path):
        pass


# Several of one student.


def test_the_newest_version_in_a_folder_counts_and_is_named(tmp_path):
    write(tmp_path, "ann/mini.ipynb", day=1)
    write(tmp_path, "ann/mini (1).ipynb", '{"cells": [{"source": "new"}]}', day=3)
    write(tmp_path, "ann/mini-Copy2.ipynb", day=2)
    [submission] = find_submissions(tmp_path, PAPER)
    handed_in = read_submission(submission, PAPER)
    assert handed_in.notebook["cells"] == [{"source": "new"}]
    assert handed_in.notes == ["the newest of 3 versions of the notebook: 'mini (1).ipynb'"]


def test_the_newest_version_in_a_students_zip_counts(tmp_path):
    with zipfile.ZipFile(tmp_path / "ann.zip", "w") as archive:
        archive.writestr(
            zipfile.ZipInfo("mini.ipynb", (2026, 3, 2, 0, 0, 0)), '{"cells": [{"source": "new"}]}'
        )
        archive.writestr(zipfile.ZipInfo("mini_final.ipynb", (2026, 3, 1, 0, 0, 0)), NOTEBOOK)
    [submission] = find_submissions(tmp_path, PAPER)
    assert read_submission(submission, PAPER).notebook["cells"] == [{"source": "new"}]


def test_of_several_files_that_a_platform_hands_out_the_newest_counts(tmp_path):
    write(tmp_path, "leeann_1012_8_mini-1.ipynb", day=1)
    write(tmp_path, "leeann_1012_7_mini.ipynb", day=2)  # the time is that of the download; the number counts
    write(tmp_path, "leeann_1012_9_essay.pdf")
    write(tmp_path, "Bo Ek_15_assignsubmission_file_mini.ipynb", day=1)
    write(tmp_path, "Bo Ek_15_assignsubmission_file_mini2.ipynb", day=2)
    entries = {s.student: s for s in find_submissions(tmp_path, PAPER)}
    assert entries["leeann"].entry.name == "leeann_1012_8_mini-1.ipynb"
    assert entries["leeann"].note.startswith("the last of 2 that were handed in; left out: ")
    assert "essay.pdf" in entries["leeann"].note
    assert entries["Bo Ek"].entry.name == "Bo Ek_15_assignsubmission_file_mini2.ipynb"


def test_a_name_made_to_keep_the_reader_busy_is_read_at_once(tmp_path):
    write(tmp_path, f"ann/mini{'1' * 200}!.ipynb")
    [submission] = find_submissions(tmp_path, PAPER)
    assert "was renamed" in read_submission(submission, PAPER).notes[0]


# When it came.


def test_a_time_that_is_none_stops_nobody(tmp_path):
    write(tmp_path, f"ann+{PAPER}+2026-99-99 noon.ipynb")
    write(tmp_path, "bob.ipynb")
    assert found(tmp_path) == {f"ann+{PAPER}+2026-99-99 noon": "", "bob": ""}


@pytest.mark.parametrize(
    ("day", "note"), [(1, ""), (2, "late by 12 h"), (4, "late by 2 d 12 h")], ids=["in time", "late", "later"]
)
def test_what_comes_after_the_due_date_is_late(tmp_path, day, note):
    write(tmp_path, "Ann Lee_12_assignsubmission_file_/mini.ipynb", day=day)
    of = Class(due={PAPER: datetime(2026, 3, 2, tzinfo=UTC)})
    assert found(tmp_path, of) == {"Ann Lee": note}


def test_the_exchanges_time_is_compared_too(tmp_path):
    write(tmp_path, f"ann+{PAPER}+2026-03-02 00:00:01 UTC/mini.ipynb")
    write(tmp_path, "bob/mini/mini.ipynb")
    write(tmp_path, "bob/mini/timestamp.txt", "2026-03-01 23:59:59 UTC")
    assert found(tmp_path, Class(due={PAPER: datetime(2026, 3, 2, tzinfo=UTC)})) == {
        "ann": "late by 1 min",
        "bob": "",
    }


@pytest.mark.parametrize("year", [1980, 2107])
def test_a_time_that_cannot_be_is_reported(tmp_path, year):
    path = write(tmp_path, "Ann Lee_12_assignsubmission_file_/mini.ipynb")
    time = datetime(year, 6, 1, tzinfo=UTC).timestamp()
    os.utime(path, (time, time))
    assert f"its time stamp is odd: {year}-" in found(tmp_path)["Ann Lee"]


# Who it is.


def test_a_roster_tells_students_of_one_name_apart_by_the_platforms_number(tmp_path):
    of = Class(roster=roster(tmp_path, MOODLE))
    for number in (12, 13):
        write(tmp_path / "in", f"Ann Lee_{number}_assignsubmission_file_/mini.ipynb")
    assert found(tmp_path / "in", of) == {"Ann Lee (12)": "", "Ann Lee (13)": ""}


def test_a_name_is_never_guessed(tmp_path):
    of = Class(roster=roster(tmp_path, MOODLE))
    write(tmp_path / "in", "Ann Lee.ipynb")
    write(tmp_path / "in", "max@a.example.ipynb")
    write(tmp_path / "in", "Bo.ipynb")
    assert found(tmp_path / "in", of) == {
        "Ann Lee": "could be Ann Lee (12) or Ann Lee (13) of the roster",
        "Müller, Max": "",
        "Bo": "not in the roster",
    }


def test_canvas_letters_of_a_name_are_found_in_the_roster(tmp_path):
    of = Class(roster=roster(tmp_path, CANVAS))
    write(tmp_path / "in", "leeann_5_7_mini.ipynb")
    write(tmp_path / "in", "whoever_1014_8_mini.ipynb")
    assert found(tmp_path / "in", of) == {"Lee, Ann": "", "Müller, Max": ""}


@pytest.mark.parametrize(
    ("table", "name", "student"),
    [
        (MOODLE, "Bo Ek_15_assignsubmission_file_x_14_assignsubmission_file_mini.ipynb", "Bo Ek"),
        (CANVAS, "leeann_1012_7_x_1014_assignsubmission_file_mini.ipynb", "Lee, Ann"),
    ],
    ids=["Moodle", "Canvas"],
)
def test_what_a_student_calls_a_file_makes_it_nobody_elses(tmp_path, table, name, student):
    of = Class(roster=roster(tmp_path, table))
    write(tmp_path / "in", name)
    assert found(tmp_path / "in", of) == {student: ""}


def test_a_name_without_letters_is_nobodys(tmp_path):
    of = Class(roster=roster(tmp_path, "Full name,ID number\nAnn Lee,-\nBo Ek,7\n"))
    write(tmp_path / "in", "_.ipynb")
    assert found(tmp_path / "in", of) == {"_": "not in the roster"}


def test_a_list_of_ones_own_may_say_what_marks_are_kept_under(tmp_path):
    of = Class(roster=roster(tmp_path, "student;First name;Last name\nal7;Ann;Lee\n"))
    for name in ("Ann Lee", "Lee, Ann", "leeann_1_2_mini", "al7"):
        folder = tmp_path / name
        write(folder, f"{name}.ipynb")
        assert found(folder, of) == {"al7": ""}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("points\n3\n", "has no column of names, but 'points'"),
        ("student\nann\nann\n", "'ann' more than once"),
        ("Full name\nAnn Lee\nAnn Lee\n", "'Ann Lee' more than once"),
    ],
)
def test_a_roster_that_tells_nobody_apart_is_refused(tmp_path, text, words):
    with pytest.raises(ValueError, match=words):
        roster(tmp_path, text)


# course.toml


def test_the_course_file(tmp_path):
    assert read_class(tmp_path) == Class()
    (tmp_path / "list.csv").write_text("name\nAnn Lee\n")
    (tmp_path / "course.toml").write_text('roster = "list.csv"\n[due]\nmini = 2026-03-01T12:00:00+01:00\n')
    of = read_class(tmp_path)
    assert of.due["mini"] == datetime(2026, 3, 1, 11, tzinfo=UTC)
    assert of.roster.find("lee ann") == ("Ann Lee", "")
    (tmp_path / "course.toml").write_text("[due]\nmini = 2026-03-01T12:00:00\n")
    assert read_class(tmp_path).due["mini"] == datetime(2026, 3, 1, 12).astimezone()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("due", "is no TOML"),
        ("deadline = 3", "'deadline'; allowed are roster, due, canvas"),
        ("due = 3", r"should be a table, \[due\]"),
        ("[due]\nmini = 2026-03-01", "should be a date with a time"),
        ('roster = "gone.csv"', "there is no file"),
    ],
)
def test_a_course_file_that_is_wrong_says_where(tmp_path, text, words):
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(ValueError, match=words):
        read_class(tmp_path)


# The way back.


def graded(tmp_path):
    results = [
        SubmissionResult("Ann Lee (12)", "graded", 7.5, 10, 0, ""),
        SubmissionResult("Müller, Max", "needs_manual", 4, 10, 1, ""),
        SubmissionResult("Zoe", "graded", 3, 10, 0, "not in the roster"),
    ]
    return save_grades(PAPER, results, tmp_path)


def test_moodles_worksheet_comes_back_with_the_grades_filled_in(tmp_path):
    of, target = Class(roster=roster(tmp_path, MOODLE)), tmp_path / "out.csv"
    count, without = write_grades(PAPER, graded(tmp_path), target, "moodle", of)
    lines = target.read_text(encoding="utf-8").splitlines()
    before = MOODLE.splitlines()
    assert lines[0] == before[0] and lines[1] == before[1].replace("Submitted,,", "Submitted,7.5,")
    assert lines[2:] == before[2:]
    assert count == 1 and without == {
        "Ann Lee (13)": "nothing was handed in",
        "Bo Ek": "nothing was handed in",
        "Müller, Max": "answers wait to be marked by hand",
        "Zoe": "not in the roster",
    }


@pytest.mark.parametrize(
    ("named", "column"), [({}, "mini (99)"), ({PAPER: "Quiz (7)"}, "Quiz (7)"), ({PAPER: "New"}, "New")]
)
def test_canvas_gets_the_columns_that_it_knows(tmp_path, named, column):
    of, target = Class(roster=roster(tmp_path, CANVAS), canvas=named), tmp_path / "out.csv"
    save_grades(PAPER, [SubmissionResult("Lee, Ann", "graded", 7.5, 10, 0, "")], tmp_path)
    write_grades(PAPER, tmp_path / "grades.csv", target, "canvas", of)
    with target.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", column],
            ["Points Possible", "", "", "", "", "10"],
            ["Lee, Ann", "1012", "s12", "annlee", "A", "7.5"],
        ]


def test_moodle_writes_numbers_as_its_language_does(tmp_path):
    of = Class(roster=roster(tmp_path, MOODLE.replace("10.00", '"10,00"')))
    assert write_grades(PAPER, graded(tmp_path), tmp_path / "out.csv", "moodle", of)[0] == 1


def test_other_tables_and_other_points_are_refused(tmp_path):
    grades = graded(tmp_path)
    for text, format, words in (
        (MOODLE.replace("10.00", "100.00"), "moodle", "Moodle counts to 100.00, the paper to 10"),
        (CANVAS, "moodle", "no column 'Identifier', so it is not Moodle's"),
        (MOODLE, "canvas", "no column 'Student', so it is not Canvas'"),
    ):
        with pytest.raises(ValueError, match=words):
            write_grades(PAPER, grades, tmp_path / "out.csv", format, Class(roster=roster(tmp_path, text)))
    with pytest.raises(ValueError, match="there is no roster"):
        write_grades(PAPER, grades, tmp_path / "out.csv", "moodle", Class())


def test_from_moodles_zip_to_moodles_worksheet(tmp_path, monkeypatch):
    course = make_released_course(tmp_path / "course")
    paper = nbformat.read(course / "assignments" / PAPER / f"{PAPER}.ipynb", as_version=4)
    (course / "roster.csv").write_text(MOODLE.replace("10.00", "7.00"), encoding="utf-8")
    (course / "course.toml").write_text('roster = "roster.csv"\n[due]\nmini = 2026-03-01T00:00:00+00:00\n')
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        name = "Ann Lee_13_assignsubmission_file_/mini.ipynb"
        archive.writestr(zipfile.ZipInfo(name, (2026, 3, 3, 0, 0, 0)), json.dumps(answered(paper, **RIGHT)))
    with unpacked(tmp_path / "class.zip") as folder:
        [result] = grade(PAPER, folder, course)
    assert (result.student, result.score) == ("Ann Lee (13)", 7)
    assert "late by" in result.message
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        student = gradebook.find_student("Ann Lee (13)")
        assert (student.first_name, student.last_name) == ("Ann", "Lee")
    monkeypatch.setattr("course_tools.grading.commands.course_folder", lambda: course)
    target = tmp_path / "upload.csv"
    done = CliRunner().invoke(cli.main, ["grades", PAPER, "--format", "moodle", "--to", str(target)])
    assert done.exit_code == 2 and "Moodle counts to 7.00, the paper to 10" in done.output
    (course / "roster.csv").write_text(MOODLE, encoding="utf-8")
    done = CliRunner().invoke(cli.main, ["grades", PAPER, "--format", "moodle", "--to", str(target)])
    assert done.exit_code == 0, done.output
    assert (
        "Ann Lee (12): no score, nothing was handed in" in done.output
        and "1 of 4 have a score" in done.output
    )
    assert "Participant 13,Ann Lee,lee@a.example,Submitted,7.0,10.00,-" in target.read_text(encoding="utf-8")
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        gradebook.find_grade("test-double", PAPER, PAPER, "Ann Lee (13)").manual_score = 1.5
        gradebook.db.commit()
    CliRunner().invoke(cli.main, ["grades", PAPER, "--format", "moodle", "--to", str(target)])
    assert "Submitted,5.5,10.00,-" in target.read_text(encoding="utf-8")
