"""Running many submissions, in one process or in several. The results are the same."""

import functools
import importlib
import signal
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from contextlib import suppress
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING

from course_tools.grading.outcome import Executed, Failed, Setup
from course_tools.sandbox.frames import with_room
from course_tools.sandbox.namespaces import end_with_parent
from course_tools.sandbox.outside import Answers
from course_tools.sandbox.walls import WALLS, Limits

if TYPE_CHECKING:
    from course_tools.grading.judge import Judge

RESTARTS = 3  # of a pool whose processes were killed, without a result in between


def attempt(setup: Setup, notebook: str) -> Executed | Failed:
    """Run one submission in this process.

    Args:
        setup: see there.
        notebook: the submission in its canonical form, as JSON.
    """
    import nbformat

    from course_tools.grading.execution import execute  # loads torch, which only workers need

    try:
        answers = _answers(setup.wall, setup.limits)
        canonical = nbformat.v4.reads(notebook)  # which was validated when it was written
        return with_room(lambda: execute(canonical, _judge(setup.paper), answers, setup.times))
    except Exception as error:  # whatever it is, the next submission must be graded
        return Failed(f"{type(error).__name__}: {error}")


@functools.cache
def _answers(wall: str, limits: Limits) -> Answers:
    """Return this process's own place for answers, which stays warm."""
    return Answers(WALLS[wall], limits)


@functools.lru_cache(maxsize=4)
def _judge(paper: str) -> "Judge":
    import nbformat

    from course_tools.grading.judge import Judge

    return Judge(nbformat.reads(paper, as_version=4))


def prepare(wall: str, limits: Limits, jobs: int) -> None:
    """Let workers load what they need while this process does something else.

    Args:
        wall: what stands around students' code, by name.
        limits: what it may use.
        jobs: how many processes.
    """
    with suppress(BrokenExecutor):  # of a pool whose processes were killed; `run_all` starts another
        for _ in range(jobs):
            _pool(jobs).submit(_load, wall, limits)


def _load(wall: str, limits: Limits) -> None:
    _answers(wall, limits).start()
    importlib.import_module("course_tools.grading.execution")


def run_all(setup: Setup, notebooks: dict[str, str], jobs: int) -> Iterator[tuple[str, Executed | Failed]]:
    """Run many submissions on this machine.

    Args:
        setup: see there.
        notebooks: by student, as JSON.
        jobs: how many processes.

    Yields:
        A student and what became of the submission, as soon as it is known. Submissions whose worker was
        killed are run again.
    """
    left = dict(notebooks)
    restarts = 0
    try:
        while left:
            try:
                pool = _pool(jobs)
                futures = {
                    pool.submit(attempt, setup, notebook): student for student, notebook in left.items()
                }
                for future in as_completed(futures):
                    outcome = future.result()
                    restarts = 0
                    del left[futures[future]]
                    yield futures[future], outcome
            except BrokenExecutor as error:
                _pool.cache_clear()
                restarts += 1
                if restarts > RESTARTS:
                    yield from ((student, Failed(f"{type(error).__name__}: {error}")) for student in left)
                    return
    finally:
        if left:  # interrupted
            for worker in active_children():
                worker.kill()
            _pool.cache_clear()


@functools.cache
def _pool(jobs: int) -> ProcessPoolExecutor:
    """Return processes that stay warm: each loads torch once and forks from then on.

    They are not forked themselves, since this process may have threads.
    """
    return ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_begin)


def _begin() -> None:
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the process that waits
