"""What the checks of the paper on words and decoding need beside `checks`."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import FrameType, TracebackType
from typing import Any

from course_lib.checks import core as checks
from course_lib.checks.core import CheckError

LIBRARIES = (
    "course_lib.text",
    "course_lib.training",
    "course_lib.words",
    "gensim",
    "nltk",
    "sacrebleu",
    "tokenizers",
    "torch._functorch",
    "torchmetrics",
)
AUTOGRAD = "torch.autograd"  # the module itself: torch.no_grad lives below it


def visible(function: str, case: str, hint: str = "") -> AbstractContextManager[None]:
    """As `checks.visible`; an answer that calls a library's solution, or autograd, fails."""
    return _Unaided(checks.visible(function, case, hint))


def hidden(function: str, case: str, hint: str = "") -> AbstractContextManager[None]:
    """As `checks.hidden`; an answer that calls a library's solution, or autograd, fails."""
    return _Unaided(checks.hidden(function, case, hint))


class _Unaided(AbstractContextManager[None]):
    """Runs a case and watches for calls into `LIBRARIES`.

    A class, not a generator: a generator's frame would stand in the traceback, between the case and the line
    of the student's cell that the message names.
    """

    def __init__(self, case: AbstractContextManager[None]) -> None:
        self._case = case
        self._borrowed: list[str] = []

    def __enter__(self) -> None:
        self._case.__enter__()
        inner = sys.getprofile()

        def watch(frame: FrameType, event: Any, argument: Any) -> None:
            if inner is not None:
                inner(frame, event, argument)
            if event == "call":
                module = str(frame.f_globals.get("__name__", ""))
                if module.startswith(LIBRARIES) or module == AUTOGRAD:
                    name = frame.f_code.co_name
                    if name != "<module>":  # an import runs a module's body, too
                        self._borrowed.append(f"{module}.{name}")

        sys.setprofile(watch)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if self._borrowed:
            fact = f"your answer calls {self._borrowed[0]}."
            error = CheckError(fact, "The exercise asks for your own code.")
            kind, trace = CheckError, None
        return self._case.__exit__(kind, error, trace)


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
