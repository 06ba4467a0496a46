import csv
import json
import re
from collections import Counter
from html import unescape

import nbformat
import pytest
from mini_paper import (
    HIDDEN,
    ODD_NAME,
    PAPER,
    REPOSITORY,
    RIGHT,
    answered,
    make_course,
    make_released_course,
    need_sandbox,
    source_notebook,
)
from nbconvert import HTMLExporter
from nbgrader.server_extensions.formgrader.handlers import template_path
from traitlets.config.loader import PyFileConfigLoader

from course_tools.grading import feedback, grade
from course_tools.grading.harmless import harmless_markdown
from course_tools.grading.marks import Mark
from course_tools.grading.overview import ExerciseOverview, overview
from course_tools.grading.session import nbgrader_session
from course_tools.papers.paper import read_exercises

# Prints what it finds of the tests from inside one of them, and from a later cell.
SPY = """import sys
def shout(word):
    print(sys._getframe(1).f_globals["In"][-1])
    raise ValueError("no idea for " + word)
"""
# Its traceback goes through the library.
LOST = RIGHT["shout"] + "\nfrom course_lib.checks.borrowing import allow\nallow(3)"
RAW = "<plaintext>\n\n<style>.panel{display:none}</style>\n\n<meta http-equiv='refresh' content='0;url=http://b.example'>"
# Displays, under names that a page shows, what would repaint it or leave it.
PAINTER = (
    RIGHT["double"]
    + """
from IPython.display import display
for kind in ("text/html", "text/markdown", "image/png", "application/javascript", "text/latex"):
    hostile = "<p>shown</p></div></script><style>h1{color:red}</style><form action='http://b.example'><input></form>"
    display({kind: hostile, "text/plain": "plain"}, raw=True, metadata={kind: {"width": "1 style=color:red"}})
display({"text/html": "<table><tbody><tr><td>17.5</td></tr></tbody></table>"}, raw=True)
"""
)
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
    "painter": {
        "double": PAINTER,
        "why": f"Reads <s> a b </s> <pad>, $P(\\text{{</s>}})$, **bold**, <b>thick</b>, <b>open\n\n{RAW}",
    },
}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    need_sandbox()
    folder = make_released_course(tmp_path_factory.mktemp("course") / ODD_NAME)
    released = nbformat.read(folder / "assignments" / PAPER / f"{PAPER}.ipynb", as_version=4)
    (folder / "in").mkdir()
    for student, answers in STUDENTS.items():
        (folder / "in" / f"{student}.ipynb").write_text(json.dumps(answered(released, **answers)))
    grade(PAPER, folder / "in", folder)
    with nbgrader_session(folder) as api, api.gradebook as gradebook:
        gradebook.find_grade("why", PAPER, PAPER, "right").manual_score = 2.5
        gradebook.find_grade("why", PAPER, PAPER, "right").needs_manual_grade = False
        gradebook.find_comment("why", PAPER, PAPER, "right").manual_comment = "Nicely put."
        gradebook.find_submission_notebook(PAPER, PAPER, "painter").late_submission_penalty = 1.5
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


def test_sums_by_exercise_and_what_failed_stand_at_the_top(pages):
    head = pages["wrong"].partition('<div class="panel-body">')[0]
    words = text(head.replace("</td><td", "</td> <td"))
    assert words.index("What failed") < words.index("1 double 0 of 3")
    assert "AssertionError: twice a negative number" in words and "2 shout 4 of 4" in words
    waiting, head = (
        text(pages[student].partition('<div class="panel-body">')[0].replace("</td><td", "</td> <td"))
        for student in ("spy", "right")
    )
    assert "3 why 0 of 3 waits to be marked" in waiting
    assert "What failed" not in head and "3 why 2.5 of 3" in head and "waits" not in head


@pytest.mark.parametrize("student", STUDENTS)
def test_hidden_tests_are_on_no_page(pages, course, student):
    graded = (course / "autograded" / student / PAPER / f"{PAPER}.ipynb").read_text()
    assert "Überraschung" in graded
    for secret in (*HIDDEN, "hidden_word", "Überraschung", "HIDDEN TESTS"):
        assert secret not in text(pages[student])


def test_what_was_lost_by_lateness_is_said(pages):
    assert "Handed in late−1.5" in text(pages["painter"])
    assert "Handed in late" not in text(pages["right"])


def test_the_message_of_a_hidden_test_is_shown(pages):
    assert "AssertionError: twice a negative number" in text(pages["wrong"])


def test_a_visible_test_that_fails_is_shown(pages):
    assert "assert double(2) == 4\nAssertionError" in text(pages["visible"])


def test_the_spy_found_nothing_of_the_tests_to_print(course):
    graded = nbformat.read(course / "autograded" / "spy" / PAPER / f"{PAPER}.ipynb", as_version=4)
    shown = [str(output) for cell in graded.cells for output in cell.get("outputs", [])]
    assert any("'output_type': 'error'" in output for output in shown)
    assert not any("Überraschung" in output for output in shown)


def test_a_page_does_not_say_where_the_course_lies(pages, course):
    graded = (course / "autograded" / "wrong" / PAPER / f"{PAPER}.ipynb").read_text()
    assert str(REPOSITORY) in graded
    assert str(REPOSITORY) not in text(pages["wrong"])
    assert "course_lib" in text(pages["wrong"])


