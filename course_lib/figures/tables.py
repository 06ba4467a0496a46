"""Tables: rows of words and numbers under a header, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NUMBER = re.compile(r"\**[+−-]?\d")
# A dollar sign inside an element of its own cannot open mathematics.
ESCAPED = {"|": r"\|", "<": "&lt;", "$": "<span>&#36;</span>", "\n": " "}


@dataclass(frozen=True)
class Table:
    """Rows of cells under a header; the end of a cell shows it in a notebook.

    A text may hold Markdown on one line, as **bold** or `code`; |, < and $ stand for themselves. None is
    shown as a dash. A column that holds nothing but numbers stands on the right.

    Args:
        columns: title of each column -> format specification of its numbers, such as ".1f" or ",".
        rows: a cell for each column; a text is shown as it is, anything else in the column's format.
        note: Markdown below the table, where every sign has its meaning.

    Raises:
        ValueError: there is no column, or a row has not one cell for each.
    """

    columns: Mapping[str, str]
    rows: Iterable[Sequence[Any]]
    note: str = ""

    def __post_init__(self) -> None:
        if not self.columns:
            raise ValueError("columns must hold at least one title, got none")
        # Kept, since what is read once, such as a zip, would be shown empty.
        object.__setattr__(self, "rows", tuple(self.rows))
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"row {row} has {len(row)} cells for {len(self.columns)} columns")

    def markdown(self) -> str:
        """Return the table, and the note below it."""
        specifications = self.columns.values()
        cells = [[_text(*pair) for pair in zip(row, specifications, strict=True)] for row in self.rows]
        columns = zip(*cells, strict=True) if cells else [()] * len(self.columns)
        rules = ["---:" if all(map(_is_number, column)) else "---" for column in columns]
        lines = [[_escape(title) for title in self.columns], rules]
        lines += [[_escape(cell) for cell in row] for row in cells]
        table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"{table}\n\n{self.note}" if self.note else table

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/markdown": self.markdown(), "text/plain": self.markdown()}


def _text(cell: Any, specification: str) -> str:
    if cell is None:
        return "–"
    return cell if isinstance(cell, str) else format(cell, specification)


def _is_number(cell: str) -> bool:
    return cell == "–" or NUMBER.match(cell) is not None


def _escape(text: str) -> str:
    return "".join(ESCAPED.get(character, character) for character in text)
