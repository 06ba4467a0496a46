"""The attention paper as a student and a marker meet it: text, points, and a run in a real kernel."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

PAPER = Path(__file__).parents[2] / "solutions" / "ps04_attention" / "ps04_attention.ipynb"


@pytest.fixture
def notebook():
    return nbformat.read(PAPER, as_version=4)


def marks(notebook):
    return {cell.id: cell.metadata.nbgrader for cell in notebook.cells if "nbgrader" in cell.metadata}


def execute(notebook, folder):
    client = NotebookClient(notebook, timeout=60, allow_errors=True, resources={"metadata": {"path": folder}})
    client.execute()
    return {cell.id: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}


def test_the_table_of_points_and_minutes_says_what_the_exercises_say(notebook):
    intro = notebook.cells[0].source
    table = re.findall(r"^\| (\d) \| .* \| (\d+) \| (\d+) \|$", intro, flags=re.MULTILINE)
    headings = re.findall(
        r"^## Exercise (\d) · .*\((\d+) points, (\d+) minutes",
        "\n".join(cell.source for cell in notebook.cells),
        flags=re.MULTILINE,
    )
    assert table == headings
    points, minutes = (sum(int(row[column]) for row in table) for column in (1, 2))
    assert f"| **{points}** | **{minutes}** |" in intro
    assert points == sum(mark.get("points", 0) for mark in marks(notebook).values())


def test_every_exercise_is_worth_what_its_heading_says(notebook):
    worth, exercise = {}, None
    for cell in notebook.cells:
        if found := re.match(r"## Exercise (\d)", cell.source):
            exercise = found[1]
        worth[exercise] = worth.get(exercise, 0) + cell.metadata.get("nbgrader", {}).get("points", 0)
    for number, points in re.findall(
        r"^\| (\d) \| .* \| (\d+) \| \d+ \|$", notebook.cells[0].source, re.MULTILINE
    ):
        assert worth[number] == int(points)


def test_grade_ids_are_the_cell_ids_and_belong_to_the_paper(notebook):
    for cell_id, mark in marks(notebook).items():
        assert mark.grade_id == cell_id
        assert cell_id.startswith("ps04-")


def test_the_rubric_has_one_line_a_point(notebook):
    manual = [cell for cell in notebook.cells if cell.id in marks(notebook)]
    [answer] = [c for c in manual if c.metadata.nbgrader.grade and c.metadata.nbgrader.solution]
    lines = re.findall(r"^\| ([abc]\d) \|", answer.source, flags=re.MULTILINE)
    assert lines == ["a1", "a2", "b1", "b2", "c1", "c2"]
    assert len(lines) == answer.metadata.nbgrader.points


def test_the_solved_paper_runs_and_every_check_passes(notebook, tmp_path):
    for name, outputs in execute(notebook, tmp_path).items():
        assert not [out for out in outputs if out.output_type == "error" or out.get("name") == "stderr"], name


def test_a_failed_check_shows_its_message_and_nothing_of_the_hidden_test(notebook, tmp_path):
    answer = next(cell for cell in notebook.cells if cell.id == "ps04-masked-softmax")
    answer.source = "def masked_softmax(scores, keep):\n    return scores.softmax(dim=0)"
    notebook.cells = notebook.cells[: notebook.cells.index(answer) + 3]
    outputs = execute(notebook, tmp_path)
    message = (
        "masked_softmax, when nothing is masked: "
        "your weights sum to 1 over the batch axis; they should sum to 1 over the source axis."
    )
    [shown] = outputs["ps04-masked-softmax-visible"]
    assert shown.evalue == message
    assert " ".join(shown.traceback) == f"CheckError: {message}"
    [shown] = outputs["ps04-masked-softmax-hidden"]
    assert " ".join(shown.traceback) == f"CheckError: {shown.evalue}"
    assert "\n" not in shown.evalue
