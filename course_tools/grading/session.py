"""nbgrader from Python: this course's settings, this interpreter's kernel, none of the user's own."""

import glob
import os
import sysconfig
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CONFIG_NAME = "nbgrader_config.py"
LOCKED = "database is locked"  # as SQLite says it


class GradingError(RuntimeError):
    """A step of release, grading or feedback that could not be done; the message says what to do."""


def papers(course_dir: Path) -> tuple[str, ...]:
    """Names of the papers of a course.

    Args:
        course_dir: the folder that holds `nbgrader_config.py` and `solutions/`.

    Returns:
        Sorted names; each has `solutions/<name>/<name>.ipynb`.

    Raises:
        ValueError: there is no course in that folder.
    """
    if not (course_dir / CONFIG_NAME).is_file():
        raise ValueError(
            f"course_dir is {str(course_dir)!r}: there is no {CONFIG_NAME} in it; "
            "papers are released and graded in a clone of the course's repository"
        )
    found = (course_dir / "solutions").glob("*/*.ipynb")
    return tuple(sorted(path.stem for path in found if path.stem == path.parent.name))


def check_paper(paper: str, course_dir: Path) -> Path:
    """Find the source notebook of a paper.

    Args:
        paper: a name, such as `ps04_attention`.
        course_dir: the folder that holds `nbgrader_config.py` and `solutions/`.

    Returns:
        The path of the source notebook.

    Raises:
        ValueError: there is no course in that folder, or no such paper in the course.
    """
    known = papers(course_dir)
    if paper not in known:
        raise ValueError(f"paper is {paper!r}: this course has {', '.join(known) or 'no papers yet'}")
    return course_dir / "solutions" / paper / f"{paper}.ipynb"


def graded_notebooks(paper: str, course_dir: Path) -> dict[str, Path]:
    """Find the graded submissions of a paper.

    Args:
        paper: a name, such as `ps04_attention`.
        course_dir: the folder that holds the gradebook.

    Returns:
        The graded notebook of each student, sorted by student.

    Raises:
        ValueError: there is no such paper, or nothing of it is graded yet.
    """
    check_paper(paper, course_dir)
    found = sorted((course_dir / "autograded").glob(f"*/{paper}/{paper}.ipynb"))
    if not found:
        raise ValueError(f"paper is {paper!r}: nothing of it is graded yet; run `course grade` first")
    return {path.parent.parent.name: path for path in found}


@contextmanager
def nbgrader_session(course_dir: Path, **course_directory: str | list[str]) -> Iterator[Any]:
    """Open nbgrader's Python interface on a course.

    Kernels started inside run this interpreter, whatever kernels the user has installed, and read none
    of the user's Jupyter or IPython settings.

    Args:
        course_dir: the folder that holds `nbgrader_config.py`.
        course_directory: settings of nbgrader's `CourseDirectory` that differ from the file's, such as
            `release_directory`.

    Yields:
        An `nbgrader.apps.api.NbGraderAPI`.

    Raises:
        GradingError: another program holds the gradebook for longer than the configured timeout.
    """
    from ipykernel.kernelspec import write_kernel_spec
    from nbgrader.apps.api import NbGraderAPI
    from sqlalchemy.exc import SAWarning
    from traitlets.config.loader import PyFileConfigLoader

    course_dir = course_dir.resolve()
    with tempfile.TemporaryDirectory(prefix="course-") as scratch:
        kernel = os.path.join(scratch, "data", "kernels", "python3")
        write_kernel_spec(kernel, extra_arguments=["--log-level=ERROR"])
        environment = {
            "JUPYTER_PATH": os.path.join(scratch, "data"),
            "JUPYTER_CONFIG_DIR": os.path.join(scratch, "config"),
            "JUPYTER_RUNTIME_DIR": os.path.join(scratch, "runtime"),
            # nbgrader calls the program `alembic`, which an environment that is not activated does not find.
            "PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")]),
            "IPYTHONDIR": os.path.join(scratch, "ipython"),
            "OMP_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",
        }
        with _environment(environment), warnings.catch_warnings():
            warnings.simplefilter("ignore", SAWarning)
            config = PyFileConfigLoader(CONFIG_NAME, path=str(course_dir)).load_config()
            config.CourseDirectory.root = _without_patterns(course_dir, Path(scratch))
            config.CourseDirectory.update(course_directory)
            config.Exchange.root = os.path.join(scratch, "exchange")
            os.mkdir(config.Exchange.root)
            try:
                yield NbGraderAPI(config=config)
            except Exception as error:
                if LOCKED not in str(error):
                    raise
                raise GradingError(
                    "the gradebook is in use by another program, such as formgrader or another "
                    "`course grade`: close it, then run this again"
                ) from error


def _without_patterns(course_dir: Path, scratch: Path) -> str:
    """A path of the course that nbgrader, which takes paths for file patterns, reads as it is written."""
    if glob.escape(str(course_dir)) == str(course_dir):
        return str(course_dir)
    link = scratch / "course"
    try:
        link.symlink_to(course_dir, target_is_directory=True)
    except OSError as error:  # Windows asks for a privilege
        message = f"nbgrader cannot work in {str(course_dir)!r}: rename the folder, without [ ] * or ?"
        raise GradingError(message) from error
    return str(link)


@contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(settings)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def checked(answer: dict[str, Any], doing: str) -> None:
    """Raise if nbgrader says that a step failed.

    Args:
        answer: what a method of `NbGraderAPI` returned.
        doing: what was being done, as the error's first words.

    Raises:
        GradingError: the step failed; nbgrader's log is in the message.
    """
    if not answer["success"]:
        raise GradingError(f"{doing} failed. nbgrader says:\n{answer.get('log') or answer['error']}")
