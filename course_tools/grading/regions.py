"""Lines of a notebook that students may not see, found by nbgrader's markers."""

from collections.abc import Iterable
from typing import Any

HIDDEN_TESTS = "HIDDEN TESTS"
SOLUTION = "SOLUTION"
MARK_SCHEME = "MARK SCHEME"


def split_region(source: str, name: str) -> tuple[list[str], list[str]]:
    """Split a cell's text at `### BEGIN <name>` and `### END <name>`.

    Args:
        source: the cell's text.
        name: `HIDDEN_TESTS`, `SOLUTION` or `MARK_SCHEME`.

    Returns:
        `(outside, inside)`: the lines outside any such region, and those inside; no markers.
    """
    outside: list[str] = []
    inside: list[str] = []
    current = outside
    for line in source.split("\n"):
        if f"BEGIN {name}" in line:
            current = inside
        elif f"END {name}" in line:
            current = outside
        else:
            current.append(line)
    return outside, inside


def secret_lines(cells: Iterable[Any], names: tuple[str, ...]) -> frozenset[str]:
    """Lines that only stand inside regions, and are long enough to give something away.

    Args:
        cells: cells of a source notebook.
        names: the kinds of region.

    Returns:
        The lines, stripped, of at least 12 characters; a line that also stands outside is none.
    """
    secret: set[str] = set()
    public: set[str] = set()
    for cell in cells:
        text = cell.source
        for name in names:
            outside, inside = split_region(text, name)
            secret.update(line.strip() for line in inside)
            text = "\n".join(outside)
        public.update(line.strip() for line in text.split("\n"))
    return frozenset(line for line in secret - public if len(line) >= 12)