@pytest.mark.parametrize("student", STUDENTS)
def test_a_page_needs_no_network_and_runs_no_script(pages, student):
    page = pages[student]
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//(?!a\.example)", page)
    assert not re.search(r"url\((?!['\"]?data:)", page)
    assert "default-src 'none'" in page


def test_what_is_no_harmless_html_is_shown_as_it_was_written(pages):
    page = unescape(re.sub(r"<[^>]*>", "", pages["painter"]))
    assert "Reads <s> a b </s> <pad>, " in page and ", <b>open" in page
    assert all(line in page for line in RAW.split("\n"))
    assert "<mtext>&lt;/s&gt;</mtext>" in pages["painter"]
    assert "<strong>bold</strong>, <b>thick</b>" in pages["painter"]


def test_nothing_that_a_student_wrote_or_displayed_acts_on_the_page(pages):
    def acting(page):
        return Counter(re.findall(r"<(?:style|meta|form|input|base|iframe|link|plaintext)\b[^>]*>", page))

    assert acting(pages["painter"]) == acting(pages["right"])
    assert not re.search(r"<[^>]*style=color:red", pages["painter"])  # as text of the cell it may stand
    assert "<p>shown</p>" in pages["painter"] and "<td>17.5</td>" in pages["painter"]
    assert pages["painter"].count("</html>") == 1 and pages["painter"].rstrip().endswith("</html>")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[a](javascript:alert(1))", "<p><a>a</a></p>"),
        ("![p](attachment:a.png)", '<p><img src="data:image/png;base64,i&quot;&gt;<style>" alt="p"></p>'),
        ("```mermaid\n</pre><form>\n```", "<pre>&lt;/pre&gt;&lt;form&gt;\n</pre>"),
        ("<div onclick=x>q</div>", "<p>&lt;div onclick=x&gt;q&lt;/div&gt;</p>"),
        ("<details><summary>x</summary>y</details>", "<details><summary>x</summary>y</details>"),
        ("<!-- seen -->", "<p>&lt;!-- seen --&gt;</p>"),
        ("a<br>b", "<p>a<br>b</p>"),
        ("a < b", "<p>a &lt; b</p>"),
    ],
)
def test_markdown_of_anybody_is_harmless(written, shown):
    html = harmless_markdown(written, {"a.png": {"image/png": 'i"><style>'}}).strip()
    assert html.replace(' rel="noopener noreferrer"', "") == shown.replace("<style>", "&lt;style&gt;")


@pytest.fixture(scope="module")
def formgrader(course):
    """What formgrader shows of a submission, by student."""
    config = PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [template_path]
    exporter = HTMLExporter(config=config)
    facts = ("assignment_id", "notebook_id", "submission_id", "student", "last_name", "first_name")
    resources = {**dict.fromkeys((*facts, "base_url", "notebook_path"), ""), "index": 0, "total": 1}

    def page(student):
        path = course / "autograded" / student / PAPER / f"{PAPER}.ipynb"
        return exporter.from_filename(str(path), resources=dict(resources))[0]

    return page


def test_formgrader_shows_what_students_wrote_as_text_and_runs_nothing_of_it(formgrader):
    assert "alert(1)" not in re.sub(r"&lt;script&gt;alert\(1\)&lt;/script&gt;", "", formgrader("spy"))
    page = formgrader("painter")
    assert "Reads &lt;s&gt; a b &lt;/s&gt; &lt;pad&gt;, <math" in page
    assert "&lt;plaintext&gt;" in page and "<plaintext" not in page
    assert not re.search(r"<(meta|form)[^>]*b\.example", page) and "<style>h1{color:red}" not in page
    assert re.search(r"<math [^>]*>.*α", formgrader("right"))


def test_formulas_are_drawn_by_the_browser_itself(pages):
    assert re.search(r"<math [^>]*>.*<mfrac>", pages["right"])
    assert "\\broken{" in text(pages["right"])


def test_the_overview_counts_what_is_right_and_what_failed(pages, course):
    html, table = overview(PAPER, course)
    page = text(html.read_text(encoding="utf-8").replace("</td><td", "</td> <td"))
    by_hand = {"right": 3, "wrong": 0, "visible": 0, "spy": 3, "painter": 3}  # the points for `double`
    share = sum(points == 3 for points in by_hand.values()) / len(by_hand)
    assert f"1 double  {share:.0%} {sum(by_hand.values()) / len(by_hand):g} 3 0 0" in page
    assert "1 AssertionError: twice a negative number" in page
    assert "needs_manual" in page and "<script" not in html.read_text(encoding="utf-8")
    with table.open(encoding="utf-8", newline="") as file:
        rows = {row.pop("student"): row for row in csv.DictReader(file)}
    assert rows["right"] == {"double": "3", "shout": "4", "why": "2.5"}
    assert {student: int(row["double"]) for student, row in rows.items() if student in by_hand} == by_hand
    assert rows["spy"]["why"] == "" and rows["(points)"] == {"double": "3", "shout": "4", "why": "3"}


def test_the_share_that_is_right_is_one_of_those_that_are_marked():
    exercise = read_exercises(source_notebook().cells)[0]
    marks = {
        "ann": Mark(exercise, exercise.points, False, (), False),
        "bob": Mark(exercise, 0.0, True, (), False),
    }
    assert ExerciseOverview(exercise, marks).share_right == 1


def test_an_overview_of_nothing_is_a_clear_error(tmp_path):
    with pytest.raises(ValueError, match="nothing of it is graded yet"):
        overview(PAPER, make_course(tmp_path))


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
