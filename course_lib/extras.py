"""Modules that need packages which come with one of the course's extras only."""

from importlib import import_module
from types import ModuleType


def import_for_notebooks(name: str) -> ModuleType:
    """Import a module of the course that needs the extra `notebook`; see `import_with_extra`."""
    return import_with_extra(name, "notebook")


def import_with_extra(name: str, extra: str) -> ModuleType:
    """Import a module that needs an extra.

    Args:
        name: the module's full name.
        extra: the extra's name in pyproject.toml.

    Returns:
        The module.

    Raises:
        ModuleNotFoundError: a package is not installed; the message says how to get it.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("course_"):
            raise
        raise ModuleNotFoundError(
            f"{name} needs {error.name}, which is not installed: get the course with its extra `{extra}`, "
            f"in a clone `pip install -e '.[{extra}]'`, of a wheel `pip install 'FILE.whl[{extra}]'`",
            name=error.name,
        ) from error
