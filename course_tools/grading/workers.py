"""Running many submissions, in one process or in several. The results are the same."""

import functools
import signal
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import active_children, get_context

from course_tools.grading.execution import Executed, Times, execute
from course_tools.grading.judge import Judge
from course_tools.sandbox.namespaces import end_with_parent
from course_tools.sandbox.outside import Answers
from course_tools.sandbox.walls import WALLS, Limits

RESTARTS = 3  # of a pool whose processes were killed, without a result in between


@dataclass(frozen=True)
class Setup:
    """What a worker needs to know beside a submission; plain text and numbers, so that it travels.

    Attributes:
        paper: the paper's notebook, with hidden tests, as JSON.
        wall: what stands around students' code, by name.
        limits: what it may use.
        times: how long it may take.
    """

    paper: str
    wall: str
    limits: Limits
    times: Times


@dataclass(frozen=True)
class Failed:
    """A submission that could not be run, through no fault of its own.

    Attributes:
        reason: why.
    """

    reason: str


def attempt(setup: Setup, notebook: str) -> Executed | Failed:
    """Run one submission in this process.

    Args:
        setup: see there.
        notebook: the submission in its canonical form, as JSON.
    """
    import nbformat

    try:
        answers = _answers(setup.wall, setup.limits)
        return execute(nbformat.reads(notebook, as_version=4), _judge(setup.paper), answers, setup.times)
    except Exception as error:  # whatever it is, the next submission must be graded
        return Failed(f"{type(error).__name__}: {error}")


@functools.cache
def _answers(wall: str, limits: Limits) -> Answers:
    """Return this process's own place for answers, which stays warm."""
    return Answers(WALLS[wall], limits)


@functools.lru_cache(maxsize=4)
def _judge(paper: str) -> Judge:
    import nbformat

    return Judge(nbformat.reads(paper, as_version=4))


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
