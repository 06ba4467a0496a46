"""What a lecture writes itself is short, and stands in no other; its tables are drawn by one helper."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

LECTURES = sorted(Path(__file__).parents[2].glob("notebooks/*.ipynb"))
LONGEST = 12  # lines of a function without its docstring
TABLE = re.compile(r"\|\s*:?---|[\"'] ?\| ?[\"']\.join|<t[rdh]\b")

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def code(lecture: Path) -> Iterator[tuple[str, str]]:
    """The id and the source of each cell with code."""
    for cell in nbformat.read(lecture, as_version=4).cells:
        if cell.cell_type == "code":
            yield cell.id, cell.source


def functions(source: str) -> Iterator[Function]:
    """Functions and classes that a cell defines, also inside others."""
    return (node for node in ast.walk(ast.parse(source)) if isinstance(node, Function))


def lines(function: Function) -> int:
    """Lines of a function's body, its docstring not counted."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


@pytest.mark.parametrize("lecture", LECTURES, ids=lambda path: path.stem)
def test_long_functions_live_in_the_library(lecture: Path) -> None:
    for cell, source in code(lecture):
        for function in functions(source):
            assert lines(function) <= LONGEST, (
                f"{function.name} in cell {cell} has {lines(function)} lines, allowed are {LONGEST}; "
                "move it to the library, and show it with show_source where it is what is taught"
            )


def test_no_two_lectures_define_the_same_function() -> None:
    places: dict[str, set[str]] = defaultdict(set)
    for lecture in LECTURES:
        for _, source in code(lecture):
            for function in functions(source):
                places[function.name].add(lecture.stem)
    twice = {name: sorted(where) for name, where in places.items() if len(where) > 1}
    assert not twice, f"move to the library, or give another name where it does another thing: {twice}"


@pytest.mark.parametrize("lecture", LECTURES, ids=lambda path: path.stem)
def test_no_table_is_put_together_by_hand(lecture: Path) -> None:
    for cell, source in code(lecture):
        found = TABLE.search(source)
        assert not found, (
            f"cell {cell} builds a table by hand ({found.group()!r}): take Table of course_lib.figures, or "
            "result_table of course_experiments.results.tables for numbers of the register"
        )


def test_what_is_forbidden_is_recognised() -> None:
    by_hand = ['"| a |\\n| --- |"', '"|:---|"', '" | ".join(row)', "'|'.join(row)", '"<td>"', '"<tr id=x>"']
    assert all(TABLE.search(source) for source in by_hand)
    fine = ['"p / |y|"', "a | b", '"|".strip()', '"<title>"', 'Table({"a": ""}, [("|",)])']
    assert not any(TABLE.search(source) for source in fine)
    source = 'def outer():\n    """Two\n    lines."""\n    def inner():\n        return 1\n\n    return 2\n'
    assert [(f.name, lines(f)) for f in functions(source)] == [("outer", 4), ("inner", 1)]
    assert [lines(f) for f in functions('def nothing():\n    """Only this."""\n')] == [0]
