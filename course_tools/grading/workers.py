"""Running many submissions, in this process or in several. The results are the same."""

import functools
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context

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


def run(setup: Setup, notebook: str) -> Executed:
    """Run one submission in this process.

    Args:
        setup: see there.
        notebook: the submission in its canonical form, as JSON.
    """
    import nbformat

    answers = _answers(setup.wall, setup.limits)
    return execute(nbformat.reads(notebook, as_version=4), _judge(setup.paper), answers, setup.times)


@functools.cache
def _answers(wall: str, limits: Limits) -> Answers:
    """Return this process's own place for answers, which stays warm."""
    return Answers(WALLS[wall], limits)


@functools.lru_cache(maxsize=4)
def _judge(paper: str) -> Judge:
    import nbformat

    return Judge(nbformat.reads(paper, as_version=4))


def run_all(setup: Setup, notebooks: dict[str, str], jobs: int) -> Iterator[tuple[str, Executed | Exception]]:
    """Run many submissions.

    Args:
        setup: see there.
        notebooks: by student, as JSON.
        jobs: how many processes.

    Yields:
        A student and what became of the submission, as soon as it is known. Submissions whose worker was
        killed are run again.
    """
    if jobs == 1:
        for student, notebook in notebooks.items():
            yield student, _outcome(functools.partial(run, setup, notebook))
        return
    left = dict(notebooks)
    restarts = 0
    while left:
        try:
            with _pool(jobs) as pool:
                futures = {pool.submit(run, setup, notebook): student for student, notebook in left.items()}
                for future in as_completed(futures):
                    outcome = _outcome(future.result)
                    restarts = 0
                    del left[futures[future]]
                    yield futures[future], outcome
        except BrokenExecutor as error:
            restarts += 1
            if restarts > RESTARTS:
                for student in left:
                    yield student, error
                return


def _outcome(result: Callable[[], Executed]) -> Executed | Exception:
    try:
        return result()
    except BrokenExecutor:
        raise
    except Exception as error:  # whatever it is, the next submission must be graded
        return error


@contextmanager
def _pool(jobs: int) -> Iterator[Executor]:
    """Open an executor; what it has not begun when an error comes is dropped."""
    # Not forked: this process may have threads. Each worker loads torch once and forks from then on.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=end_with_parent)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()
