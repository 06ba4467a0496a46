"""Modules that need packages which are installed with notebooks only."""

from importlib import import_module
from types import ModuleType


def import_for_notebooks(name: str) -> ModuleType:
    """Import a module of the course that needs the extra `notebook`.

    Args:
        name: the module's full name.

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
            f"{name} needs {error.name}, which is not installed: get the course with its extra `notebook`, "
            "in a clone `pip install -e '.[notebook]'`, of a wheel `pip install 'FILE.whl[notebook]'`",
            name=error.name,
        ) from error
