"""What holds for every paper: points and minutes, ids, the rubric, and that the solved paper runs."""

import re

import pytest
from assignment import PAPERS, execute, marks, read

ROW = re.compile(r"^\| (\d+) \| .* \| (\d+) \| (\d+) \|$", re.MULTILINE)
HEADING = re.compile(r"^## Exercise (\d+) · .*\((\d+) points, (\d+) minutes", re.MULTILINE)


@pytest.fixture(params=PAPERS, ids=lambda path: path.stem)
def path(request):
    return request.param


@pytest.fixture
def notebook(path):
    return read(path)


def test_the_table_of_points_and_minutes_says_what_the_exercises_say(notebook):
    intro = notebook.cells[0].source
    table = ROW.findall(intro)
    assert table == HEADING.findall("\n".join(cell.source for cell in notebook.cells))
    points, minutes = (sum(int(row[column]) for row in table) for column in (1, 2))
    assert f"| **{points}** | **{minutes}** |" in intro
    assert points == sum(mark.get("points", 0) for mark in marks(notebook).values())


def test_every_exercise_is_worth_what_its_heading_says(notebook):
    worth, exercise = {}, None
    for cell in notebook.cells:
        if found := re.match(r"## Exercise (\d+)", cell.source):
            exercise = found[1]
        worth[exercise] = worth.get(exercise, 0) + cell.metadata.get("nbgrader", {}).get("points", 0)
    for number, points, _ in ROW.findall(notebook.cells[0].source):
        assert worth[number] == int(points)


def test_every_part_of_an_exercise_is_worth_what_its_heading_says(notebook):
    said, worth = {}, {}
    part = None
    for cell in notebook.cells:
        if cell.source.startswith("## "):
            part = None
        if found := re.search(r"^### \(([a-z])\) .*\((\d+) points", cell.source, re.MULTILINE):
            part = cell.id
            said[part] = int(found[2])
        if part:
            worth[part] = worth.get(part, 0) + cell.metadata.get("nbgrader", {}).get("points", 0)
    assert worth == said


def test_grade_ids_are_the_cell_ids_and_belong_to_the_paper(path, notebook):
    for cell_id, mark in marks(notebook).items():
        assert mark.grade_id == cell_id
        assert cell_id.startswith(path.stem.partition("_")[0] + "-")


def test_the_rubric_has_one_line_a_point(notebook):
    manual = [cell for cell in notebook.cells if cell.id in marks(notebook)]
    [answer] = [c for c in manual if c.metadata.nbgrader.grade and c.metadata.nbgrader.solution]
    lines = re.findall(r"^\| ([a-z])(\d) \|", answer.source, flags=re.MULTILINE)
    assert len(lines) == answer.metadata.nbgrader.points
    question = notebook.cells[[cell.id for cell in notebook.cells].index(f"{answer.id}-text")].source
    for letter, points in re.findall(r"^- \*\*\(([a-z])\) (\d) points?\.\*\*", question, re.MULTILINE):
        assert [number for part, number in lines if part == letter] == [
            str(i + 1) for i in range(int(points))
        ]


@pytest.mark.usefixtures("warm_kernels")
def test_the_solved_paper_runs_and_every_check_passes(notebook, tmp_path):
    for name, outputs in execute(notebook, tmp_path).items():
        assert not [out for out in outputs if out.output_type == "error" or out.get("name") == "stderr"], name


def test_what_answers_may_call_is_said_once_and_before_the_first_of_them(path, notebook):
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    says = [
        number for number, cell in enumerate(code) if re.search(r"^allow\(.*\)$", cell.source, re.MULTILINE)
    ]
    answers = [number for number, cell in enumerate(code) if marks(notebook).get(cell.id, {}).get("solution")]
    assert len(says) == 1 and says[0] < answers[0]
    assert code[says[0]].metadata.nbgrader.locked
