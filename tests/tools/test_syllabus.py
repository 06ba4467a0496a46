import ast
import importlib
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from course_experiments.results import result
from course_tools.syllabus import find_rows, load_syllabus

ROOT = Path(__file__).parents[2]
ROWS = load_syllabus()
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
    empty = dict.fromkeys(("code", "tests", "lectures", "exercises", "results"), ())
    bare = replace(ROWS[0], needs_exercise=False, needs_number=False, **empty)
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
