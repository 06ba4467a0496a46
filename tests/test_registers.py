import ast
import importlib
import json
import os
from dataclasses import replace
from datetime import date
from pathlib import Path

import nbformat
import pytest
import torch

from course_lib import registers
from course_lib.registers import Result, find_rows, load_results, load_syllabus, new_result, record, result

ROOT = Path(__file__).parents[1]
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

# How many rows each letter has, counted in the syllabus by hand.
COUNTS = {"C": 16, "R": 17, "D": 5, "W": 6, "S": 5, "A": 7, "T": 1, "V": 7, "M": 3, "X": 9}
GRADED = (
    "C1 C6 C7 C13 C15 C16 R2 R3 R4 R5 R7 R12 R14 D1 D2 D5 W2 W3 W4 S2 A1 A2 A3 A5 T1 V2 M1 X1 X4 X5 X6 X7 X8"
)
NUMBERED = "C9 C11 R8 R10 R12 R14 W2 W3 S1 S2 S4 A1 A2 T1 V1 V2 V3 V5 V6 M1 M2 X8"


def test_every_row_of_the_syllabus_is_listed_once() -> None:
    ids = [row.id for row in ROWS]
    assert sorted(ids) == sorted(f"{letter}{i + 1}" for letter, count in COUNTS.items() for i in range(count))
    assert {row.id for row in ROWS if row.needs_exercise} == set(GRADED.split())
    assert {row.id for row in ROWS if row.needs_number} == set(NUMBERED.split())
    assert all(row.title and row.keywords for row in ROWS)
    assert all(row.cells[letter] for row in ROWS for letter in row.partial)


def _references(letter: str) -> list:
    return [pytest.param(ref, id=f"{row.id}-{ref}") for row in ROWS for ref in row.cells[letter]]


def _headings(notebook: str) -> list[str]:
    cells = nbformat.read(ROOT / "notebooks" / notebook, as_version=4).cells
    lines = [line for cell in cells if cell.cell_type == "markdown" for line in cell.source.splitlines()]
    return [line.lstrip("#").strip() for line in lines if line.startswith("#")]


@pytest.mark.parametrize("reference", _references("R"))
def test_code_of_the_syllabus_exists(reference: str) -> None:
    module, _, name = reference.partition(":")
    thing = importlib.import_module(module)
    for attribute in name.split("."):
        thing = getattr(thing, attribute)
    assert callable(thing)


@pytest.mark.parametrize("reference", _references("P"))
def test_proof_of_the_syllabus_exists(reference: str) -> None:
    path, _, name = reference.partition("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf8"))
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert name.startswith("test_")


@pytest.mark.parametrize("reference", _references("L"))
def test_lecture_section_of_the_syllabus_exists(reference: str) -> None:
    notebook, _, heading = reference.partition("#")
    assert heading in _headings(notebook)


@pytest.mark.parametrize("reference", _references("E"))
def test_exercise_of_the_syllabus_exists(reference: str) -> None:
    place, _, name = reference.partition("#")
    if place.endswith(".ipynb"):
        assert name in _headings(place)
        return
    notebooks = (ROOT / "solutions" / place).glob("*.ipynb")
    cells = [cell for path in notebooks for cell in nbformat.read(path, as_version=4).cells]
    graded = [cell.metadata.nbgrader for cell in cells if "nbgrader" in cell.metadata]
    assert name in {mark.grade_id for mark in graded if mark.grade or mark.solution}


@pytest.mark.parametrize("reference", _references("N"))
def test_number_of_the_syllabus_is_recorded(reference: str) -> None:
    assert result(reference).command


@pytest.mark.parametrize(
    ("query", "id"),
    [
        ("beam search", "D2"),
        ("BEAM SERCH", "D2"),
        ("how does the length penalty work", "D2"),
        ("bahdanau", "A1"),
        ("a1", "A1"),
        ("word2vec", "W3"),
        ("Grad-CAM", "C15"),
        ("attention is all you need", "X8"),
    ],
)
def test_a_topic_is_found_by_what_people_call_it(query: str, id: str) -> None:
    assert id in [row.id for row in find_rows(query)[:2]]


@pytest.mark.parametrize("query", ["", "  ", "the", "quantum chromodynamics", "🙂"])
def test_what_is_not_taught_is_not_found(query: str) -> None:
    assert find_rows(query) == ()


