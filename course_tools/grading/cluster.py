"""Running submissions on the workers of a Dask cluster; what they are worth is still written down here.

Each worker runs the sandbox where it is. What crosses is JSON, both ways.
"""

import functools
import hashlib
import json
import platform
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from dataclasses import asdict
from pathlib import Path
from typing import Any

import nbformat

import course_lib
import course_tools
from course_tools.grading.outcome import Executed, Failed, Setup, Times
from course_tools.grading.session import GradingError
from course_tools.grading.workers import attempt
from course_tools.sandbox.walls import WALLS, Limits

CONNECT = 10.0  # seconds to reach the scheduler
LOOK = 30.0  # seconds without a result, after which is asked whether there are workers

_one_at_a_time = threading.Lock()  # a worker may have threads; its sandbox holds one submission


def run_on_cluster(
    scheduler: str, setup: Setup, notebooks: dict[str, str]
) -> Iterator[tuple[str, Executed | Failed]]:
    """Run many submissions on a cluster.

    Args:
        scheduler: the address of its scheduler, such as `tcp://10.0.0.7:8786`.
        setup: see there.
        notebooks: by student, as JSON.

    Yields:
        A student and what became of the submission, as soon as it is known. Submissions whose worker ended
        are run by another one.

    Raises:
        GradingError: Dask is not installed, the cluster cannot be reached or has no worker, or a worker
            cannot give the marks that this machine would.
    """
    try:
        from distributed import Client, wait
    except ModuleNotFoundError as error:
        raise GradingError(
            "a cluster needs Dask, which is not installed: `pip install -c constraints.txt -e '.[cluster]'`"
        ) from error
    if not notebooks:
        return
    try:
        client = Client(scheduler, timeout=CONNECT)
    except (OSError, ValueError) as error:
        raise GradingError(f"there is no Dask scheduler at {scheduler!r}: {error}") from error
    with client:
        for worker, problem in client.run(why_unfit, versions(), setup.wall, on_error="return").items():
            if problem:
                raise GradingError(f"the worker at {worker} cannot run submissions: {problem}")
        tasks = {student: _task(setup, notebook) for student, notebook in notebooks.items()}
        left = {client.submit(run_there, task, pure=False): student for student, task in tasks.items()}
        while left:
            try:
                done = wait(list(left), timeout=LOOK, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                if not client.nthreads():
                    raise GradingError(f"the cluster at {scheduler!r} has no worker") from None
                continue
            except CancelledError as error:
                raise GradingError(
                    f"the scheduler at {scheduler!r} has ended: start one and run this again; "
                    "what is graded is not run again"
                ) from error
            for future in done:
                yield left.pop(future), _outcome(future)


def run_there(task: bytes) -> bytes:
    """Run one submission on a worker, where Dask calls this.

    Args:
        task: the submission and its setup, as `run_on_cluster` writes them.

    Returns:
        What became of it, or why this worker is not fit to run it.
    """
    import torch

    given = json.loads(task)
    if problem := why_unfit(given["versions"], given["wall"]):  # it may have come later than the others
        return json.dumps({"unfit": f"the worker on {socket.gethostname()}: {problem}"}).encode()
    limits, times = Limits(**given["limits"]), Times(**given["times"])
    with _one_at_a_time:
        torch.set_num_threads(1)
        outcome = attempt(Setup(given["paper"], given["wall"], limits, times), given["notebook"])
    if isinstance(outcome, Failed):
        return json.dumps({"failed": asdict(outcome)}).encode()
    notebook = nbformat.writes(outcome.notebook)
    return json.dumps({"executed": vars(outcome) | {"notebook": notebook}}).encode()


def why_unfit(wanted: dict[str, str], wall: str) -> str:
    """Say why this process would not give the marks that another one does; "" if it would.

    Args:
        wanted: the other one's versions.
        wall: the name of what stands around students' code.
    """
    here = versions()
    other = [f"{what} {here[what]}, not {wanted[what]}" for what in wanted if here[what] != wanted[what]]
    return f"it has {'; '.join(other)}" if other else WALLS[wall].problem()


@functools.cache
def versions() -> dict[str, str]:
    """Return what marks depend on beside paper and answers, by name: the course's code and what it uses."""
    import numpy
    import torch

    code = hashlib.sha256()
    for package in (course_lib, course_tools):
        folder = Path(str(package.__file__)).parent
        for path in sorted(folder.rglob("*.py")):
            code.update(f"{path.relative_to(folder.parent).as_posix()}\n".encode() + path.read_bytes())
    return {
        "course": code.hexdigest()[:8],
        "Python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
    }


def _task(setup: Setup, notebook: str) -> bytes:
    return json.dumps({"versions": versions(), "notebook": notebook, **asdict(setup)}).encode()


def _outcome(future: Any) -> Executed | Failed:
    from distributed import KilledWorker

    try:
        said = json.loads(future.result())
    except KilledWorker as error:
        return Failed(f"{error.allowed_failures + 1} workers ended, one after the other, while they ran it")
    except Exception as error:  # `run_there` raises none of its own
        raise GradingError(f"the cluster cannot run submissions: {type(error).__name__}: {error}") from error
    if "unfit" in said:
        raise GradingError(said["unfit"])
    if "failed" in said:
        return Failed(**said["failed"])
    executed = said["executed"]
    return Executed(**executed | {"notebook": nbformat.reads(executed["notebook"], as_version=4)})
