"""What this copy of the course is, a clone or a wheel: where its lectures lie and how to install it again."""

import shutil
from pathlib import Path

_PACKAGES = Path(__file__).resolve().parents[1]
FOLDERS = ("notebooks", "assignments")


def is_clone(packages: Path = _PACKAGES) -> bool:
    """Whether the packages lie in a clone of the repository, not where a wheel was installed.

    Args:
        packages: the folder that holds `course_tools`.
    """
    return (packages / "pyproject.toml").exists()


def reinstall(packages: Path = _PACKAGES) -> str:
    """What to do where a package is missing or is the wrong one, as a sentence.

    Args:
        packages: the folder that holds `course_tools`.
    """
    if is_clone(packages):
        return (
            f"In {packages}, run `pip install -c constraints.txt -e '.[course]'`, "
            "or `make course` for a fresh environment."
        )
    return (
        "Install the course's wheel again, with all that it needs: `pip install 'FILE.whl[course]'`, "
        "or `[notebook]` where another server opens the notebooks."
    )


def shipped(name: str, packages: Path = _PACKAGES) -> Path:
    """Where one of `FOLDERS` lies in this copy of the course.

    Args:
        name: `notebooks` or `assignments`.
        packages: the folder that holds `course_tools`.
    """
    return (packages if is_clone(packages) else packages / "course_tools" / "shipped") / name


def get_lectures(folder: Path, packages: Path = _PACKAGES) -> list[Path]:
    """Bring the lectures and papers of this version of the course into a folder.

    Args:
        folder: a folder that does not exist or is empty.
        packages: the folder that holds `course_tools`.

    Returns:
        The two folders that were made, `notebooks` and `assignments`; no solutions.

    Raises:
        ValueError: something is in the folder already.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"folder is {str(folder)!r}: it is not empty, and nothing in it may be lost")
    ignored = shutil.ignore_patterns(".ipynb_checkpoints")
    return [shutil.copytree(shipped(name, packages), folder / name, ignore=ignored) for name in FOLDERS]