def test_a_cell_is_missing_only_when_it_is_asked_for() -> None:
    bare = replace(ROWS[0], needs_exercise=False, needs_number=False)
    assert bare.missing == ("R", "P", "L", "E")
    assert [bare.mark(letter) for letter in "RN"] == ["○", "–"]
    done = replace(bare, code=("m:f",), tests=("t::f",), lectures=("n#h",), exercises=("11_a.ipynb#Check",))
    assert done.missing == ()
    # A self-check in a lecture is not the graded exercise that the syllabus asks for.
    assert replace(done, needs_exercise=True).missing == ("E",)
    assert replace(done, needs_exercise=True, exercises=("ps04#a",)).missing == ()
    assert replace(done, needs_number=True).missing == ("N",)
    # A part is shown, and is not enough.
    half = replace(done, partial=("R",))
    assert (half.missing, half.mark("R"), done.mark("R")) == (("R",), "◐", "●")


@pytest.fixture
def empty_register(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(registers, "RESULTS", tmp_path / "results")
    return tmp_path / "results"


def test_a_recorded_result_comes_back(empty_register: Path) -> None:
    other = replace(NUMBER, id="toy-loss", value=1.5, spread=None, published=None, published_source="")
    record(NUMBER, other)
    assert load_results() == (NUMBER, other)
    record(replace(NUMBER, value=32.0))
    assert result("toy-bleu").value == 32.0
    assert result("toy-loss") == other
    assert [path.name for path in empty_register.iterdir()] == ["toy.json"]
    assert json.loads((empty_register / "toy.json").read_text())[0]["metric"] == "BLEU"


def test_an_unknown_result_names_those_that_exist(empty_register: Path) -> None:
    record(NUMBER)
    with pytest.raises(KeyError, match="no result 'toy-blue'; there are: toy-bleu"):
        result("toy-blue")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "Toy BLEU"}, "id is 'Toy BLEU'; allowed are"),
        ({"experiment": "../toy"}, "experiment is '../toy'"),
        ({"value": float("nan")}, "value of toy-bleu is nan"),
        ({"published_source": ""}, "needs its source"),
        ({"date": "27.11.2026"}, "27.11.2026"),
    ],
)
def test_a_result_that_makes_no_sense_is_refused(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(NUMBER, **change)


def test_results_of_the_course_have_unique_ids_and_a_file_each_experiment() -> None:
    results = load_results()
    assert len({entry.id for entry in results}) == len(results)
    for path in registers.RESULTS.glob("*.json"):
        assert {entry["experiment"] for entry in json.loads(path.read_text(encoding="utf8"))} == {path.stem}


def test_only_the_block_between_the_marks_is_rewritten(
    empty_register: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(replace(NUMBER, metric="BLEU | 4"), replace(NUMBER, id="toy-aside", metric="not in the syllabus"))
    monkeypatch.setattr(registers, "load_syllabus", lambda: (replace(ROWS[0], results=("toy-bleu",)),))
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- results -->\nold\n<!-- end of results -->\nafter\n")
    registers.write_results_into(page)
    text = page.read_text()
    assert text.startswith("before\n<!-- results -->\n") and text.endswith("<!-- end of results -->\nafter\n")
    assert "| BLEU \\| 4 | 31.25 ± 0.5 | 30 | Somebody 2015, table 1 | `course train toy` |" in text
    assert "old" not in text and "not in the syllabus" not in text
    page.write_text("no marks")
    with pytest.raises(ValueError, match="no block between"):
        registers.write_results_into(page)


def test_index_shows_every_row_with_its_cells() -> None:
    lines = [line for line in registers.syllabus_markdown().splitlines() if line.startswith("| ")]
    shown = {line.split(" | ")[0].strip("| "): line for line in lines}
    for row in ROWS:
        assert shown[row.id].count("○") + shown[row.id].count("◐") == len(row.missing)


def test_a_new_result_says_when_and_on_what_it_was_measured() -> None:
    new = new_result("x-y", "x", "things", 1 / 3, "course bench", spread=2 / 3)
    assert (new.value, new.spread, new.seed, new.date) == (0.3333, 0.6667, 0, date.today().isoformat())
    assert new.hardware.endswith(f"one thread of {os.cpu_count()} cores, torch {torch.__version__}")
