"""Reading `grades.csv` and other tables, also as a spreadsheet has saved them."""

import csv
import io
from pathlib import Path

_NEEDED = ("paper", "student", "status", "message")


def read_table(path: Path) -> list[dict[str, str]]:
    """Read the rows of a table of grades.

    A spreadsheet may have put a byte-order mark before it, other marks between the cells, or used another
    encoding, and people add columns. All that is understood.

    Args:
        path: the file.

    Returns:
        One dictionary a row, by the names of all columns; empty if there is no file.

    Raises:
        ValueError: a column that grading needs is not there, or a row has more cells than there are columns.
    """
    if not path.exists():
        return []
    columns, rows = read_rows(path)
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise ValueError(
            f"{path} has no column {missing[0]!r}, but {', '.join(map(repr, columns))}: "
            "move it elsewhere, or give it back its first line"
        )
    return rows


def read_rows(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Read a table as a program or a spreadsheet has saved it.

    Args:
        path: the file.

    Returns:
        Its columns, and one dictionary a row.

    Raises:
        ValueError: there is no such file, or a row has more cells than there are columns.
    """
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    text = _decoded(path.read_bytes())
    mark = max(",;\t", key=text.split("\n", 1)[0].count)
    lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=mark))
    columns = lines.pop(0) if lines else []
    for number, cells in enumerate(lines, start=2):
        if any(cells[len(columns) :]):
            raise ValueError(f"{path}, line {number}, has {len(cells)} cells for {len(columns)} columns")
    filled = [cells + [""] * (len(columns) - len(cells)) for cells in lines if any(cells)]
    return columns, [dict(zip(columns, cells, strict=False)) for cells in filled]


def _decoded(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
