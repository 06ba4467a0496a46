"""What learning platforms and students pack: zips, their names, and what may not be in them."""

import stat
import zipfile

import pytest

from course_tools.grading import submissions
from course_tools.grading.submissions import SubmissionError, find_submissions, read_submission

PAPER = "mini"
NOTEBOOK = '{"cells": [{"source": "mine"}]}'


def pack(path, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)


def read(folder):
    [submission] = find_submissions(folder, PAPER)
    return submission.student, read_submission(submission, PAPER)


def problem(folder):
    with pytest.raises(SubmissionError) as caught:
        read(folder)
    return caught.value.status, str(caught.value)


@pytest.mark.parametrize("place", ["mini.ipynb", "mini/mini.ipynb", "my work/mini/mini.IPYNB"])
def test_a_students_zip_is_read_without_debris(tmp_path, place):
    debris = {"__MACOSX/._mini.ipynb": "x", "._mini.ipynb": "x", ".ipynb_checkpoints/mini.ipynb": "{}"}
    pack(tmp_path / "ann.zip", **debris, **{place: NOTEBOOK, "notes.pdf": "x"})
    student, handed_in = read(tmp_path)
    assert student == "ann" and handed_in.notebook["cells"] == [{"source": "mine"}]
    assert not handed_in.notes


def test_a_zip_in_moodles_folder_and_a_renamed_notebook_are_found(tmp_path):
    folder = tmp_path / "Ann Lee_123_assignsubmission_file_"
    folder.mkdir()
    pack(folder / "work.zip", **{"essay.ipynb": NOTEBOOK})
    student, handed_in = read(tmp_path)
    assert student == "Ann Lee" and handed_in.notes == ["the notebook was renamed to 'essay.ipynb'"]


@pytest.mark.parametrize(("late", "notes"), [("", []), ("_LATE", ["late, as Canvas says"])])
def test_canvas_names_are_understood(tmp_path, late, notes):
    (tmp_path / f"leeann{late}_123_4567_mini-1.ipynb").write_text(NOTEBOOK)
    student, handed_in = read(tmp_path)
    assert student == "leeann" and handed_in.notes == notes


@pytest.mark.parametrize("name", ["../mini.ipynb", "/etc/mini.ipynb", "a/../../mini.ipynb", "C:\\mini.ipynb"])
def test_a_path_that_leads_out_is_refused(tmp_path, name):
    pack(tmp_path / "ann.zip", **{"mini.ipynb": NOTEBOOK, name: NOTEBOOK})
    status, message = problem(tmp_path)
    assert status == "refused" and "leads out" in message


def test_a_link_in_a_zip_is_refused(tmp_path):
    link = zipfile.ZipInfo("mini.ipynb")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "ann.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert problem(tmp_path)[0] == "refused"


def test_a_zip_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "SIZE_LIMIT", 100_000)
    pack(tmp_path / "ann.zip", **{"mini.ipynb": "0" * 1_000_000})
    assert (tmp_path / "ann.zip").stat().st_size < 10_000
    status, message = problem(tmp_path)
    assert status == "refused" and "unpacked" in message


def test_a_zip_of_too_many_files_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(submissions, "MEMBERS_LIMIT", 3)
    pack(tmp_path / "ann.zip", **{f"{number}.txt": "" for number in range(4)})
    assert problem(tmp_path)[0] == "refused"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no zip"])
def test_a_damaged_zip_is_unreadable(tmp_path, content):
    (tmp_path / "ann.zip").write_bytes(content)
    assert problem(tmp_path)[0] == "unreadable"


def test_a_damaged_member_is_unreadable(tmp_path):
    pack(tmp_path / "ann.zip", **{"mini.ipynb": NOTEBOOK * 50})
    content = bytearray((tmp_path / "ann.zip").read_bytes())
    content[45] ^= 255
    (tmp_path / "ann.zip").write_bytes(content)
    assert problem(tmp_path)[0] == "unreadable"


def test_a_zip_without_a_notebook_is_said_to_be_one(tmp_path):
    pack(tmp_path / "ann.zip", **{"notes.pdf": "x"})
    assert problem(tmp_path)[0] == "missing_notebook"


def test_a_zip_and_a_notebook_of_one_student_are_two(tmp_path):
    pack(tmp_path / "ann.zip", **{"mini.ipynb": NOTEBOOK})
    (tmp_path / "ann.ipynb").write_text(NOTEBOOK)
    assert all("2 submissions" in found.refusal for found in find_submissions(tmp_path, PAPER))
