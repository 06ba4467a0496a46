"""Grading a folder of submissions into nbgrader's gradebook and `grades.csv`."""

import csv
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from tqdm import tqdm

from course_tools.grading.course_file import read_class
from course_tools.grading.gradesheet import read_table
from course_tools.grading.roster import enrol
from course_tools.grading.session import LOCKED, GradingError, check_paper, checked, nbgrader_session
from course_tools.grading.submissions import Submission, SubmissionError, find_submissions, read_submission
from course_tools.papers.canonical import canonicalise

STATUSES = (
    "graded",
    "needs_manual",
    "timed_out",
    "crashed",
    "unreadable",
    "missing_notebook",
    "refused",
    "failed",
)
_WRITTEN = ("autograded", "feedback")
_MARKED = {"graded", "needs_manual", "timed_out", "crashed"}
WARNING = "Students' code runs as you, without a sandbox: grade only what you would run yourself."
GRADES_FILE = "grades.csv"


@dataclass(frozen=True)
class SubmissionResult:
    """What became of one submission.

    Attributes:
        student: the student's name.
        status: one of `STATUSES`.
        score: points so far, 0…`max_score`; None where no mark can be given.
        max_score: points of the paper.
        manual_pending: how many answers wait for a person's mark.
        message: what happened, in plain words; empty if nothing is to be said.
    """

    student: str
    status: str
    score: float | None
    max_score: float
    manual_pending: int
    message: str


COLUMNS = ("paper", *(field.name for field in fields(SubmissionResult)))


def grade(
    paper: str,
    submissions: Path,
    course_dir: Path,
    report: Callable[[SubmissionResult], object] = lambda result: None,
) -> list[SubmissionResult]:
    """Grade all submissions of a paper; one that is broken or crashes is reported and the rest goes on.

    `submissions` holds a notebook `student.ipynb` or a folder `student/` with the notebook in it for each
    student; so do nbgrader's `submitted/`, the inbound folder of its exchange and Moodle's export. Answers
    are taken by grade id, all else from the course's own paper. Marks go to nbgrader's gradebook and, with
    their states, to `grades.csv`; marks that a person gave stay.

    Students' code runs as the user who calls this: there is no sandbox.

    Args:
        paper: a name, such as `ps04_attention`.
        submissions: the folder of submissions.
        course_dir: the folder that holds `nbgrader_config.py` and `solutions/`.
        report: called with each result as soon as it is known.

    Returns:
        One result for every entry of the folder, sorted by name.

    Raises:
        ValueError: there is no such paper, or no submissions, or they lie in a folder that grading
            writes to, or `grades.csv` is no table of grades.
        GradingError: the paper's own source is broken, its cells changed after grading began, or
            `grades.csv` cannot be written.
    """
    import nbformat

    source = check_paper(paper, course_dir)
    if any(submissions.resolve().is_relative_to((course_dir / step).resolve()) for step in _WRITTEN):
        raise ValueError(
            f"submissions is {str(submissions)!r}: grading writes there; keep what was handed in elsewhere"
        )
    of = read_class(course_dir)
    found = find_submissions(submissions, paper, of)
    read_table(course_dir / GRADES_FILE)  # what cannot be kept is said before anything runs
    print(f"Warning: {WARNING}", file=sys.stderr)
    results: list[SubmissionResult] = []
    with tempfile.TemporaryDirectory(prefix="course-") as scratch, _grading_session(source, scratch) as api:
        checked(api.generate_assignment(paper, force=True), f"reading {paper} into the gradebook")
        if of.roster:
            with api.gradebook as gradebook:
                enrol(gradebook, of.roster)
        released = nbformat.read(_folder(api, "release", ".", paper) / source.name, as_version=4)
        try:
            for submission in tqdm(found, desc=paper, unit="submission", disable=None):
                results.append(_grade_one(api, paper, submission, released))
                report(results[-1])
        finally:
            save_grades(paper, results, course_dir)
    return results


@contextmanager
def _grading_session(source: Path, scratch: str) -> Iterator[Any]:
    """nbgrader on a course's gradebook and results, with all that a run only passes through in `scratch`.

    What students handed in stays as it is, and the files beside the source stay out of their folders.
    """
    steps = {f"{step}_directory": os.path.join(scratch, step) for step in ("source", "release", "submitted")}
    alone = Path(steps["source_directory"], source.stem)
    alone.mkdir(parents=True)
    shutil.copy(source, alone)
    with nbgrader_session(source.parents[2], **steps) as api:
        yield api


def _grade_one(api: Any, paper: str, submission: Submission, released: Any) -> SubmissionResult:
    student = submission.student
    try:
        if submission.named:
            _forget(api, paper, student)
        notes = _hand_in(api, paper, submission, released)
        _autograde(api, paper, student)
        return _result(api, paper, student, notes)
    except SubmissionError as problem:
        return _without_score(api, paper, student, problem.status, str(problem))
    except Exception as problem:  # whatever it is, the next submission must be graded
        if LOCKED in str(problem):  # it would meet the same
            raise
        _forget(api, paper, student)
        return _without_score(api, paper, student, "failed", f"{type(problem).__name__}: {problem}")


