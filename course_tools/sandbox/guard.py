"""What tells the judge of tampering and of borrowing: an audit hook, which no code can find or remove.

It calls nothing but what it kept from before a student's code ran, and tells at once, before anything can be
undone. What an answer calls it hears of as the interpreter's profile function, by way of `sys.audit`.
"""

import os
import sys
from collections.abc import Callable, Collection, Mapping
from json.encoder import encode_basestring_ascii
from types import CodeType, FrameType, MethodType, ModuleType
from typing import Any, NamedTuple

Watchers = Callable[[Callable[[str], object]], Callable[[tuple[str, ...]], Callable[..., None]]]

LOOK = f"{__name__}.look"  # the event after which is looked for what was replaced,
TESTED = f"{__name__}.tested"  # that begins a test,
REPLACED = f"{__name__}.replaced"  # and that names something that was replaced;
WATCHED = f"{__name__}.watched"  # what begins a watch, with the names that it refuses,
UNWATCHED = f"{__name__}.unwatched"  # and ends it
_SEEN = f"{__name__}.seen"

# For `sys.setprofile`. It hands all on to the hook: there is nothing in it that could be replaced.
SEE = MethodType(sys.audit, _SEEN)

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


def stand_guard(
    send: Callable[[bytes], object], kept: Collection[Kept], own: Collection[CodeType], watchers: Watchers
) -> None:
    """Tell the judge from now on of what is done to the interpreter, and of what answers borrow.

    Args:
        send: sends one short message, as JSON.
        kept: what may not be replaced.
        own: code that may do to the interpreter what answers may not, and that begins and ends a watch.
        watchers: given who is told what is borrowed, makes what watches (see `borrowing.watchers`).
    """
    hook = _hook(send, tuple(kept), tuple(own), watchers)
    sys.addaudithook(hook)  # which then has no name, by which it could be found


def _hook(
    send: Callable[[bytes], object], kept: tuple[Kept, ...], own: tuple[CodeType, ...], watchers: Watchers
) -> Callable[[str, tuple[Any, ...]], None]:
    tampering, starts, seen, look_now, tested, replaced = _TAMPERING, _STARTS, _SEEN, LOOK, TESTED, REPLACED
    watched, unwatched = WATCHED, UNWATCHED
    frame, process, text, quote = sys._getframe, os.getpid, str, encode_basestring_ascii
    kind_of, number_of, is_frame, number = type, id, FrameType, int
    own_numbers, calls = frozenset(map(id, own)), ("call", "c_call")
    is_tested = has_found = has_told = False
    # Who began each watch that has not ended, what it refuses, and what watches.
    watches: list[tuple[FrameType, tuple[str, ...], Callable[..., None]]] = []
    made: dict[tuple[str, ...], Callable[..., None]] = {}

    def tell(kind: str, what: Any) -> None:
        send(f'["note", ["{kind}", {quote(text(what)[:80])}]]'.encode())

    def tell_borrowed(what: str) -> None:
        nonlocal has_told
        if not has_told:
            has_told = True
            tell("borrowed", what)

    watcher = watchers(tell_borrowed)

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

    def is_own(caller: FrameType) -> bool:
        return number_of(caller.f_code) in own_numbers  # codes that are equal are not the same

    def watch(caller: FrameType, refused: tuple[str, ...]) -> None:
        """Begin a watch; one inside another refuses what that does, too."""
        nonlocal has_told
        has_told = False
        for _, before, _ in watches[-1:]:
            refused = (*before, *(name for name in refused if name not in before))
        if refused not in made:
            made[refused] = watcher(refused)
        watches.append((caller, refused, made[refused]))

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal is_tested
        if event == seen:
            called, kind, what = arguments
            if watches and kind_of(kind) is text and kind in calls and kind_of(called) is is_frame:
                watches[-1][2](called, kind, what)
        elif event in tampering:
            # An answer may raise an event itself, with any object: none is asked whether it is equal.
            if event == "object.__setattr__" and kind_of(arguments[1]) is text and arguments[1] != "__code__":
                return
            if event == "os.kill" and kind_of(arguments[0]) is number and arguments[0] == process():
                return
            if not is_own(frame(1)):
                tell("tampered", event)
        elif is_tested and event in starts:
            tell("tampered", event)
        elif event == watched and is_own(frame(1)):
            watch(frame(1), *arguments)
        elif event == unwatched and watches and watches[-1][0] is frame(1):
            watches.pop()
        elif event in (watched, unwatched):
            tell("tampered", event)
        elif event == replaced:
            tell("tampered", arguments[0])
        elif event in (look_now, tested, "os.fork"):
            is_tested = is_tested or event == tested
            if not has_found:
                look()

    return hook
