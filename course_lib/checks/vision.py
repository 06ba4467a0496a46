"""What the checks of the paper on convnets need beside `checks`: torch has its answers ready-made."""

import sys
from contextlib import AbstractContextManager

from course_lib.checks import core as checks
from course_lib.checks.borrowing import AUTOGRAD, LAYERS

BY_HAND = (*AUTOGRAD, *(f"torch.{layer}" for layer in LAYERS), "scipy.signal", "scipy.ndimage")


def visible(function: str, case: str, hint: str = "") -> AbstractContextManager[None]:
    """As `checks.visible`; an answer that calls autograd or torch's layers fails, too."""
    return checks.visible(function, case, hint, refused=BY_HAND)


def hidden(function: str, case: str, hint: str = "") -> AbstractContextManager[None]:
    """As `checks.hidden`; an answer that calls autograd or torch's layers fails, too."""
    return checks.hidden(function, case, hint, refused=BY_HAND)


sys.modules[__name__].__class__ = type(checks)  # sealed like that module: a student cannot replace a check
