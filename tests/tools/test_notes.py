"""The copy of a lecture that shows what is for the speaker."""

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_tools.notes import with_notes, write_notes

LECTURES = Path(__file__).parents[2] / "notebooks"


@pytest.fixture
def lecture(tmp_path):
    cells = [
        new_markdown_cell("# One", id="one", metadata={"minutes": 4, "speaker_notes": "Ask.\n\n- Wait."}),
        new_code_cell("1 + 1", id="sum", metadata={"speaker_notes": "*Two.*"}),
        new_markdown_cell("nothing to say", id="plain"),
        new_markdown_cell("short", id="x" * 64, metadata={"minutes": 0.5}),
    ]
    path = tmp_path / "01_sums.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return path


def test_notes_and_minutes_stand_above_their_cell_and_the_rest_is_unchanged(lecture):
    original = nbformat.read(lecture, as_version=4)
    copy = with_notes(original)
    nbformat.validate(copy)
    said = ["> **4 minutes**\n>\n> Ask.\n>\n> - Wait.", "> *Two.*", "> **0.5 minutes**"]
    one, two, three, four = original.cells
    expected = [said[0], one.source, said[1], two.source, three.source, said[2], four.source]
    assert [cell.source for cell in copy.cells] == expected
    assert [cell for cell in copy.cells if cell in original.cells] == original.cells


@pytest.mark.parametrize("path", sorted(LECTURES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_every_lecture_shows_all_its_notes(path):
    lecture = nbformat.read(path, as_version=4)
    copy = with_notes(lecture)
    nbformat.validate(copy)
    text = "\n".join(cell.source for cell in copy.cells)
    for cell in lecture.cells:
        for line in cell.metadata.get("speaker_notes", "").splitlines():
            assert f"> {line}".rstrip() in text


def test_what_somebody_wrote_into_the_copy_is_kept(lecture, tmp_path):
    path = write_notes(lecture, tmp_path / "runs")
    assert write_notes(lecture, tmp_path / "runs") == path
    assert len(list(path.parent.iterdir())) == 1  # nobody has edited it
    edited = nbformat.read(path, as_version=4)
    edited.cells[1].source = "mine"
    nbformat.write(edited, path)
    write_notes(lecture, tmp_path / "runs")
    (kept,) = set(path.parent.iterdir()) - {path}
    assert nbformat.read(kept, as_version=4).cells[1].source == "mine"
    assert nbformat.read(path, as_version=4).cells[1].source == "# One"
