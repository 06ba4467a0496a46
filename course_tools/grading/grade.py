"""Grading a folder of submissions into nbgrader's gradebook and `grades.csv`."""

import csv
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from course_tools.grading.cluster import run_on_cluster
from course_tools.grading.course_file import read_class
from course_tools.grading.gradesheet import read_table
from course_tools.grading.outcome import Executed, Failed, Setup, Times
from course_tools.grading.recording import (
    COLUMNS,
    MARKED,
    STATUSES,
    WRITTEN,
    Recorder,
    SubmissionResult,
    digest,
)
from course_tools.grading.roster import enrol
from course_tools.grading.session import LOCKED, GradingError, check_paper, checked, nbgrader_session
from course_tools.grading.submissions import (
    HandedIn,
    Submission,
    SubmissionError,
    find_submissions,
    read_submission,
)
from course_tools.grading.workers import prepare, run_all
from course_tools.papers.canonical import canonicalise, with_hidden_tests
from course_tools.sandbox.walls import WALLS, Limits, Wall

GRADES_FILE = "grades.csv"
WARNING = (
    "Students' code runs as you, without a sandbox: it can read and change what you can, "
    "the solutions and the gradebook included. Grade only what you would run yourself."
)

Run = Callable[[Setup, dict[str, str]], Iterator[tuple[str, Executed | Failed]]]


def grade(
    paper: str,
    submissions: Path,
    course_dir: Path,
    report: Callable[[SubmissionResult], object] = lambda result: None,
    jobs: int = 1,
    unsafe: bool = False,
    scheduler: str = "",
) -> list[SubmissionResult]:
    """Grade all submissions of a paper; one that is broken or crashes is reported and the rest goes on.

    `submissions` holds a notebook `student.ipynb` or a folder `student/` with the notebook in it for each
    student; so do nbgrader's `submitted/`, the inbound folder of its exchange and Moodle's export. Answers
    are taken by grade id, all else from the course's own paper. Marks go to nbgrader's gradebook and, with
    their states, to `grades.csv`; marks that a person gave stay.

    Students' code runs in a sandbox; hidden tests run outside of it. What has not changed since it was graded
    is not run again, but where it took too long. So a run that was interrupted goes on where it was.

    Args:
        paper: a name, such as `ps04_attention`.
        submissions: the folder of submissions.
        course_dir: the folder that holds `nbgrader_config.py` and `solutions/`.
        report: called with each result as soon as it is known.
        jobs: processes that run submissions, one a core at best.
        unsafe: run students' code without a sandbox, as the user who calls this.
        scheduler: the address of a Dask cluster's scheduler, whose workers run submissions instead.

    Returns:
        One result for every entry of the folder, sorted by name.

    Raises:
        ValueError: there is no such paper, or no submissions, or they lie in a folder that grading
            writes to, or `grades.csv` is no table of grades.
        GradingError: there is no sandbox here, the cluster cannot be used, the paper's own source is broken,
            its cells changed after grading began, or `grades.csv` cannot be written.
    """
    import nbformat

    source = check_paper(paper, course_dir)
    if any(submissions.resolve().is_relative_to((course_dir / step).resolve()) for step in WRITTEN):
        raise ValueError(
            f"submissions is {str(submissions)!r}: grading writes there; keep what was handed in elsewhere"
        )
    of = read_class(course_dir)
    found = find_submissions(submissions, paper, of)
    read_table(course_dir / GRADES_FILE)  # what cannot be kept is said before anything runs
    wall = WALLS["nothing" if unsafe else "bubblewrap"]
    if unsafe:
        print(f"Warning: {WARNING}", file=sys.stderr)
    if scheduler:
        run = partial(run_on_cluster, scheduler)  # its workers look whether they have a sandbox
    else:
        _demand(wall, course_dir)
        run = partial(run_all, jobs=jobs)
    with tempfile.TemporaryDirectory(prefix="course-") as scratch, _grading_session(source, scratch) as api:
        limits, times = _bounds(api.config)
        if not scheduler:
            prepare(wall.name, limits, jobs)
        checked(api.generate_assignment(paper, force=True), f"reading {paper} into the gradebook")
        if of.roster:
            with api.gradebook as gradebook:
                enrol(gradebook, of.roster)
        recorder = Recorder(api, paper)
        released = nbformat.read(recorder.folder("release", ".") / source.name, as_version=4)
        whole = with_hidden_tests(released, nbformat.read(source, as_version=4))
        setup = Setup(nbformat.writes(whole), wall.name, limits, times)
        batch = _Batch(recorder, released, whole, setup, run)
        results: dict[Path, SubmissionResult] = {}
        with tqdm(total=len(found), desc=paper, unit="submission", disable=None) as progress:
            begun = time.monotonic()
            for entry, result in batch.results(found):
                results[entry] = result
                report(result)
                save_grades(paper, [result], course_dir)
                pace = len(results) / (time.monotonic() - begun)
                progress.set_postfix_str(f"{3600 * pace:.0f} an hour", refresh=False)
                progress.update()
    return [results[submission.entry] for submission in found]


