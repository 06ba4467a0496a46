"""What a student is given in one file: the papers, the library they use, and the student's commands."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

from course_tools.grading.release import leaks
from course_tools.grading.session import GradingError, papers

_FILES = ("pyproject.toml", "setup.py", "constraints.txt", "LICENSE")
_FOLDERS = ("course_lib", "course_tools", "assignments")
_STAFF = ("course_tools/grading/", "course_tools/sandbox/")
_LEFT_BY_SYSTEMS = ("__pycache__", ".ipynb_checkpoints")
_README = """\
# The papers

    pip install -c constraints.txt -e '.[course]'

brings what they need. Then, in a folder of your own:

    course start ps04       copies a paper into it
    course check ps04       says what is done
    course submit ps04      writes the one file to hand in
    course progress         shows all papers

Each exercise has two folded hints, its minutes and its difficulty.
"""


def bundle(course_dir: Path, target: Path) -> Path:
    """Write the zip of what students get; it holds no solution, no hidden test and no tool of staff.

    Args:
        course_dir: a clone of the course's repository.
        target: the file; one that is there is replaced.

    Returns:
        `target`.

    Raises:
        ValueError: `target` is no zip by its name.
        GradingError: a paper is not released, or its release would leak.
        OSError: the file cannot be written.
    """
    if target.suffix != ".zip":
        raise ValueError(f"file is {str(target)!r}: its name must end in .zip")
    for paper in papers(course_dir):
        folder = course_dir / "assignments" / paper
        if not (folder / f"{paper}.ipynb").is_file():
            raise GradingError(f"{paper} is not released: run `course release {paper}`")
        if found := leaks(course_dir / "solutions" / paper / f"{paper}.ipynb", folder):
            raise GradingError(f"{paper} would leak: {found[0]}; run `course release {paper}`")
    part = target.with_name(f"{target.name}.part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{target.stem}/README.md", _README)
        for path in _for_students(course_dir):
            archive.write(path, f"{target.stem}/{path.relative_to(course_dir).as_posix()}")
    return part.replace(target)


def _for_students(course_dir: Path) -> Iterator[Path]:
    yield from (course_dir / name for name in _FILES)
    for folder in _FOLDERS:
        for path in sorted((course_dir / folder).rglob("*")):
            inside = path.relative_to(course_dir)
            if (
                path.is_file()
                and not path.is_symlink()
                and not inside.as_posix().startswith(_STAFF)
                and not any(name.startswith(".") or name in _LEFT_BY_SYSTEMS for name in inside.parts)
            ):
                yield path
