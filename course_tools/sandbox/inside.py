"""The process that holds a student's answers: it runs inside the sandbox, and holds no secret.

    python -m course_tools.sandbox.inside READ WRITE OVER LIMITS

It has loaded torch once. For each submission it forks, and for each cell that fork forks again: a cell that
ends its process, or does not end, is undone, and the notebook goes on without it. The processes of the cells
before wait. So once all cells have run, one can go back: the process of a cell ends, and the one before it
knows the notebook as it was then. Tests come on that way back, when no cell can show any more what they gave
it. The calls of a test are made in one more fork, so they change nothing that another test would see.
"""

import contextlib
import gc
import inspect
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import CodeType
from typing import Any

import torch

from course_lib.checks import borrowing
from course_tools.sandbox import namespaces, remote, shell, wire
from course_tools.sandbox.frames import with_room
from course_tools.sandbox.guard import (
    LOOK,
    REPLACED,
    SEE,
    TESTED,
    UNWATCHED,
    WATCHED,
    Kept,
    keep_functions,
    keep_module,
    keep_object,
    stand_guard,
)
from course_tools.sandbox.heard import let_hear
from course_tools.sandbox.remote import Link
from course_tools.sandbox.shell import Shell
from course_tools.sandbox.walls import SHARED, Limits
from course_tools.sandbox.wire import ClosedError, Pipe

GRACE = 2  # seconds between an interrupt and the end
_DONE = 75  # exit code of a fork that came to its end
# Our own way between the processes, which an answer goes without knowing.
_WAY = frozenset(
    {f"{__package__}.remote", f"{__package__}.wire", f"{__package__}.shell", "torch.autograd.function"}
)


class Inside:
    """Serves the judge: runs cells, and calls what they have defined.

    Args:
        pipe: to the judge.
        over: where the judge is told that a submission has ended; its own processes cannot write there.
        limits: what one submission may use.
        is_parted: whether forks can be parted from each other.
    """

    def __init__(self, pipe: Pipe, over: int, limits: Limits, is_parted: bool) -> None:
        self.shell = Shell()
        self.link = Link(pipe, self._watched, self.shell.line)
        self.over = over
        self.limits, self.is_parted = limits, is_parted
        self.allowed: frozenset[str] = frozenset()
        self.level = 0  # how many cells have run
        self._scene: list[str] = []

    def hold_submissions(self) -> None:
        """Hold one submission after the other, until the pipe is closed."""
        while True:
            kind, body, _ = self.link.next_request()
            if kind == "begin":
                self._begin(*body)

    def _serve(self) -> None:
        """Do what the judge asks, until the pipe is closed or it asks for the end."""
        while True:
            kind, body, numbers = self.link.next_request()
            if kind == "run":
                self._run(*body)
            elif kind == "test":
                self._test(body)
            elif kind == "get":
                self._get(body)
            elif kind in ("back", "end"):
                return
            else:
                self.link.serve(kind, body, numbers)

    def _begin(self, allowed: list[str], seconds: float, scene: list[str]) -> None:
        """Hold one submission, in a fork with a process tree and files of its own."""
        self.allowed = frozenset(allowed)
        if scene != self._scene:
            self._load(scene)
        gc.freeze()  # forks share memory that is not written to

        def hold() -> None:
            self.limits.set()
            watchers = partial(borrowing.watchers, self.shell.names, None, self.allowed | _WAY)
            stand_guard(self.link.pipe.short_sender(), self._kept(), _OWN, watchers)
            self.link.pipe.send(["reply", None])
            self._serve()

        def hold_apart(_: Callable[[], None]) -> None:
            os.close(self.over)
            if self.is_parted:
                namespaces.apart(hold, (os.environ["HOME"], SHARED))
            else:
                hold()

        _fork(hold_apart, seconds)
        self.link.pipe.send(["over", None])
        os.write(self.over, b".")

    def _load(self, scene: list[str]) -> None:
        """Run a paper's own first cells once, for what they load; each submission runs them anew."""
        self._scene = scene
        names = {"__name__": "__main__"}
        with contextlib.suppress(Exception), self.shell.silence():  # the cell that fails will say so
            for source in scene:
                exec(source, names)

    def _run(self, source: str, name: str, seconds: float) -> None:
        """Run a cell in a fork, which goes on to serve; this process comes back where the fork does not."""

        def run(done: Callable[[], None]) -> None:
            self.level += 1
            outputs = self.shell.run(source, name)
            sys.audit(LOOK)
            done()
            self.link.pipe.send(["reply", outputs])
            self._serve()

        self._tell(_fork(run, seconds), self.level)

    def _test(self, seconds: float) -> None:
        """Serve the calls of a test in a fork."""

        def test(done: Callable[[], None]) -> None:
            torch.set_num_threads(1)
            if what := self.shell.replaced():
                sys.audit(REPLACED, what)
            sys.audit(TESTED)
            self.link.pipe.send(["reply", None])
            self._serve()
            done()

        self._tell(_fork(test, seconds), None)

    def _tell(self, how: str, reply: Any) -> None:
        """Tell the judge how a fork has ended: as it should if `how` is empty."""
        if how in ("over", "stuck"):
            self.link.pipe.send([how, None])
        else:
            self.link.pipe.send(["ended", how] if how else ["reply", reply])

    def _get(self, wanted: list[str]) -> None:
        """Send what names of the notebook stand for."""
        names = self.shell.names
        packed, numbers, _ = self.link.pack({name: names[name] for name in wanted if name in names})
        self.link.pipe.send(["reply", packed], numbers)

    @contextmanager
    def _watched(self, refused: list[str] | None) -> Iterator[None]:
        """Call a function of the notebook, silently; see what it borrows if the case asks for that."""
        before = sys.getprofile()
        try:
            with self.shell.silence():
                if refused is not None:
                    sys.audit(WATCHED, tuple(map(str, refused)))
                    threading.setprofile(SEE)
                    sys.setprofile(SEE)
                yield
        finally:
            if refused is not None:
                sys.setprofile(before)
                threading.setprofile(before)  # type: ignore[arg-type]
                sys.audit(UNWATCHED)
            sys.audit(LOOK)

    def _kept(self) -> list[Kept]:
        """Return what may not be replaced: the way to the judge, and what watches."""
        modules = (borrowing, remote, wire, shell, namespaces)
        return [
            *(kept for names in (globals(), *map(vars, modules)) for kept in keep_module(names)),
            keep_functions(sys, "audit setprofile"),
            keep_functions(threading, "setprofile"),
            keep_functions(os, "fork read write waitpid"),
            keep_functions(json, "dumps loads"),
            keep_object(self, "link shell allowed"),
            keep_object(self.link, "pipe _around _line"),
        ]


