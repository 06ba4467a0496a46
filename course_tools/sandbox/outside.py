"""The process that holds answers, seen from outside."""

import json
import os
import select
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import course_lib
import course_tools
from course_tools.sandbox.remote import Ended, Link, Over, Spoilt
from course_tools.sandbox.walls import Limits, Wall
from course_tools.sandbox.wire import ClosedError, Pipe, TimeUpError, WireError

START = 120.0  # seconds to load torch, also on a busy machine
GRACE = 30.0  # seconds that the process inside has for ending a cell by itself, also on a busy machine

# Of the course only what answers may import, and the little that serves them.
_TOOLS = Path(course_tools.__file__).parent
READABLE = (Path(course_lib.__file__).parent, _TOOLS / "__init__.py", _TOOLS / "sandbox")


class Answers:
    """Starts a process behind a wall and holds submissions in it, one after the other.

    Args:
        wall: what stands around it.
        limits: what one submission may use.
    """

    def __init__(self, wall: Wall, limits: Limits) -> None:
        self._wall, self._limits = wall, limits
        self._walled: Any = None
        self.link: Link
        self._is_ready = self._is_parted = False
        self.level = 0

    def start(self) -> None:
        """Start the process where there is none; it goes on loading what answers need."""
        if self._walled is not None:
            return
        theirs, ours, over = os.pipe(), os.pipe(), os.pipe()
        pipes = (theirs[0], ours[1], over[1])
        command = [sys.executable, "-m", "course_tools.sandbox.inside", *map(str, pipes)]
        self._walled = self._wall.start(
            [*command, json.dumps(asdict(self._limits))], READABLE, self._limits, pipes
        )
        for end in pipes:
            os.close(end)
        self._over = over[0]  # tells that a submission's processes are gone; they cannot write to it
        self.link = Link(Pipe(ours[0], theirs[1]))
        self._is_ready = False

    @contextmanager
    def submission(
        self, allowed: frozenset[str], seconds: float, scene: Sequence[str] = ()
    ) -> Iterator[None]:
        """Hold a new submission.

        Args:
            allowed: what its answers may call, by name.
            seconds: after them everything ends.
            scene: the source of the paper's first cells; what they load is loaded once for all submissions.
        """
        self.start()
        if not self._is_ready:
            self._wait_until_ready()
        self.link = Link(self.link.pipe)  # what the last one was given to call is not this one's
        self.level = 0
        try:
            self._ask("begin", [sorted(allowed), seconds, list(scene)], START)
            yield
            self.go_back(0)
            with suppress(Over, Ended):
                self._ask("end", None, GRACE)
        except Ended as ended:
            self.end()
            raise Over(str(ended)) from ended
        except BaseException:
            self.end()
            raise
        if not (self._is_parted and self._is_over()):
            self.end()

    def _is_over(self) -> bool:
        """Wait until nothing of the submission runs, and forget what it may have left in the pipe."""
        if self._walled is None or not select.select([self._over], [], [], GRACE)[0]:
            return False
        if not os.read(self._over, 1):
            return False
        self.link.pipe.drain()
        return True

    def run(self, source: str, name: str, seconds: float) -> list[Any]:
        """Run a cell.

        Args:
            source: its code.
            name: what it is called.
            seconds: how long it may take.

        Returns:
            What it showed.

        Raises:
            Ended: it ended its process, or was ended, and is as if it had not been run.
            Over: the whole submission's process has ended.
        """
        self.link.ended = ""
        outputs, _ = self._ask("run", [source, name, seconds], seconds + GRACE)
        if not isinstance(outputs, list):
            raise Over("no outputs")
        self.level += 1
        return outputs

    def go_back(self, level: int) -> None:
        """Forget the last cells.

        Args:
            level: how many of the cells that ran are to be known.

        Raises:
            Over: the whole submission's process has ended.
        """
        self.link.ended = ""
        while self.level > level:
            try:
                left, _ = self._ask("back", None, GRACE)
            except Ended as ended:
                raise Over(str(ended)) from ended
            self.level = left if isinstance(left, int) and left < self.level else 0

    @contextmanager
    def test(self, seconds: float) -> Iterator[None]:
        """Call functions of the notebook as it is now; what they change is undone.

        Args:
            seconds: how long all calls may take; then each raises `Ended`.

        Raises:
            Over: the whole submission's process has ended.
        """
        self.link.ended = ""
        self._ask("test", seconds, START)
        self.link.pipe.deadline = time.monotonic() + seconds + GRACE
        try:
            yield
        finally:
            with suppress(Ended):
                self._ask("end", None, GRACE)

    def get(self, names: Sequence[str]) -> dict[str, Any]:
        """Return what names of the notebook stand for; those that stand for nothing are left out."""
        packed, numbers = self._guarded(lambda: self.link.ask("get", list(names)))
        found = self.link.unpack(packed, numbers)
        if not isinstance(found, dict) or not found.keys() <= set(names):
            raise WireError("other names than were asked for")
        return found

    def end(self) -> None:
        """End the process with all that it has started."""
        if self._walled is not None:
            self._walled.end()
            self.link.pipe.close()
            os.close(self._over)
            self._walled = None

    def _wait_until_ready(self) -> None:
        self.link.pipe.deadline = time.monotonic() + START
        try:
            message, _ = self.link.pipe.receive()
        except (ClosedError, TimeUpError) as error:
            self.end()
            raise RuntimeError(f"the process for answers does not start behind {self._wall.name}") from error
        self._is_ready, self._is_parted = True, message == ["reply", True]

    def _ask(self, kind: str, body: Any, seconds: float) -> tuple[Any, bytes]:
        self.link.pipe.deadline = time.monotonic() + seconds
        if self._guarded(self.link.has_unasked):
            self.link.notes.append(["tampered", "replies"])
            self.end()
            raise Spoilt("replies that nobody asked for")
        return self._guarded(lambda: self.link.ask(kind, body))

    def _guarded(self, ask: Any) -> Any:
        try:
            return ask()
        except (ClosedError, TimeUpError, WireError) as error:
            self.end()
            raise Over(str(error)) from error
