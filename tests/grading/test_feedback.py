import csv
import json
import re

import nbformat
import pytest
from mini_paper import HIDDEN, ODD_NAME, PAPER, REPOSITORY, RIGHT, answered, make_course

from course_tools.grading import feedback, grade, release
from course_tools.grading.session import nbgrader_session

# Prints what it finds of the tests from inside one of them, and from a later cell.
SPY = """import sys
def shout(word):
    print(sys._getframe(1).f_globals["In"][-1])
    raise ValueError("no idea for " + word)
"""
# Its traceback goes through the library.
LOST = RIGHT["shout"] + "\nfrom course_tools.grading import feedback\nfeedback('none', None)"
STUDENTS = {
    "right": {
        **RIGHT,
        "why": "It is linear: $f(x) = \\alpha x$ and $\\broken{$ ![plot](attachment:gone.png).",
    },
    "wrong": {"double": "def double(number):\n    return abs(2 * number)", "shout": LOST},
    "visible": {"double": "def double(number):\n    return 5", "shout": RIGHT["shout"]},
    "spy": {
        "double": RIGHT["double"],
        "shout": SPY,
        "why": "<script>alert(1)</script>![x](http://a.example/x.png)",
    },
}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = make_course(tmp_path_factory.mktemp("course") / ODD_NAME)
    release(PAPER, folder)
    released = nbformat.read(folder / "assignments" / PAPER / f"{PAPER}.ipynb", as_version=4)
    (folder / "in").mkdir()
    for student, answers in STUDENTS.items():
        (folder / "in" / f"{student}.ipynb").write_text(json.dumps(answered(released, **answers)))
    grade(PAPER, folder / "in", folder)
    with nbgrader_session(folder) as api, api.gradebook as gradebook:
        gradebook.find_grade("why", PAPER, PAPER, "right").manual_score = 2.5
        gradebook.find_grade("why", PAPER, PAPER, "right").needs_manual_grade = False
        gradebook.find_comment("why", PAPER, PAPER, "right").manual_comment = "Nicely put."
        gradebook.db.commit()
    return folder


@pytest.fixture(scope="module")
def pages(course):
    return {path.parent.parent.name: path.read_text() for path in feedback(PAPER, course)}


def text(page):
    """The words of a page, without tags: the highlighter puts tags between them."""
    return re.sub(r"<[^>]*>", "", page).replace("&#39;", "'").replace("&quot;", '"').replace("&lt;", "<")


def test_every_graded_student_gets_a_page(pages):
    assert set(pages) == set(STUDENTS)


def test_marks_and_comments_are_on_the_page(pages):
    assert "mini (Score: 9.5 / 10.0)" in pages["right"]
    assert "Nicely put." in pages["right"]
    assert "mini (Score: 4.0 / 10.0)" in pages["wrong"]


def test_a_page_says_what_is_not_marked_yet(pages):
    assert "Waiting to be marked by hand, and 0 until then: 1" in pages["spy"]
    assert "Waiting" not in pages["right"]


@pytest.mark.parametrize("student", STUDENTS)
def test_hidden_tests_are_on_no_page(pages, course, student):
    graded = (course / "autograded" / student / PAPER / f"{PAPER}.ipynb").read_text()
    assert "Überraschung" in graded
    for secret in (*HIDDEN, "hidden_word", "Überraschung", "HIDDEN TESTS"):
        assert secret not in text(pages[student])


def test_the_message_of_a_hidden_test_is_shown(pages):
    assert "AssertionError: twice a negative number" in text(pages["wrong"])


def test_a_visible_test_that_fails_is_shown(pages):
    assert "assert double(2) == 4\nAssertionError" in text(pages["visible"])


def test_the_spy_did_print_the_tests(course):
    graded = nbformat.read(course / "autograded" / "spy" / PAPER / f"{PAPER}.ipynb", as_version=4)
    printed = [o.text for cell in graded.cells for o in cell.get("outputs", []) if o.output_type == "stream"]
    assert any("Überraschung" in text for text in printed)


def test_a_page_does_not_say_where_the_course_lies(pages, course):
    graded = (course / "autograded" / "wrong" / PAPER / f"{PAPER}.ipynb").read_text()
    assert str(REPOSITORY) in graded
    assert str(REPOSITORY) not in text(pages["wrong"])
    assert "course_tools" in text(pages["wrong"])


@pytest.mark.parametrize("student", STUDENTS)
def test_a_page_needs_no_network_and_runs_no_script(pages, student):
    page = pages[student]
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//(?!a\.example)", page)
    assert not re.search(r"url\((?!['\"]?data:)", page)
    assert "default-src 'none'" in page


def test_formulas_are_drawn_by_the_browser_itself(pages):
    assert re.search(r"<math [^>]*>.*<mfrac>", pages["right"])
    assert "\\broken{" in text(pages["right"])


def test_grades_csv_follows_marks_by_hand(pages, course):
    with (course / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert (rows["right"]["status"], rows["right"]["score"], rows["right"]["manual_pending"]) == (
        "graded",
        "9.5",
        "0",
    )
    assert rows["spy"]["status"] == "needs_manual"


def test_nothing_graded_yet_is_a_clear_error(tmp_path):
    with pytest.raises(ValueError, match="nothing of it is graded yet"):
        feedback(PAPER, make_course(tmp_path))


def test_an_unknown_paper_is_a_clear_error(course):
    with pytest.raises(ValueError, match="this course has mini"):
        feedback("other", course)