def _signal(process: int, number: int) -> None:
    os.kill(process, number)


_BEGINS_THREAD: Any = vars(threading.Thread)["_bootstrap_inner"]  # and watches it, as it was told to
_OWN: tuple[CodeType, ...] = tuple(
    own.__code__ for own in (inspect.unwrap(Inside._watched), _BEGINS_THREAD, _signal)
)


def _fork(work: Callable[[Callable[[], None]], None], seconds: float) -> str:
    """Do some work in a fork of this process, and wait until the fork has ended.

    Args:
        work: is given what it calls when its time need no longer be counted.
        seconds: after them the fork is interrupted, and a little later ended.

    Returns:
        "" if the work called that and came to its end later; "over" if it called that and the fork was ended
        later; "stuck" if this process can have no fork; else "time", or how the fork ended.
    """
    is_done = is_late = False
    parent = os.getpid()

    def be_done(*_: Any) -> None:
        nonlocal is_done
        is_done = True
        signal.setitimer(signal.ITIMER_REAL, 0)

    def be_late(*_: Any) -> None:
        nonlocal is_late
        with contextlib.suppress(ProcessLookupError):
            _signal(child, signal.SIGKILL if is_late else signal.SIGINT)
        is_late = True

    signal.signal(signal.SIGUSR1, be_done)
    try:
        child = os.fork()
    except OSError:  # too many processes
        return "stuck"
    if not child:
        namespaces.end_with_parent()
        for number in (signal.SIGUSR1, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _to_the_end(lambda: work(lambda: _signal(parent, signal.SIGUSR1)))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, be_late)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.01), GRACE)
    _, status = os.waitpid(child, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    code = os.waitstatus_to_exitcode(status)
    if is_done:
        return "" if code == _DONE else "over"
    return "time" if is_late else f"signal {-code}" if code < 0 else f"exit {code}"


def _to_the_end(work: Callable[[], None]) -> None:
    """Do some work and end this process: nothing that was registered for its end runs."""
    code = 1
    try:
        work()
        code = _DONE
    except (ClosedError, KeyboardInterrupt):
        pass
    finally:
        os._exit(code)


def main() -> None:
    """Load what answers need, then hold one submission after the other."""
    one = torch.ones(1, requires_grad=True)
    torch.autograd.backward([one * one], [one.detach()])  # the first one loads much, which forks then have
    let_hear(borrowing.IN_C)
    read, write, over = map(int, sys.argv[1:4])
    limits = json.loads(sys.argv[4])
    namespaces.hide_from_siblings()
    pipe = Pipe(read, write)
    inside = Inside(pipe, over, Limits(**limits), namespaces.can_part())
    pipe.send(["reply", inside.is_parted])
    with contextlib.suppress(ClosedError):
        inside.hold_submissions()


if __name__ == "__main__":
    with_room(main)
