"""What tells the judge that an answer reaches into Python: an audit hook, which no code can find or remove.

It calls nothing but what it kept from before a student's code ran, and tells at once, before anything can be
undone.
"""

import os
import sys
from collections.abc import Callable, Collection, Mapping
from json.encoder import encode_basestring_ascii
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from course_lib.checks.borrowing import BORROWED

LOOK = f"{__name__}.look"  # the event after which is looked for what was replaced,
TESTED = f"{__name__}.tested"  # that begins a test,
REPLACED = f"{__name__}.replaced"  # and that names something that was replaced

# What is done to an interpreter only by those who set out to deceive it.
_TAMPERING = frozenset(
    {
        "sys.settrace",
        "sys.setprofile",
        "sys.addaudithook",
        "object.__setattr__",
        "code.__new__",
        "gc.get_objects",
        "gc.get_referrers",
        "os.kill",
        "os.killpg",
    }
)
_STARTS = frozenset({"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty"})


class Kept(NamedTuple):
    """Names as they were before a student's code ran.

    Attributes:
        owner: whose they are, for messages.
        names: what they stand for now.
        before: what they stood for.
        all: all names that there may be; None if any may be added.
    """

    owner: str
    names: Mapping[str, Any]
    before: dict[str, Any]
    all: frozenset[str] | None


def keep_module(names: dict[str, Any]) -> list[Kept]:
    """Keep all that a module and its classes define.

    Args:
        names: the module's.
    """
    classes = [
        thing for thing in names.values() if isinstance(thing, type) and thing.__module__ == names["__name__"]
    ]
    spaces = [(names["__name__"], names), *((kind.__name__, vars(kind)) for kind in classes)]
    may_come = {"__warningregistry__"}
    return [Kept(owner, space, dict(space), frozenset(space) | may_come) for owner, space in spaces]


def keep_functions(module: ModuleType, functions: str) -> Kept:
    """Keep some functions of a module, whose names stand in one text."""
    return Kept(module.__name__, vars(module), {name: vars(module)[name] for name in functions.split()}, None)


def keep_object(thing: Any, fixed: str) -> Kept:
    """Keep some attributes of an object, whose names stand in one text; none may be added to it."""
    names = vars(thing)
    return Kept(type(thing).__name__, names, {name: names[name] for name in fixed.split()}, frozenset(names))


def stand_guard(send: Callable[[bytes], object], kept: Collection[Kept], own: frozenset[CodeType]) -> None:
    """Tell the judge from now on of what is done to the interpreter.

    Args:
        send: sends one short message, as JSON.
        kept: what may not be replaced.
        own: code that may do to the interpreter what answers may not.
    """
    sys.addaudithook(_hook(send, tuple(kept), own))  # under no name, by which it could be found


def _hook(
    send: Callable[[bytes], object], kept: tuple[Kept, ...], own: frozenset[CodeType]
) -> Callable[[str, tuple[Any, ...]], None]:
    tampering, starts, borrowed, look_now, tested, replaced = (
        _TAMPERING,
        _STARTS,
        BORROWED,
        LOOK,
        TESTED,
        REPLACED,
    )
    frame, process, text, quote = sys._getframe, os.getpid, str, encode_basestring_ascii
    is_tested = has_found = False

    def tell(kind: str, what: Any) -> None:
        send(f'["note", ["{kind}", {quote(text(what)[:80])}]]'.encode())

    def look() -> None:
        nonlocal has_found
        for owner, names, before, all_names in kept:
            for name, thing in before.items():
                if names.get(name) is not thing:
                    has_found = True
                    tell("tampered", f"{owner}.{name}")
                    return
            if all_names is not None and names.keys() - all_names:
                has_found = True
                tell("tampered", owner)
                return

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal is_tested
        if event in tampering:
            if event == "object.__setattr__" and arguments[1] != "__code__":
                return
            if event == "os.kill" and arguments[0] == process():
                return
            if frame(1).f_code not in own:
                tell("tampered", event)
        elif is_tested and event in starts:
            tell("tampered", event)
        elif event == borrowed:
            tell("borrowed", arguments[0])
        elif event == replaced:
            tell("tampered", arguments[0])
        elif event in (look_now, tested, "os.fork"):
            is_tested = is_tested or event == tested
            if not has_found:
                look()

    return hook
