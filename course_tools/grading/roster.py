"""Who takes part: a list that tells which student a platform's file belongs to."""

import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_tools.grading.gradesheet import read_rows

# What Moodle, Canvas and people call their columns.
_NAMES = ("Full name", "Student", "Name", "name")
_FIRST = ("First name", "first_name")
_LAST = ("Last name", "Surname", "last_name")
_NUMBERS = ("Identifier", "ID", "number")
_ADDRESSES = ("student", "Email address", "email", "ID number", "Username", "SIS User ID", "SIS Login ID")


@dataclass(frozen=True)
class Student:
    """A line of the roster.

    Attributes:
        id: the name that marks are kept under.
        first_name: as formgrader shows it.
        last_name: as formgrader shows it.
        row: the whole line, by its columns.
    """

    id: str
    first_name: str
    last_name: str
    row: dict[str, str]


class Roster:
    """Everybody who takes part.

    Args:
        columns: the columns of the list.
        rows: its lines, by the columns.
    """

    def __init__(self, columns: list[str], rows: list[dict[str, str]]) -> None:
        self.columns = columns
        names = [_full_name(row) for row in rows]
        often = Counter(names)
        self.students = [
            Student(_id(row, name, often[name] > 1), *_first_and_last(row, name), row)
            for row, name in zip(rows, names, strict=True)
        ]
        self._numbers: dict[str, set[str]] = defaultdict(set)
        self._names: dict[str, set[str]] = defaultdict(set)
        for student in self.students:
            for column in _NUMBERS:
                self._numbers[_number(student.row.get(column, ""))].add(student.id)
            for key in _keys(student):
                self._names[key].add(student.id)

    def find(self, name: str, number: str = "") -> tuple[str, str]:
        """Say who handed something in; nobody is guessed.

        Args:
            name: as a platform writes it into the name of a file.
            number: the platform's number of the student, if there is one.

        Returns:
            `(id, problem)`: who it is, or an empty text and why that is not known.
        """
        if number and len(found := self._numbers.get(number, set())) == 1:
            return next(iter(found)), ""
        found = self._names.get(_letters(name), set())
        if len(found) == 1:
            return next(iter(found)), ""
        if not found:
            return "", "not in the roster"
        return "", f"could be {' or '.join(sorted(found))} of the roster"


def read_roster(path: Path) -> Roster:
    """Read a roster: Moodle's grading worksheet, Canvas' export of the gradebook, or a list of your own.

    Args:
        path: a CSV file with a column `Full name`, `Student`, `name`, `student`, or first and last names.

    Raises:
        ValueError: there is no such file, it has no names, or two lines with the same `student`.
    """
    columns, rows = read_rows(path)
    rows = [row for row in rows if row.get("Student", "").strip() != "Points Possible"]  # Canvas' second line
    if not {*_NAMES, *_LAST, "student"} & set(columns):
        raise ValueError(
            f"{path} has no column of names, but {', '.join(map(repr, columns))}; "
            f"one of {', '.join((*_NAMES, 'student'))} is needed, or first and last names"
        )
    roster = Roster(columns, rows)
    twice = [id for id, count in Counter(student.id for student in roster.students).items() if count > 1]
    if twice:
        raise ValueError(f"{path} has {twice[0]!r} more than once: nobody could tell whose marks are whose")
    return roster


def _first_of(row: dict[str, str], columns: tuple[str, ...]) -> str:
    return next((row[column].strip() for column in columns if row.get(column, "").strip()), "")


def _full_name(row: dict[str, str]) -> str:
    parts = (_first_of(row, _FIRST), _first_of(row, _LAST))
    return _first_of(row, _NAMES) or " ".join(filter(None, parts)) or _first_of(row, _ADDRESSES)


def _id(row: dict[str, str], name: str, is_shared: bool) -> str:
    number = _number(_first_of(row, _NUMBERS))
    chosen = row.get("student", "").strip() or (f"{name} ({number})" if is_shared and number else name)
    return unicodedata.normalize("NFC", chosen)


def _first_and_last(row: dict[str, str], name: str) -> tuple[str, str]:
    first, last = _first_of(row, _FIRST), _first_of(row, _LAST)
    if first or last:
        return first, last
    if "," in name:  # Canvas: Lee, Ann
        last, _, first = name.partition(",")
    else:
        first, _, last = name.rpartition(" ")
    return first.strip(), last.strip()


def _keys(student: Student) -> set[str]:
    """Return what a file of this student may be called, in letters and digits alone."""
    first, last = student.first_name, student.last_name
    written = [first + last, last + first, student.id, _full_name(student.row)]
    texts = filter(None, (*written, *map(student.row.get, _ADDRESSES)))
    return {letters for text in texts if (letters := _letters(text))}


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text).casefold()))


def _number(text: str) -> str:
    return text.strip().removeprefix("Participant ")


def enrol(gradebook: Any, roster: Roster) -> None:
    """Write the names of the roster into nbgrader's gradebook, for formgrader.

    Args:
        gradebook: an open `nbgrader.api.Gradebook`.
        roster: who takes part.
    """
    known = {student.id: student for student in gradebook.students}
    for student in roster.students:
        names = {"first_name": student.first_name, "last_name": student.last_name}
        if student.id not in known:
            gradebook.add_student(student.id, **names)
        elif {name: getattr(known[student.id], name) for name in names} != names:
            gradebook.update_or_create_student(student.id, **names)
