"""The check of types and shapes that pytest puts on every function of the course (see pyproject.toml)."""

from collections.abc import Callable
from typing import Any, Self

from beartype import BeartypeConf, FrozenDict, beartype

# An int passes for a float, as for mypy. Self is anything: jaxtyping hands over methods without their class.
RULES = BeartypeConf(is_pep484_tower=True, hint_overrides=FrozenDict({Self: Any}))


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, which now refuses a value that is not what its signature says."""
    # A trace is made of whatever its arrays can be made of, and checks their shapes itself.
    if function.__module__.startswith("course_lib.traces.") and function.__name__ == "__init__":
        return function
    # jaxtyping asks twice: before a call for the arguments, after it for them and what is returned.
    returned = function.__annotations__.get("return", Any)
    if returned is not Any:
        function.__annotations__ = {"return": returned}
    return beartype(function, conf=RULES)