def _demand(wall: Wall, course_dir: Path) -> None:
    """Refuse where what is to stand around students' code does not work."""
    if problem := wall.problem(course_dir):
        raise GradingError(
            f"students' code is not run without a sandbox: {problem}. "
            "--unsafe runs it as you, with all that you can read and change"
        )


def _bounds(config: Any) -> tuple[Limits, Times]:
    """Read what students' code may use from `nbgrader_config.py`."""
    return Limits(**config.Limits), Times(config.Execute.get("timeout", Times.cell), **config.Times)


@contextmanager
def _grading_session(source: Path, scratch: str) -> Iterator[Any]:
    """nbgrader on a course's gradebook and results, with all that a run only passes through in `scratch`.

    What students handed in stays as it is, and the files beside the source stay out of their folders.
    """
    steps = {f"{step}_directory": os.path.join(scratch, step) for step in ("source", "release")}
    alone = Path(steps["source_directory"], source.stem)
    alone.mkdir(parents=True)
    shutil.copy(source, alone)
    with nbgrader_session(source.parents[2], **steps) as api:
        yield api


@dataclass(frozen=True)
class _Waiting:
    """A submission that is to be run."""

    entry: Path
    text: str
    digest: str
    handed_in: HandedIn


class _Batch:
    """All submissions of a paper on their way into the gradebook."""

    def __init__(self, recorder: Recorder, released: Any, whole: Any, setup: Setup, run: Run) -> None:
        self._recorder, self._released, self._whole = recorder, released, whole
        self._setup, self._run = setup, run

    def results(self, found: list[Submission]) -> Iterator[tuple[Path, SubmissionResult]]:
        """Yield each submission's result once it is recorded; first of those that need not be run."""
        waiting: dict[str, _Waiting] = {}
        for submission in found:
            known = self._take_in(submission, waiting)
            if known is not None:
                yield submission.entry, known
        notebooks = {student: submission.text for student, submission in waiting.items()}
        for student, outcome in self._run(self._setup, notebooks):
            yield waiting[student].entry, self._record(student, waiting[student], outcome)

    def _take_in(self, submission: Submission, waiting: dict[str, _Waiting]) -> SubmissionResult | None:
        """Return a result where nothing is to be run; else put the submission among those that wait."""
        import nbformat

        student = submission.student
        try:
            handed_in = read_submission(submission, self._recorder.paper)
            notebook, notes = canonicalise(self._released, handed_in.notebook)
            text = nbformat.writes(with_hidden_tests(notebook, self._whole))
        except SubmissionError as problem:
            return self._without_score(submission.named, student, problem.status, str(problem))
        except Exception as problem:
            return self._without_score(True, student, "failed", f"{type(problem).__name__}: {problem}")
        handed_in.notes.extend(notes)
        mark = digest(self._setup.paper, self._setup.limits, text, handed_in)
        known = self._recorder.known(student, mark, handed_in.notes)
        if known is None:
            waiting[student] = _Waiting(submission.entry, text, mark, handed_in)
        return known

    def _record(self, student: str, submission: _Waiting, outcome: Executed | Failed) -> SubmissionResult:
        if isinstance(outcome, Failed):
            return self._without_score(True, student, "failed", outcome.reason)
        try:
            self._recorder.forget(student)
            return self._recorder.record(student, outcome, submission.digest, submission.handed_in)
        except Exception as problem:  # whatever it is, the next submission must be graded
            if LOCKED in str(problem):  # it would meet the same
                raise
            return self._without_score(True, student, "failed", f"{type(problem).__name__}: {problem}")

    def _without_score(self, named: bool, student: str, status: str, message: str) -> SubmissionResult:
        if named:
            self._recorder.forget(student)
        return self._recorder.without_score(student, status, message)


