"""What the checks of the paper on words and decoding need beside `checks`."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from course_lib.checks import core as checks
from course_lib.checks.borrowing import AUTOGRAD


def visible(function: str, case: str, hint: str = "") -> AbstractContextManager[None]:
    """As `checks.visible`; an answer that calls autograd fails, too."""
    return checks.visible(function, case, hint, refused=AUTOGRAD)


def hidden(function: str, case: str, hint: str = "") -> AbstractContextManager[None]:
    """As `checks.hidden`; an answer that calls autograd fails, too."""
    return checks.hidden(function, case, hint, refused=AUTOGRAD)


class Suspects(Mapping[str, Any]):
    """For each misconception the value that it leads to, worked out only where a check fails.

    Args:
        about: misconception -> what to tell the student.
        result: the value that a misconception leads to.
    """

    def __init__(self, about: Mapping[str, str], result: Callable[[str], Any]) -> None:
        self._about, self._result = about, result

    def __getitem__(self, why: str) -> Any:
        return self._result(next(mistake for mistake, said in self._about.items() if said == why))

    def __iter__(self) -> Iterator[str]:
        return iter(self._about.values())

    def __len__(self) -> int:
        return len(self._about)


def check_arrays_unchanged(arguments: Sequence[Any], before: Sequence[Any], names: Sequence[str]) -> None:
    """Demand that the student's function left the caller's arrays as they were.

    Args:
        arguments: what the function was given.
        before: copies taken beforehand.
        names: what they are called, for the message.
    """
    for argument, old, name in zip(arguments, before, names, strict=True):
        checks.check_unchanged(argument, old, name)


sys.modules[__name__].__class__ = type(checks)  # sealed like that module: a student cannot replace a check
