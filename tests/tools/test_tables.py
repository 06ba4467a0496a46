from dataclasses import replace
from pathlib import Path

import pytest

from course_experiments import results
from course_experiments.results import Result, record
from course_tools import tables
from course_tools.syllabus import load_syllabus

ROWS = load_syllabus()
NUMBER = Result(
    id="toy-bleu",
    experiment="toy",
    metric="BLEU",
    value=31.25,
    spread=0.5,
    published=30.0,
    published_source="Somebody 2015, table 1",
    seed=0,
    hardware="one core",
    date="2026-11-27",
    command="course train toy",
)


@pytest.fixture
def empty_register(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")


def test_only_the_block_between_the_marks_is_rewritten(
    empty_register: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(replace(NUMBER, metric="BLEU | 4"), replace(NUMBER, id="toy-aside", metric="not in the syllabus"))
    monkeypatch.setattr(tables, "load_syllabus", lambda: (replace(ROWS[0], results=("toy-bleu",)),))
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- results -->\nold\n<!-- end of results -->\nafter\n")
    tables.write_results_into(page)
    text = page.read_text()
    assert text.startswith("before\n<!-- results -->\n") and text.endswith("<!-- end of results -->\nafter\n")
    assert "| BLEU \\| 4 | 31.25 ± 0.5 | 30 | Somebody 2015, table 1 | `course train toy` |" in text
    assert "old" not in text and "not in the syllabus" not in text
    page.write_text("no marks")
    with pytest.raises(ValueError, match="no block between"):
        tables.write_results_into(page)


def test_index_shows_every_row_with_its_cells() -> None:
    lines = [line for line in tables.syllabus_markdown().splitlines() if line.startswith("| ")]
    shown = {line.split(" | ")[0].strip("| "): line for line in lines}
    for row in ROWS:
        assert shown[row.id].count("○") + shown[row.id].count("◐") == len(row.missing)
