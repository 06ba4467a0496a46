"""From `solutions/` to `assignments/`: what students get, and the proof that nothing else gets out."""

import filecmp
import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_tools.grading.regions import HIDDEN_TESTS, MARK_SCHEME, SOLUTION, secret_lines
from course_tools.grading.session import GradingError, check_paper, checked, nbgrader_session

_NOTEBOOK_METADATA = {"kernelspec", "language_info"}
_STAFF_FOLDERS = ("solutions/", "answers/")


@dataclass(frozen=True)
class ReleaseReport:
    """What `release` did.

    Attributes:
        paper: the paper's name.
        folder: where the release is.
        files: names of all files in it.
        points: automatic points.
        manual_points: points that a person gives.
        changed: whether the folder differs from what it held before.
    """

    paper: str
    folder: Path
    files: tuple[str, ...]
    points: float
    manual_points: float
    changed: bool

    def __str__(self) -> str:
        state = "written" if self.changed else "unchanged"
        return (
            f"{self.paper}: {self.folder} {state} ({', '.join(self.files)}), "
            f"{self.points:g} automatic and {self.manual_points:g} manual points"
        )


def release(paper: str, course_dir: Path) -> ReleaseReport:
    """Make the students' version of a paper, always anew, and check it.

    The solved source must pass all of its own tests, and the release must hold nothing that is for staff.
    The old release stays in place until both are shown.

    Args:
        paper: a name, such as `ps04_attention`.
        course_dir: the folder that holds `nbgrader_config.py`, `solutions/` and `assignments/`.

    Returns:
        What was released.

    Raises:
        ValueError: there is no such paper; the message names those that exist.
        GradingError: the source fails its own tests, or the release would leak.
    """
    source = check_paper(paper, course_dir)
    with tempfile.TemporaryDirectory(prefix="course-") as scratch:
        fresh = build_release(paper, course_dir, Path(scratch))
        _validate(source, course_dir)
        target = course_dir / "assignments" / paper
        changed = not _same_files(fresh, target)
        if changed:
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(fresh, target)
    automatic, manual = _points(_read(source))
    return ReleaseReport(paper, target, _files(target), automatic, manual, changed)


def build_release(paper: str, course_dir: Path, destination: Path) -> Path:
    """Write the students' version of a paper elsewhere than in `assignments/`, and look for leaks.

    Args:
        paper: a name, such as `ps04_attention`.
        course_dir: the folder that holds `nbgrader_config.py` and `solutions/`.
        destination: an empty folder.

    Returns:
        The folder of the paper, inside `destination`.

    Raises:
        ValueError: there is no such paper.
        GradingError: nbgrader cannot make the release, or it would leak.
    """
    source = check_paper(paper, course_dir)
    database = f"sqlite:///{(destination.resolve() / 'gradebook.db').as_uri()}?uri=true"
    folder = destination.resolve() / "release"
    # Of a paper's folder only the notebook gets out: the data a paper needs come with course_lib.
    with nbgrader_session(course_dir, release_directory=str(folder), db_url=database, ignore=["*"]) as api:
        checked(api.generate_assignment(paper, force=True), f"the release of {paper}")
    found = leaks(source, folder / paper)
    if found:
        raise GradingError(f"the release of {paper} would leak:\n" + "\n".join(f"- {leak}" for leak in found))
    return folder / paper


def leaks(source: Path, folder: Path) -> list[str]:
    """What a release holds that students must not see.

    Args:
        source: the source notebook.
        folder: the folder of the release.

    Returns:
        One line for each leak; empty if there is none.
    """
    found = [f"{name} is not the paper's notebook" for name in _files(folder) if name != source.name]
    released = _read(folder / source.name)
    text = json.dumps(released, ensure_ascii=False)
    for kind in (HIDDEN_TESTS, SOLUTION, MARK_SCHEME):
        found += [f"the marker {edge} {kind}" for edge in ("BEGIN", "END") if f"{edge} {kind}" in text]
    found += [f"the staff folder {name}" for name in _STAFF_FOLDERS if name in text]
    found += [
        f"the notebook's metadata {key!r}" for key in sorted(set(released.metadata) - _NOTEBOOK_METADATA)
    ]

    secret = secret_lines(_mark_whole_solutions(_read(source).cells), (HIDDEN_TESTS, SOLUTION, MARK_SCHEME))
    for number, cell in enumerate(released.cells, start=1):
        lines = {line.strip() for line in cell.source.split("\n")}
        found += [f"cell {number} has the staff line {line!r}" for line in sorted(lines & secret)]
        if cell.get("outputs") or cell.get("execution_count"):
            found.append(f"cell {number} has output")
    return found


def _mark_whole_solutions(cells: list[Any]) -> list[Any]:
    """A solution cell without a marked region is a solution from top to bottom."""
    for cell in cells:
        if cell.metadata.get("nbgrader", {}).get("solution") and f"BEGIN {SOLUTION}" not in cell.source:
            cell.source = f"### BEGIN {SOLUTION}\n{cell.source}\n### END {SOLUTION}"
    return cells


def _validate(source: Path, course_dir: Path) -> None:
    """Run the solved paper as nbgrader's validation does; its command exits 0 even on failure."""
    from nbgrader.validator import Validator

    with nbgrader_session(course_dir) as api:
        results = Validator(config=api.config).validate(str(source.resolve()))
    problems = [
        f"{cell['source']}\n{cell.get('raw_error', '')}".strip()
        for kind in ("type_changed", "changed", "failed")
        for cell in results.get(kind, [])
    ]
    if problems:
        raise GradingError(f"the solved {source.name} does not pass:\n\n" + "\n\n".join(problems))


def _points(notebook: Any) -> tuple[float, float]:
    """Automatic and manual points of a source notebook."""
    automatic = manual = 0.0
    for cell in notebook.cells:
        mark = cell.metadata.get("nbgrader", {})
        if mark.get("task") or (mark.get("grade") and mark.get("solution")):
            manual += mark["points"]
        elif mark.get("grade"):
            automatic += mark["points"]
    return automatic, manual


def _read(path: Path) -> Any:
    import nbformat

    return nbformat.read(path, as_version=4)


def _files(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()))


def _same_files(one: Path, other: Path) -> bool:
    return _files(one) == _files(other) and all(
        filecmp.cmp(one / name, other / name, shallow=False) for name in _files(one)
    )
