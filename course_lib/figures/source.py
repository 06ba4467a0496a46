"""Show the library's code in a lecture instead of pasting it a second time."""

import inspect
from typing import Any

from IPython.display import Code


def show_source(thing: Any) -> Code:
    """Return the source of a function, method or class, highlighted."""
    return Code(inspect.getsource(thing), language="python")
