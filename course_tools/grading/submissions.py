"""Finding and reading what students handed in, without trusting any of it."""

import json
import lzma
import re
import stat
import unicodedata
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, TypeVar

from course_tools.papers.canonical import SubmissionError

Place = TypeVar("Place", bound=PurePath)

SIZE_LIMIT = 20_000_000
NAME_LIMIT = 80
RECEIPT_LIMIT = 1000
MEMBERS_LIMIT = 1000

# A letter or digit first; then those, with their accents, spaces and these: nothing that a path, a file
# pattern, a terminal or a spreadsheet would read as more than a name.
_MARKS_IN_NAMES = "_.-@',+()’ "
# What systems leave in a folder; none of it was handed in.
_DEBRIS = re.compile(r"\._.*|~\$.*|\.DS_Store|__MACOSX|Thumbs\.db|desktop\.ini|\.ipynb_checkpoints", re.I)
# nbgrader's exchange: student+paper+time, and mostly a random word more.
_INBOUND = re.compile(r"(.+)\+([^+]+)\+(\d{4}-\d\d-\d\d [^+]+)(?:\+[^+]+)?")
# Moodle's export: a folder for each student, or the file itself.
_EXPORTED = re.compile(r"(.+)_\d+_assignsubmission_file(?:_.*)?")
# Canvas' export: letters of the name, perhaps LATE, numbers of the student and of the file, and its name.
_CANVAS = re.compile(r"([^_]+)(_LATE)?_\d+_\d+_.+")
# What a damaged or odd zip raises when it is read.
_ZIP_FAULTS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError)
# What nbgrader's exchange puts beside a notebook: when it came, and the key to its feedback.
RECEIPT = ("timestamp.txt", "submission_secret.txt")


@dataclass(frozen=True)
class Submission:
    """One entry of the folder of submissions.

    Attributes:
        student: the student's name; the entry's name, safe to print, where that is not a name.
        entry: the file or folder.
        named: whether `student` is a name that can be graded under.
        refusal: why the entry is not taken, or empty.
        note: what is odd about it all the same, or empty.
    """

    student: str
    entry: Path
    named: bool
    refusal: str
    note: str = ""


@dataclass(frozen=True)
class HandedIn:
    """What a submission holds.

    Attributes:
        notebook: the parsed file, whose `cells` is a list; anything may be in it.
        notes: what was odd about its place.
        receipt: what nbgrader's exchange put beside it, by file name (see `RECEIPT`); mostly empty.
    """

    notebook: dict[str, Any]
    notes: list[str]
    receipt: dict[str, str]


def find_submissions(folder: Path, paper: str) -> list[Submission]:
    """List a folder of submissions: `student.ipynb` files, or a folder or a zip for each student.

    Names as nbgrader's exchange and the exports of Moodle and Canvas write them are understood. Of several
    that one student handed in through the exchange the last counts; what was handed in there for other
    papers, and files that systems leave behind, are no submissions.

    Args:
        folder: the folder.
        paper: the paper's name.

    Returns:
        One for every other entry, sorted by name; nothing else is left out.

    Raises:
        ValueError: the folder does not exist or holds no submission.
    """
    if not folder.is_dir():
        raise ValueError(f"submissions is {str(folder)!r}: there is no such folder")
    entries = sorted(path for path in folder.iterdir() if not _DEBRIS.fullmatch(path.name))
    entries, earlier = _last_handed_in(entries, paper)
    if not entries:
        raise ValueError(f"submissions is {str(folder)!r}: the folder is empty")
    owners = [_student(entry) for entry in entries]
    found = []
    for entry, student in zip(entries, owners, strict=True):
        named = _is_name(student) and student != paper
        refusal = _refusal(entry, student, paper)
        if not refusal and owners.count(student) > 1:
            refusal = f"{owners.count(student)} submissions have the name {student!r}: keep one, or rename"
        note = f"the last of {earlier[entry] + 1} that were handed in" if earlier.get(entry) else ""
        if (exported := _CANVAS.fullmatch(entry.stem)) and exported[2] and _holds_work(entry):
            note = "late, as Canvas says"
        found.append(Submission(student if named else _printable(entry.name), entry, named, refusal, note))
    return found


