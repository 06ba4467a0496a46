"""Finding and reading what students handed in, without trusting any of it."""

import lzma
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, TypeVar

from course_tools.grading.course_file import NO_CLASS, Class
from course_tools.grading.senders import Sender, read_sender
from course_tools.papers.canonical import SubmissionError
from course_tools.sandbox.wire import WireError, parse

Place = TypeVar("Place", bound=PurePath)

SIZE_LIMIT = 20_000_000
NAME_LIMIT = 80
RECEIPT_LIMIT = 1000
MEMBERS_LIMIT = 1000
FIRST_YEAR = 2000  # a time before that is a clock that was never set

# A letter or digit first; then those, with their accents, spaces and these: nothing that a path, a file
# pattern, a terminal or a spreadsheet would read as more than a name.
_MARKS_IN_NAMES = "_.-@',+()’ "
# What systems leave in a folder; none of it was handed in.
_DEBRIS = re.compile(r"\._.*|~\$.*|\.DS_Store|__MACOSX|Thumbs\.db|desktop\.ini|\.ipynb_checkpoints", re.I)
# What systems and people put behind the name of a copy.
_COPY = re.compile(r"copy|kopie|version|final|v|\d+|[ _.()-]+", re.I)
# What a damaged or odd zip raises when it is read.
ZIP_FAULTS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError)
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


def find_submissions(folder: Path, paper: str, of: Class = NO_CLASS) -> list[Submission]:
    """List a folder of submissions: `student.ipynb` files, or a folder or a zip for each student.

    Names as nbgrader's exchange and the exports of Moodle and Canvas write them are understood. Of several
    notebooks that one student handed in the newest counts, and that is noted; so are a late or odd time and a
    name that the roster does not know. What was handed in through the exchange for other papers, and files
    that systems leave behind, are no submissions.

    Args:
        folder: the folder.
        paper: the paper's name.
        of: due dates and roster.

    Returns:
        One for every student, sorted by file name; what belongs to none is listed, too.

    Raises:
        ValueError: the folder does not exist or holds no submission.
    """
    if not folder.is_dir():
        raise ValueError(f"submissions is {str(folder)!r}: there is no such folder")
    entries = [path for path in sorted(folder.iterdir()) if not _DEBRIS.fullmatch(path.name)]
    chosen = _newest_of_each(entries, paper)
    if not chosen:
        raise ValueError(f"submissions is {str(folder)!r}: the folder is empty")
    who = [_identify(sender, of) for _, sender, _ in chosen]
    owners = [student for student, _ in who]
    found = []
    for (entry, sender, notes), (student, unknown) in zip(chosen, who, strict=True):
        named = _is_name(student) and student != paper
        refusal = _refusal(entry, student, paper)
        if not refusal and owners.count(student) > 1:
            refusal = f"{owners.count(student)} submissions have the name {student!r}: keep one, or rename"
        notes = [unknown, *notes, _lateness(entry, sender, paper, of)]
        note = "; ".join(filter(None, notes))
        found.append(Submission(student if named else _printable(entry.name), entry, named, refusal, note))
    return found


def _newest_of_each(entries: list[Path], paper: str) -> list[tuple[Path, Sender, list[str]]]:
    """Return for each student the entry that counts, sorted, and what was left beside it."""
    groups: dict[tuple[str, str], list[tuple[Path, Sender]]] = {}
    for entry in entries:
        sender = read_sender(entry.name if entry.is_dir() else entry.stem)
        if sender.platform == "exchange" and sender.paper != paper:
            if entry.is_dir():
                continue
            sender = Sender("", sender.name)
        own = sender.number or (sender.name if sender.platform else entry.name)
        groups.setdefault((sender.platform, own), []).append((entry, sender))
    chosen: list[tuple[Path, Sender, list[str]]] = []
    for copies in groups.values():
        work = [copy for copy in copies if copy[0].is_dir() or holds_work(copy[0])]
        if not work:  # a picture that stands alone is nobody's submission
            chosen += [(entry, Sender("", entry.name), []) for entry, _ in copies]
            continue
        versions = [copy for copy in work if _version(copy[1].file, paper) is not None] or work
        entry, sender = max(versions, key=lambda copy: (_age(*copy), _version(copy[1].file, paper) or 0))
        beside = [_printable(other.name) for other, _ in copies if other != entry]
        notes = [f"left out: {', '.join(beside)}"] if len(copies) > len(versions) else []
        if len(versions) > 1:
            notes = [f"the last of {len(versions)} that were handed in", *notes]
        chosen.append((entry, sender, notes))
    return sorted(chosen, key=lambda each: each[0])


def _age(entry: Path, sender: Sender) -> float:
    """Return a number that is larger for what came later, among files of one student."""
    if sender.platform == "Canvas":
        return sender.order
    came = _came(entry, sender, "")
    return came.timestamp() if came else 0.0


def _came(entry: Path, sender: Sender, paper: str) -> datetime | None:
    """Say when something was handed in, where a platform wrote that down."""
    from nbgrader.utils import parse_utc

    if sender.platform == "exchange":
        return parse_utc(sender.time).replace(tzinfo=UTC)
    if sender.platform == "Moodle" and not entry.is_symlink():
        files = [path for path in entry.rglob("*") if path.is_file()] if entry.is_dir() else [entry]
        return datetime.fromtimestamp(max((path.lstat().st_mtime for path in files), default=0), tz=UTC)
    if not sender.platform and entry.is_dir():
        for folder in (entry, entry / paper):
            if time := _receipt(folder).get("timestamp.txt"):
                return parse_utc(time).replace(tzinfo=UTC)
    return None


