"""Finding and reading what students handed in, without trusting any of it."""

import json
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SIZE_LIMIT = 20_000_000
NAME_LIMIT = 80

# A letter or digit first; then those, spaces, and . _ - @ : nothing that a path, a file pattern, a
# terminal or a spreadsheet would read as more than a name.
_NAME = re.compile(r"\w[\w .@-]*(?<![ .])")


class SubmissionError(Exception):
    """A submission that cannot be graded.

    Attributes:
        status: `refused`, `missing_notebook` or `unreadable`.
    """

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Submission:
    """One entry of the folder of submissions.

    Attributes:
        student: the student's name; the entry's name, safe to print, where that is not a name.
        entry: the file or folder.
        named: whether `student` is a name that can be graded under.
        refusal: why the entry is not taken, or empty.
    """

    student: str
    entry: Path
    named: bool
    refusal: str


def find_submissions(folder: Path, paper: str) -> list[Submission]:
    """List a folder of submissions: `student.ipynb` files, or a folder for each student.

    Args:
        folder: the folder.
        paper: the paper's name.

    Returns:
        One for every entry, sorted by name; nothing is left out.

    Raises:
        ValueError: the folder does not exist or is empty.
    """
    if not folder.is_dir():
        raise ValueError(f"submissions is {str(folder)!r}: there is no such folder")
    entries = sorted(folder.iterdir(), key=lambda path: path.name)
    if not entries:
        raise ValueError(f"submissions is {str(folder)!r}: the folder is empty")
    owners = [_student(entry) for entry in entries]
    found = []
    for entry, student in zip(entries, owners, strict=True):
        named = bool(_NAME.fullmatch(student)) and len(student) <= NAME_LIMIT and student != paper
        refusal = _refusal(entry, student, paper, named)
        if not refusal and owners.count(student) > 1:
            refusal = f"{owners.count(student)} submissions have the name {student!r}: keep one"
        found.append(Submission(student if named else _printable(entry.name), entry, named, refusal))
    return found


def _student(entry: Path) -> str:
    name = entry.name[: -len(".ipynb")] if entry.name.endswith(".ipynb") else entry.name
    return unicodedata.normalize("NFC", name)


def _refusal(entry: Path, student: str, paper: str, named: bool) -> str:
    if entry.is_symlink():
        return "a link, not a file or a folder"
    if not entry.is_dir() and not (entry.is_file() and entry.suffix == ".ipynb"):
        return "neither a notebook (student.ipynb) nor a folder"
    if student == paper:
        return "has the paper's name: name it after the student"
    if not named:
        return f"not a name: use letters, digits, spaces and . _ - @, at most {NAME_LIMIT} characters"
    return ""


def _printable(name: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)


def read_submission(submission: Submission, paper: str) -> tuple[dict[str, Any], list[str]]:
    """Read a submitted notebook as plain JSON.

    Args:
        submission: an entry that is not refused.
        paper: the paper's name.

    Returns:
        `(notebook, notes)`: the parsed file, whose `cells` is a list; and what was odd about its place.

    Raises:
        SubmissionError: there is no notebook, or it cannot be read.
    """
    if submission.refusal:
        raise SubmissionError("refused", submission.refusal)
    try:
        return _read(submission.entry, paper)
    except OSError as error:
        raise SubmissionError("unreadable", f"cannot be read: {error.strerror}") from error


def _read(entry: Path, paper: str) -> tuple[dict[str, Any], list[str]]:
    path, notes = _locate(entry, paper)
    if path.is_symlink() or not path.is_file():
        raise SubmissionError("refused", f"{_printable(path.name)} is a link or not a plain file")
    size = path.stat().st_size
    if size > SIZE_LIMIT:
        raise SubmissionError("refused", f"{size / 1e6:.0f} MB; at most {SIZE_LIMIT / 1e6:.0f} MB are read")
    if size == 0:
        raise SubmissionError("unreadable", "the file is empty")
    try:
        notebook = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise SubmissionError("unreadable", f"not a notebook: {type(error).__name__}, broken JSON") from error
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise SubmissionError("unreadable", "not a notebook of format 4: it has no list of cells")
    return notebook, notes


def _locate(entry: Path, paper: str) -> tuple[Path, list[str]]:
    if not entry.is_dir():
        return entry, []
    expected = entry / f"{paper}.ipynb"
    if expected.is_symlink() or expected.exists():
        return expected, []
    others = sorted(path for path in entry.iterdir() if path.suffix == ".ipynb")
    if not others:
        raise SubmissionError("missing_notebook", f"no {paper}.ipynb in the folder")
    if len(others) > 1:
        raise SubmissionError(
            "missing_notebook", f"no {paper}.ipynb, but {len(others)} other notebooks: keep one"
        )
    return others[0], [f"the notebook was renamed to {_printable(others[0].name)!r}"]