def _last_handed_in(entries: list[Path], paper: str) -> tuple[list[Path], dict[Path, int]]:
    """Leave out of an exchange's folder other papers, and what its student handed in again.

    Returns:
        `(entries, earlier)`: those that count, and how many came before each.
    """
    from nbgrader.utils import parse_utc

    kept = []
    exchanged: dict[str, list[tuple[Any, Path]]] = {}
    for entry in entries:
        inbound = _INBOUND.fullmatch(entry.name)
        if not inbound:
            kept.append(entry)
        elif inbound[2] == paper:
            exchanged.setdefault(inbound[1], []).append((parse_utc(inbound[3]), entry))
    last = {max(copies)[1]: len(copies) - 1 for copies in exchanged.values()}
    return sorted([*kept, *last]), last


def _student(entry: Path) -> str:
    name = entry.stem if _holds_work(entry) else entry.name
    for pattern in (_INBOUND, _EXPORTED, _CANVAS):
        match = pattern.fullmatch(name)
        if match and (entry.is_dir() or _holds_work(entry)):  # a picture beside it is nobody's submission
            name = match[1]
    return unicodedata.normalize("NFC", name)


def _is_name(text: str) -> bool:
    kinds = [unicodedata.category(character)[0] for character in text]
    return (
        0 < len(text) <= NAME_LIMIT
        and (kinds[0] in "LN" or text[0] == "_")
        and text[-1] not in " ."
        and all(
            kind in "LMN" or character in _MARKS_IN_NAMES for character, kind in zip(text, kinds, strict=True)
        )
    )


def _is_notebook(path: PurePath) -> bool:
    return path.suffix.lower() == ".ipynb"


def _is_zip(path: PurePath) -> bool:
    return path.suffix.lower() == ".zip"


def _holds_work(path: PurePath) -> bool:
    return _is_notebook(path) or _is_zip(path)


def _refusal(entry: Path, student: str, paper: str) -> str:
    if entry.is_symlink():
        return "a link, not a file or a folder"
    if not entry.is_dir() and not (entry.is_file() and _holds_work(entry)):
        return "neither a notebook (student.ipynb) nor a folder nor a zip"
    if student == paper:
        return "has the paper's name: name it after the student"
    if not _is_name(student):
        allowed = " ".join(_MARKS_IN_NAMES).strip()
        return f"not a name: use letters, digits, spaces and {allowed}, at most {NAME_LIMIT} characters"
    return ""


def _printable(name: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in name)


def read_submission(submission: Submission, paper: str) -> HandedIn:
    """Read a submitted notebook as plain JSON.

    Args:
        submission: an entry of the folder.
        paper: the paper's name.

    Returns:
        The notebook, and what came with it.

    Raises:
        SubmissionError: it is refused, there is no notebook, or it cannot be read.
    """
    if submission.refusal:
        raise SubmissionError("refused", submission.refusal)
    try:
        path, notes = _locate(submission.entry, paper)
        notes = [note for note in (submission.note, *notes) if note]
        if _is_zip(path):
            notebook, odd = _read_zip(path, paper)
            return HandedIn(notebook, notes + odd, {})
        return HandedIn(
            _parsed(_content(path)), notes, _receipt(path.parent) if submission.entry.is_dir() else {}
        )
    except OSError as error:
        raise SubmissionError("unreadable", f"cannot be read: {error.strerror}") from error


def _content(path: Path) -> bytes:
    if path.is_symlink() or not path.is_file():
        raise SubmissionError("refused", f"{_printable(path.name)} is a link or not a plain file")
    size = path.stat().st_size
    if size > SIZE_LIMIT:
        raise SubmissionError("refused", f"{size / 1e6:.0f} MB; at most {SIZE_LIMIT / 1e6:.0f} MB are read")
    return path.read_bytes()