def _lateness(entry: Path, sender: Sender, paper: str, of: Class) -> str:
    came = _came(entry, sender, paper)
    if came is None:
        return "late, as Canvas says" if sender.late else ""
    if came.year < FIRST_YEAR or came > datetime.now(UTC) + timedelta(days=1):
        return f"its time stamp is odd: {came.astimezone():%Y-%m-%d %H:%M}"
    if paper not in of.due or came <= of.due[paper]:
        return ""
    minutes = -int((of.due[paper] - came).total_seconds() // 60)  # a minute that has begun counts
    days, hours = divmod(minutes // 60, 24)
    parts = ((days, "d"), (hours, "h"), (minutes % 60, "min"))
    return f"late by {' '.join(f'{count} {unit}' for count, unit in parts if count)}"


def _identify(sender: Sender, of: Class) -> tuple[str, str]:
    """Return the student's name for marks, and why the roster does not know it."""
    if of.roster is None or not sender.name:
        return sender.name, ""
    student, problem = of.roster.find(sender.name, sender.number)
    return student or sender.name, problem


def _version(name: str, paper: str) -> int | None:
    """Return the number of a copy, such as 2 of `ps04 (2)`; 0 of the paper's name; None of other names."""
    if not name.casefold().startswith(paper.casefold()):
        return None
    added = name[len(paper) :]
    if _COPY.sub("", added):
        return None
    return int((re.findall(r"\d+", added) or ["0"])[-1])


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


def holds_work(path: PurePath) -> bool:
    """Say whether a file may hold a notebook."""
    return _is_notebook(path) or _is_zip(path)


def _refusal(entry: Path, student: str, paper: str) -> str:
    if entry.is_symlink():
        return "a link, not a file or a folder"
    if not entry.is_dir() and not (entry.is_file() and holds_work(entry)):
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
            members = safe_members(archive, MEMBERS_LIMIT)
            places = list(members)
            levels = [[place for place in places if len(place.parts) == depth] for depth in (1, 2, 3)]
            chosen, notes = _choose(levels, paper, lambda place: time_of(members[place]))
            with archive.open(members[chosen]) as file:
                content = file.read(SIZE_LIMIT + 1)
    except ZIP_FAULTS as error:
        raise SubmissionError("unreadable", f"not a readable zip: {type(error).__name__}") from error
    if len(content) > SIZE_LIMIT:
        raise SubmissionError("refused", f"unpacked, more than {SIZE_LIMIT / 1e6:.0f} MB")
    return _parsed(content), notes


def safe_members(archive: zipfile.ZipFile, limit: int) -> dict[PurePosixPath, zipfile.ZipInfo]:
    """Return the files of a zip by their places, without debris.

    Args:
        archive: the zip.
        limit: how many files it may hold.

    Raises:
        SubmissionError: a path or a link leads out of it, or there are too many files.
    """
    if len(archive.infolist()) > limit:
        raise SubmissionError("refused", f"a zip of more than {limit} files")
    members = {PurePosixPath(member.filename): member for member in archive.infolist()}
    for place, member in members.items():
        name = _printable(member.filename)
        if place.is_absolute() or ".." in place.parts or set(member.filename) & set("\\:"):
            raise SubmissionError("refused", f"a zip with the path {name!r}, which leads out of it")
        if stat.S_ISLNK(member.external_attr >> 16):
            raise SubmissionError("refused", f"a zip with the link {name!r}")
    return {
        place: member
        for place, member in members.items()
        if place.parts and not member.is_dir() and not any(_DEBRIS.fullmatch(part) for part in place.parts)
    }


def time_of(member: zipfile.ZipInfo) -> float:
    """Return when a file of a zip was changed, as far as the zip knows."""
    try:
        return datetime(*member.date_time).timestamp()
    except ValueError:  # no date at all, as some programs write it
        return 0.0


def _parsed(content: bytes) -> dict[str, Any]:
    if not content:
        raise SubmissionError("unreadable", "the file is empty")
    try:
        notebook = parse(content)
    except WireError as error:
        raise SubmissionError("unreadable", f"not a notebook: {error}") from error
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
    return _choose([here, deeper], paper, lambda path: path.lstat().st_mtime)


def _choose(levels: list[list[Place]], paper: str, time: Callable[[Place], float]) -> tuple[Place, list[str]]:
    """The notebook that counts: the newest of the paper's name, else the only one, as high up as there is."""
    notebooks = [list(filter(_is_notebook, level)) for level in levels]
    for level in notebooks:
        versions = [path for path in level if _version(path.stem, paper) is not None]
        if versions:
            newest = max(versions, key=lambda path: (time(path), _version(path.stem, paper) or 0))
            return newest, _renamed(newest, paper, len(versions))
    others = next(filter(None, notebooks), [])
    if not others:
        raise SubmissionError("missing_notebook", f"no {paper}.ipynb in it")
    if len(others) > 1:
        raise SubmissionError(
            "missing_notebook", f"no {paper}.ipynb, but {len(others)} other notebooks: keep one"
        )
    return others[0], _renamed(others[0], paper, 1)


def _renamed(chosen: PurePath, paper: str, versions: int) -> list[str]:
    name = repr(_printable(chosen.name))
    if versions > 1:
        return [f"the newest of {versions} versions of the notebook: {name}"]
    return [] if chosen.stem == paper else [f"the notebook was renamed to {name}"]


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
