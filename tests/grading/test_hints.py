"""Every exercise of every paper has two hints, its minutes and its difficulty."""

import re

import pytest
from harness import papers as sources

from course_tools.papers.paper import papers

FOLDED = r"<details><summary>{}</summary>\n\n(.+?)\n\n</details>"
FORM = re.compile(
    r"\*\*About (\d+) minutes\. Difficulty: (?:easy|medium|hard)\.\*\*\n\n"
    rf"{FOLDED.format('A gentle hint')}\n\n{FOLDED.format('A strong hint')}",
    re.DOTALL,
)
HEADING = re.compile(r"^## Exercise (\d+) · .*?(\d+) minutes", re.M)


def hints(notebook):
    """The text of the cell directly before each answer, by the answer's name."""
    before = {}
    for last, cell in zip(notebook.cells, notebook.cells[1:], strict=False):
        mark = cell.metadata.get("nbgrader", {})
        if mark.get("solution"):
            assert last.id == last.metadata.nbgrader.grade_id == f"{mark.grade_id}-hints"
            assert last.cell_type == "markdown" and last.metadata.nbgrader.locked
            before[mark.grade_id] = last.source
    return before


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.name)
def test_every_exercise_has_two_hints_minutes_and_a_difficulty(paper):
    found = hints(paper.notebook)
    assert set(found) == {exercise.name for exercise in paper.exercises}
    for name, text in found.items():
        match = FORM.fullmatch(text)
        assert match, name
        _, gentle, strong = match.groups()
        assert gentle != strong and "```" not in text and text.count("<") == text.count(">"), name


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.name)
def test_the_minutes_of_the_answers_are_those_of_the_heading(paper):
    headings = {
        number: int(minutes)
        for cell in paper.notebook.cells
        if cell.cell_type == "markdown"
        for number, minutes in HEADING.findall(cell.source)
    }
    spent = dict.fromkeys(headings, 0)
    for exercise in paper.exercises:
        spent[re.match(r"\d+", exercise.label)[0]] += exercise.minutes
    assert spent == headings and all(headings.values())


@pytest.mark.parametrize("source", sources(), ids=lambda paper: paper.name)
def test_no_hint_is_a_line_of_an_answer(source):
    """Not even in part: of a solution's lines, no one that says something stands in a hint."""
    for name, text in hints(source.notebook).items():
        answer = next(cell.source for cell in source.notebook.cells if cell.id == name)
        inside = answer.partition("BEGIN SOLUTION")[2] or answer
        lines = {line.strip() for line in inside.splitlines() if len(line.strip()) >= 20}
        assert lines and not [line for line in lines if line in text], name