def _read_zip(path: Path, paper: str) -> tuple[dict[str, Any], list[str]]:
    """Read the one notebook that counts from a zip; nothing is unpacked, so nothing can climb or link out."""
    _content(path)
    try:
        with zipfile.ZipFile(path) as archive:
            members = {PurePosixPath(member.filename): member for member in archive.infolist()}
            if len(archive.infolist()) > MEMBERS_LIMIT:
                raise SubmissionError("refused", f"a zip of more than {MEMBERS_LIMIT} files")
            for place, member in members.items():
                if place.is_absolute() or ".." in place.parts or set(member.filename) & set("\\:"):
                    raise SubmissionError(
                        "refused",
                        f"a zip with the path {_printable(member.filename)!r}, which leads out of it",
                    )
                if stat.S_ISLNK(member.external_attr >> 16):
                    raise SubmissionError("refused", f"a zip with the link {_printable(member.filename)!r}")
            places = [
                place
                for place, member in members.items()
                if not member.is_dir() and not any(_DEBRIS.fullmatch(part) for part in place.parts)
            ]
            levels = [[place for place in places if len(place.parts) == depth] for depth in (1, 2, 3)]
            chosen, notes = _choose(levels, paper)
            with archive.open(members[chosen]) as file:
                content = file.read(SIZE_LIMIT + 1)
    except _ZIP_FAULTS as error:
        raise SubmissionError("unreadable", f"not a readable zip: {type(error).__name__}") from error
    if len(content) > SIZE_LIMIT:
        raise SubmissionError("refused", f"unpacked, more than {SIZE_LIMIT / 1e6:.0f} MB")
    return _parsed(content), notes


def _parsed(content: bytes) -> dict[str, Any]:
    if not content:
        raise SubmissionError("unreadable", "the file is empty")
    try:
        notebook = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SubmissionError("unreadable", f"not a notebook: {type(error).__name__}, broken JSON") from error
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise SubmissionError("unreadable", "not a notebook of format 4: it has no list of cells")
    return notebook


def _locate(entry: Path, paper: str) -> tuple[Path, list[str]]:
    """The notebook of an entry: itself, in the folder, or one folder deeper, as nbgrader keeps it."""
    if not entry.is_dir():
        return entry, []
    here = sorted(path for path in entry.iterdir() if not _DEBRIS.fullmatch(path.name))
    deeper = [
        path
        for folder in here
        if folder.is_dir() and not folder.is_symlink()
        for path in sorted(folder.iterdir())
        if not _DEBRIS.fullmatch(path.name)
    ]
    zips = [path for path in here if _is_zip(path)]
    if len(zips) == 1 and not any(map(_is_notebook, [*here, *deeper])):
        return zips[0], []
    return _choose([here, deeper], paper)


def _choose(levels: list[list[Place]], paper: str) -> tuple[Place, list[str]]:
    """The notebook that counts: the one with the paper's name, else the only one, as high up as there is."""
    notebooks = [list(filter(_is_notebook, level)) for level in levels]
    for level in notebooks:
        expected = [path for path in level if path.stem == paper]
        if len(expected) == 1:
            return expected[0], []
    others = next(filter(None, notebooks), [])
    if not others:
        raise SubmissionError("missing_notebook", f"no {paper}.ipynb in it")
    if len(others) > 1:
        raise SubmissionError(
            "missing_notebook", f"no {paper}.ipynb, but {len(others)} other notebooks: keep one"
        )
    return others[0], [f"the notebook was renamed to {_printable(others[0].name)!r}"]


def _receipt(folder: Path) -> dict[str, str]:
    from nbgrader.utils import parse_utc

    found = {}
    for name in RECEIPT:
        path = folder / name
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= RECEIPT_LIMIT:
            found[name] = path.read_text(encoding="utf-8", errors="replace").strip()
    try:
        parse_utc(found["timestamp.txt"])
    except (KeyError, ValueError, OverflowError):
        return {}
    return found