def _autograde(api: Any, paper: str, student: str) -> None:
    answer = api.autograde(paper, student, force=True)
    if not answer["success"]:
        error = answer["error"].strip().split("\n")[-1]
        if LOCKED in f"{answer['error']} {answer.get('log')}":
            raise GradingError(LOCKED)
        # nbgrader catches this one with everything else, and would go on to the next submission.
        if error.startswith("KeyboardInterrupt"):
            raise KeyboardInterrupt
        raise GradingError(f"nbgrader says {error}")


def _folder(api: Any, step: str, student: str, paper: str) -> Path:
    directory = getattr(api.coursedir, f"{step}_directory")
    return Path(api.coursedir.format_path(directory, student, paper))


def _forget(api: Any, paper: str, student: str) -> None:
    """Drop earlier automatic marks and files, so that none outlives a submission that has no mark."""
    from nbgrader.utils import rmtree

    for step in _WRITTEN:
        if _folder(api, step, student, paper).exists():
            rmtree(_folder(api, step, student, paper))
    _reset_marks(api, paper, student)


def _reset_marks(api: Any, paper: str, student: str, only: Iterable[str] | None = None) -> None:
    from nbgrader.api import MissingEntry

    with api.gradebook as gradebook:
        try:
            notebook = gradebook.find_submission_notebook(paper, paper, student)
        except MissingEntry:
            return
        for mark in notebook.grades:
            if only is None or mark.name in only:
                mark.auto_score = None
                mark.needs_manual_grade = True
        gradebook.db.commit()


def _hand_in(api: Any, paper: str, submission: Submission, released: Any) -> list[str]:
    """Write the notebook that nbgrader grades; return the notes on what was odd about it."""
    import nbformat

    handed_in = read_submission(submission, paper)
    notebook, notes = canonicalise(released, handed_in.notebook)
    folder = _folder(api, "submitted", submission.student, paper)
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / f"{paper}.ipynb")
    for name, text in handed_in.receipt.items():
        (folder / name).write_text(text, encoding="utf-8")
    return handed_in.notes + notes


def _result(api: Any, paper: str, student: str, notes: list[str]) -> SubmissionResult:
    """Read marks from the gradebook and the state from the notebook that was run."""
    import nbformat

    from course_tools.grading import execution

    folder = _folder(api, "autograded", student, paper)
    errors: dict[str, list[str]] = {}
    for number, cell in enumerate(nbformat.read(folder / f"{paper}.ipynb", as_version=4).cells, start=1):
        name = cell.metadata.get("nbgrader", {}).get("grade_id", f"number {number}")
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                errors.setdefault(output.ename, []).append(name)

    not_run = errors.get(execution.NOT_RUN, [])
    status = ""
    if ended := errors.get(execution.KERNEL_ENDED):
        status = "crashed"
        _reset_marks(api, paper, student, only=[*ended, *not_run])
        notes = [f"cell {ended[0]!r} ended the kernel; the tests from there on are for you to mark", *notes]
    elif not_run or execution.TIMED_OUT in errors:
        status = "timed_out"
        notes = [*_cells("took too long", errors.get(execution.TIMED_OUT)), *notes]
        notes += _cells("not run after that", not_run)
    notes += _cells("printed too much and was stopped", errors.get(execution.OUTPUT_CUT))
    score, max_score, pending = _marks(api, paper, student)
    status = status or ("needs_manual" if pending else "graded")
    known = status != "crashed" or not pending
    return SubmissionResult(student, status, score if known else None, max_score, pending, "; ".join(notes))


def _cells(what: str, names: list[str] | None) -> list[str]:
    return [f"{what}: {', '.join(dict.fromkeys(names))}"] if names else []


def _marks(api: Any, paper: str, student: str) -> tuple[float, float, int]:
    with api.gradebook as gradebook:
        notebook = gradebook.find_submission_notebook(paper, paper, student)
        pending = sum(mark.needs_manual_grade for mark in notebook.grades)
        return notebook.score, notebook.max_score, pending


def _without_score(api: Any, paper: str, student: str, status: str, message: str) -> SubmissionResult:
    with api.gradebook as gradebook:
        max_score = gradebook.find_assignment(paper).max_score
    return SubmissionResult(student, status, None, max_score, 0, message)


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
    """
    results = []
    for row in read_table(course_dir / GRADES_FILE):
        student, status = row["student"], row["status"]
        if row["paper"] != paper or status not in _MARKED:
            continue
        score, max_score, pending = _marks(api, paper, student)
        if status != "timed_out" and not pending:
            status = "graded"
        known = status != "crashed"
        results.append(
            SubmissionResult(student, status, score if known else None, max_score, pending, row["message"])
        )
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
