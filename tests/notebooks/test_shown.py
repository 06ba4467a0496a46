"""What a cell of a lecture makes to be seen is seen: a notebook shows only the cell's last expression."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

LECTURES = sorted(Path(__file__).parents[2].glob("notebooks/*.ipynb"))
SHOWS = ("_ipython_display_", "_repr_mimebundle_", "_repr_html_", "_repr_markdown_")


def imported(tree: ast.Module) -> dict[str, Any]:
    """What the import statements of a cell name."""
    names: dict[str, Any] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            exec(ast.unparse(statement), names)
    return names


def inner_expressions(body: list[ast.stmt]) -> Iterator[ast.expr]:
    """Expressions that stand as a statement of their own, outside functions, and so without a reader."""
    for statement in body:
        if isinstance(statement, ast.Expr):
            yield statement.value
        elif not isinstance(statement, ast.FunctionDef | ast.ClassDef):
            for field in ("body", "orelse", "finalbody"):
                yield from inner_expressions(getattr(statement, field, []))


def made(expression: ast.expr, names: dict[str, Any]) -> Any:
    """The class of what an expression makes, as far as its names and annotations say."""
    if not isinstance(expression, ast.Call):
        return None
    path = ast.unparse(expression.func).split(".")
    thing = names.get(path[0])
    for part in path[1:]:
        thing = getattr(thing, part, None)
    if isinstance(thing, type) or thing is None:
        return thing
    made = getattr(thing, "__annotations__", {}).get("return")
    return eval(made, inspect.unwrap(thing).__globals__) if isinstance(made, str) else made


def lost(source: str, names: dict[str, Any]) -> list[str]:
    """Expressions of a cell that make something to be seen, and are not its last statement."""
    tree = ast.parse(source)
    last = tree.body[-1:] if tree.body and isinstance(tree.body[-1], ast.Expr) else []
    body = tree.body[: len(tree.body) - len(last)]
    return [
        ast.unparse(expression)
        for expression in inner_expressions(body)
        if isinstance(expression, ast.Name | ast.Attribute | ast.Subscript | ast.Constant)
        or any(hasattr(made(expression, names), method) for method in SHOWS)
    ]


@pytest.mark.parametrize("lecture", LECTURES, ids=lambda path: path.stem)
def test_nothing_shown_is_lost(lecture: Path) -> None:
    names: dict[str, Any] = {}
    for cell in nbformat.read(lecture, as_version=4).cells:
        if cell.cell_type == "code":
            names |= imported(ast.parse(cell.source))
            gone = lost(cell.source, names)
            assert not gone, f"cell {cell.id} makes {'; '.join(gone)} and shows only its last expression"


def test_what_is_lost_is_found() -> None:
    names = imported(ast.parse("import course_lib.figures as f\nfrom course_lib.figures import *"))
    assert lost("show_source(print)\nshow_source(len)", names) == ["show_source(print)"]
    assert lost("if True:\n    Picture.of(drawn, 'x')\n    table", names) == [
        "Picture.of(drawn, 'x')",
        "table",
    ]
    assert lost("f.Table({}, [])\nlist(x)\nx.append(1)\ny = Table({}, [])\ny", names) == ["f.Table({}, [])"]
    assert lost("display(Table({}, []))\nprint(x)\ndef f():\n    Table({}, [])", names) == []
