"""Letting Python's profile hear of torch's functions in C, however they are called.

It is told of a function in C that Python code calls, and of no other: a partial or `map` can call one without
a word. So a function in Python stands before each, whoever calls that.
"""

from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, FunctionType
from typing import Any

import torch
from torch.nn import functional


def let_hear(parts: Sequence[str]) -> None:
    """Put functions in Python before torch's own in C, for good.

    Args:
        parts: each function is meant that has one of these in its name.
    """
    heard: dict[Any, Callable[..., Any]] = {}
    for home in (torch, functional, torch._C._nn):
        for name, function in list(vars(home).items()):
            if isinstance(function, BuiltinFunctionType) and any(part in name for part in parts):
                heard.setdefault(function, _in_python(name, function))
                setattr(home, name, heard[function])
                if home is torch:
                    setattr(torch._VF, name, heard[function])  # which hands on what torch has


def _in_python(name: str, function: Any) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return FunctionType(call.__code__, {"__name__": "torch"}, name, None, call.__closure__)
