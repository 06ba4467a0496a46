"""Show the library's code in a lecture instead of pasting it a second time."""

import ast
import inspect
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

from IPython.display import Code
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

# On light paper of its own, for which the colours of the words are made: a dark page would show through.
STYLE = (
    "background: #f8f8f8; color: #1b1f24; font-family: monospace; font-size: 90%; line-height: 1.35; "
    "padding: 0.6em 0.8em; overflow-x: auto"
)


class Source(Code):
    """Code that looks the same in JupyterLab, on a slide and in an exported page."""

    def _repr_html_(self) -> str:
        return highlight(self.data, PythonLexer(), HtmlFormatter(noclasses=True, prestyles=STYLE))


def show_source(*things: Any) -> Source:
    """Return the source of functions, methods or classes, highlighted, one below the other.

    It shows what is computed: docstrings are left out, and statements that only refuse bad arguments.
    """
    return Source(
        "\n\n".join(what_is_computed(inspect.getsource(thing)) for thing in things), language="python"
    )


def what_is_computed(source: str) -> str:
    """Return a definition without its docstrings and its checks of arguments, and not indented."""
    source = dedent(source)
    (definition,) = ast.parse(source).body
    out = {
        line
        for statement in _left_out(definition)
        for line in range(statement.lineno, (statement.end_lineno or 0) + 1)
    }
    numbered = enumerate(source.splitlines(), 1)
    kept = [
        line for number, line in numbered if number not in out and (line.strip() or number - 1 not in out)
    ]
    return "\n".join(kept) + "\n"


def _left_out(definition: ast.AST) -> Iterator[ast.stmt]:
    """Statements of a definition, and of those inside it, that compute nothing."""
    for node in ast.walk(definition):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            out = [statement for statement in node.body if _is_docstring(statement) or _is_check(statement)]
            kept = [statement for statement in node.body if statement not in out]
            read = {name for part in kept for name in _read(part)}
            unread = [part for part in kept if _assigned(part) and not _assigned(part) & read]
            if kept:
                yield from out + (unread if isinstance(node, ast.FunctionDef) else [])


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_check(statement: ast.stmt) -> bool:
    """Whether it can do nothing but raise: `if …: raise`, a loop over such, or a call of `check_…`."""
    match statement:
        case ast.If(orelse=[]):
            return all(isinstance(part, ast.Raise) for part in statement.body)
        case ast.For(orelse=[]):
            return all(map(_is_check, statement.body))
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return name.startswith("check")
    return False


def _read(statement: ast.stmt) -> set[str]:
    names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Load)}


def _assigned(statement: ast.stmt) -> set[str]:
    """The variable to which a plain assignment gives a value, or none."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return {name}
    return set()
