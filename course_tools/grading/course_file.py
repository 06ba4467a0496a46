"""`course.toml`: what is true of one class only. When its papers are due, who takes part."""

import tomllib
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from course_tools.grading.roster import Roster, read_roster

COURSE_FILE = "course.toml"
_ALLOWED = ("roster", "due", "canvas")


@dataclass(frozen=True)
class Class:
    """One class.

    Attributes:
        due: when each paper is due, by its name.
        roster: who takes part; None where there is no list.
        canvas: what Canvas calls the column of each paper, by the paper's name.
    """

    due: dict[str, datetime] = field(default_factory=dict)
    roster: Roster | None = None
    canvas: dict[str, str] = field(default_factory=dict)


NO_CLASS = Class()


def read_class(course_dir: Path) -> Class:
    """Read `course.toml`, and the roster that it names.

        roster = "roster.csv"

        [due]
        ps04_attention = 2026-11-20T23:59:00+01:00

        [canvas]
        ps04_attention = "Problem set 4 (87568490)"

    A time without an offset is this computer's.

    Args:
        course_dir: the folder that holds the file.

    Returns:
        The class; nobody and no dates if there is no file.

    Raises:
        ValueError: the file is no such table; the message says where and what is allowed.
    """
    path = course_dir / COURSE_FILE
    if not path.exists():
        return Class()
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML: {error}") from error
    if unknown := [name for name in given if name not in _ALLOWED]:
        raise ValueError(f"{path} has {unknown[0]!r}; allowed are {', '.join(_ALLOWED)}")
    for section in ("due", "canvas"):
        if not isinstance(given.get(section, {}), dict):
            raise ValueError(f"{path}: {section} should be a table, [{section}], with a line for each paper")
    due = {paper: _time(value, f"{path}: due.{paper}") for paper, value in given.get("due", {}).items()}
    roster = read_roster(course_dir / str(given["roster"])) if "roster" in given else None
    return Class(due, roster, {paper: str(name) for paper, name in given.get("canvas", {}).items()})


def _time(value: Any, place: str) -> datetime:
    if not isinstance(value, datetime):
        raise ValueError(f"{place} is {value!r}; it should be a date with a time: 2026-11-20T23:59:00+01:00")
    return value.astimezone()