def save_grades(paper: str, results: list[SubmissionResult], course_dir: Path) -> Path:
    """Put results into `grades.csv`; rows of other papers and other students stay, as do other columns.

    Args:
        paper: the paper's name.
        results: the results to put in.
        course_dir: the folder that holds the file.

    Returns:
        The path of the file. A score that could not be given is an empty cell.

    Raises:
        ValueError: the file that is there is no table of grades.
        GradingError: the file cannot be replaced; the message names the one that holds the new rows.
    """
    path = course_dir / GRADES_FILE
    there = read_table(path)
    rows = {(row["paper"], row["student"]): row for row in there}
    for result in results:
        kept = rows.get((paper, result.student), {})
        rows[paper, result.student] = {**kept, "paper": paper, **asdict(result)}
    fresh = path.with_suffix(".tmp")
    with fresh.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, dict.fromkeys([*COLUMNS, *(name for row in there for name in row)]))
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))
    try:
        os.replace(fresh, path)
    except OSError as error:
        raise GradingError(
            f"{path} cannot be replaced: {error.strerror}. The new grades are in {fresh}; "
            "close the program that has the table open, then rename the file"
        ) from error
    return path


def update_grades(api: Any, paper: str, course_dir: Path) -> None:
    """Bring `grades.csv` up to date with what was marked by hand since `grade`.

    Args:
        api: an open nbgrader session.
        paper: the paper's name.
        course_dir: the folder that holds the file.

    Raises:
        GradingError: the gradebook does not know a student whom the file says is marked.
    """
    recorder = Recorder(api, paper)
    rows = [row for row in read_table(course_dir / GRADES_FILE) if row["paper"] == paper]
    results = [
        recorder.update(row["student"], row["status"], row["message"])
        for row in rows
        if row["status"] in MARKED
    ]
    if results:
        save_grades(paper, results, course_dir)


def table(results: list[SubmissionResult]) -> str:
    """Results as a table for the terminal.

    Args:
        results: what `grade` returned.

    Returns:
        One line a submission under a heading, and a last line that counts the states.
    """
    width = max([len("student"), *(len(result.student) for result in results)])
    lines = [f"{'student':{width}}  {'status':16}  {'score':>11}  message"]
    for result in results:
        score = "–" if result.score is None else f"{result.score:g}"
        points = f"{score} / {result.max_score:g}"
        message = result.message
        if result.manual_pending:
            message = "; ".join(filter(None, [f"{result.manual_pending} to mark by hand", message]))
        lines.append(f"{result.student:{width}}  {result.status:16}  {points:>11}  {message}".rstrip())
    counts = [(status, sum(r.status == status for r in results)) for status in STATUSES]
    lines.append(", ".join(f"{count} {status}" for status, count in counts if count))
    return "\n".join(lines)
