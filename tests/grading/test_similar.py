"""Which answers are said to be alike, and how they are shown."""

import json
from itertools import combinations

import nbformat
import pytest
from click.testing import CliRunner
from harness import papers
from mini_paper import PAPER, answered, make_course, make_released_course
from nbgrader.preprocessors import ClearSolutions

from course_tools import cli
from course_tools.grading.similar import Answer, find_pairs, read_answers, runs
from course_tools.grading.similar_page import similar

LONG = '''def double(number):
    """Twice a number."""
    total, pieces = 0, []
    for step in range(2):
        pieces.append(number)
        total = total + pieces[step]
    if len(pieces) != 2 or total - number != number:
        raise ValueError("that was not twice <b>the number</b>")
    return total'''
RENAMED = """def double(number):
    # all my own work
    s, parts = 0, []
    for k in range(2):
        parts.append(number)   # collect
        s = s + parts[k]
    if len(parts) != 2 or s - number != number:
        raise ValueError("oh")
    return s"""
OTHER = '''def double(number):
    """Twice a number."""
    doubled = {value: value + value for value in (number, -number, 0)}
    keys = sorted(doubled, key=abs, reverse=True)
    while keys and keys[-1] != number:
        keys.pop()
    return doubled[keys[-1]] if keys else sum([number, number])'''
ESSAY = """Doubling is linear because twice the sum of two numbers is the sum of twice each of them.
A colleague who doubts that should take three and four, add them first, then the other way round, and look."""


def answer(student, source, kind="code", exercise="double"):
    return Answer(student, exercise, source, runs(source, kind))


def alike(*answers):
    return {(pair.first.student, pair.second.student) for pair in find_pairs(list(answers))}


def test_renamed_variables_comments_and_layout_hide_nothing():
    [pair] = find_pairs([answer("ann", LONG), answer("bob", RENAMED), answer("cem", OTHER)])
    assert (pair.first.student, pair.second.student) == ("ann", "bob")
    assert pair.share > 0.7


def test_answers_to_different_exercises_are_not_compared():
    assert alike(answer("ann", LONG), answer("bob", LONG, exercise="shout")) == set()


def test_what_many_write_is_nobodys_idea():
    crowd = [answer(f"student {number}", LONG) for number in range(8)]
    assert alike(*crowd) == set()
    assert alike(*crowd[:3]) == set(combinations(("student 0", "student 1", "student 2"), 2))


def test_short_answers_say_nothing():
    short = "def double(number):\n    return 2 * number"
    assert alike(answer("ann", short), answer("bob", short)) == set()


def test_texts_are_compared_word_by_word():
    assert alike(answer("ann", ESSAY, "markdown"), answer("bob", ESSAY.upper() + " Yes.", "markdown")) == {
        ("ann", "bob")
    }


def test_code_that_cannot_be_read_to_its_end_is_compared_as_far_as_it_can():
    assert alike(answer("ann", LONG), answer("bob", RENAMED + "\nx = '''")) == {("ann", "bob")}


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.name)
def test_independent_right_answers_are_not_alike(paper):
    for exercise in paper.exercises():
        cell = next(cell for cell in paper.notebook.cells if cell.id == exercise)
        right = {"model": cell.source}
        right |= {a.name: a.source for a in paper.answers() if (a.exercise, a.kind) == (exercise, "right")}
        released, _ = ClearSolutions().preprocess_cell(cell.copy(), {"language": "python"}, 0)
        stub = runs(released.source, "code")
        answers = []
        for name, text in right.items():
            own = {run: lines for run, lines in runs(text, "code").items() if run not in stub}
            answers.append(Answer(name, exercise, text, own))
        assert alike(*answers) == set()


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course in which five students' work is graded: two are alike, two left the paper as it was."""
    folder = make_released_course(tmp_path_factory.mktemp("course"))
    paper = nbformat.read(folder / "assignments" / PAPER / f"{PAPER}.ipynb", as_version=4)
    for student, source in {"ann": LONG, "bob": RENAMED, "cem": OTHER, "dan": None, "eve": None}.items():
        target = folder / "autograded" / student / PAPER / f"{PAPER}.ipynb"
        target.parent.mkdir(parents=True)
        target.write_text(json.dumps(answered(paper, **({"double": source} if source else {}))))
    return folder


def test_the_page_shows_both_answers_and_marks_their_lines(course):
    path, [pair] = similar(PAPER, course)
    page = path.read_text(encoding="utf-8")
    assert (pair.first.student, pair.second.student) == ("ann", "bob")
    assert '<span class="alike">    for k in range(2):</span>' in page
    assert "<span>    # all my own work</span>" in page
    assert "&lt;b&gt;the number&lt;/b&gt;" in page and "<b>" not in page
    assert "default-src 'none'" in page and "<script" not in page and "http:" not in page


def test_the_paper_alone_is_nobodys_copy(course):
    left = [each for each in read_answers(PAPER, course) if each.student in ("dan", "eve")]
    assert left and all(each.runs == {} for each in left)


def test_the_command_says_how_many_and_where(course, monkeypatch):
    monkeypatch.setattr("course_tools.grading.commands.course_folder", lambda: course)
    done = CliRunner().invoke(cli.main, ["similar", PAPER])
    assert done.exit_code == 0, done.output
    assert "double: ann and bob" in done.output and str(course / "similar" / f"{PAPER}.html") in done.output
    done = CliRunner().invoke(cli.main, ["similar", "other"])
    assert done.exit_code == 2 and "this course has mini" in done.output


def test_nothing_graded_yet_is_a_clear_error(tmp_path):
    with pytest.raises(ValueError, match="nothing of it is graded yet"):
        similar(PAPER, make_course(tmp_path))
