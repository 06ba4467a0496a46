"""What the checks of the Transformer paper need beside `checks`: answers that return two things."""

import sys
from typing import Any

from course_lib.checks import core as checks
from course_lib.checks.core import CheckError


def check_pair(got: Any, first: str, second: str) -> tuple[Any, Any]:
    """Demand a tuple of two, and return it.

    Args:
        got: what came.
        first: what its first part is called, for the message.
        second: what its second part is called.

    Raises:
        CheckError: it is no tuple, or one of another length.
    """
    if type(got) is tuple and len(got) == 2:
        return got
    came = f"a tuple of {len(got)}" if type(got) is tuple else f"one {type(got).__name__}"
    cause = "Is a `return` missing?" if got is None else ""
    raise CheckError(f"expected a tuple ({first}, {second}), got {'None' if got is None else came}.", cause)


sys.modules[__name__].__class__ = type(checks)  # sealed like that module: a student cannot replace the check
