"""The one writer: results go into nbgrader's gradebook, where formgrader and feedback find them."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import course_lib.checks
from course_tools.grading.execution import Executed
from course_tools.grading.session import LOCKED, GradingError
from course_tools.grading.submissions import HandedIn
from course_tools.sandbox.walls import Limits

STATUSES = (
    "graded",
    "needs_manual",
    "tampered",
    "timed_out",
    "crashed",
    "unreadable",
    "missing_notebook",
    "refused",
    "failed",
)
MARKED = {"graded", "needs_manual", "tampered", "timed_out", "crashed"}
WRITTEN = ("autograded", "feedback")
# The notebook comes with its outputs, and as it should be: nbgrader only reads the marks from it.
RECORDING = {
    "Autograde": {
        "sanitize_preprocessors": [],
        "autograde_preprocessors": [
            "nbgrader.preprocessors.LimitOutput",
            "nbgrader.preprocessors.SaveAutoGrades",
            "nbgrader.preprocessors.AssignLatePenalties",
            "nbgrader.preprocessors.CheckCellMetadata",
        ],
    }
}
_MARK = "course"  # under this name a graded notebook's metadata say how it was graded


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


def digest(paper: str, limits: Limits, notebook: str, handed_in: HandedIn) -> str:
    """Return a short text that changes with whatever a submission's marks depend on.

    Args:
        paper: the paper's notebook with hidden tests, as JSON.
        limits: what students' code may use.
        notebook: the submission in its canonical form, as JSON.
        handed_in: when it came.
    """
    folder = Path(course_lib.checks.__file__).parent
    checks = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))]
    parts = [paper, asdict(limits), notebook, *checks, json.dumps(handed_in.receipt, sort_keys=True)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class Recorder:
    """Writes results of one paper, through an open nbgrader session.

    Args:
        api: the session; its settings are `RECORDING`.
        paper: the paper's name.
    """

    def __init__(self, api: Any, paper: str) -> None:
        self._api, self.paper = api, paper

    def known(self, student: str, digest: str, notes: list[str]) -> SubmissionResult | None:
        """Return what is recorded of a submission; None if it was another one, or took too long.

        Args:
            student: the student's name.
            digest: of the submission.
            notes: what was odd about it, as it was handed in.
        """
        from nbgrader.api import MissingEntry

        mark = self._mark(student)
        if mark.get("digest") != digest or mark["status"] == "timed_out":
            return None
        try:
            return self._result(student, mark, notes)
        except MissingEntry:  # the gradebook was begun anew
            return None

    def record(self, student: str, executed: Executed, digest: str, handed_in: HandedIn) -> SubmissionResult:
        """Write down what became of a submission.

        Args:
            student: the student's name.
            executed: the notebook that was run.
            digest: of the submission.
            handed_in: what came with it.

        Raises:
            GradingError: nbgrader cannot.
        """
        import nbformat

        executed.notebook.metadata[_MARK] = {
            "digest": digest,
            "status": executed.status,
            "unknown": executed.unknown,
            "notes": executed.notes,
        }
        folder = self.folder("submitted", student)
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(executed.notebook, folder / f"{self.paper}.ipynb")
        for name, text in handed_in.receipt.items():
            (folder / name).write_text(text, encoding="utf-8")
        self._autograde(student)
        self._reset_marks(student, executed.unknown)
        return self._result(student, self._mark(student), handed_in.notes)

    def without_score(self, student: str, status: str, message: str) -> SubmissionResult:
        """Return the result of a submission that has no mark."""
        with self._api.gradebook as gradebook:
            max_score = gradebook.find_assignment(self.paper).max_score
        return SubmissionResult(student, status, None, max_score, 0, message)

    def forget(self, student: str) -> None:
        """Drop earlier automatic marks and files, so that none outlives a submission that has no mark."""
        from nbgrader.utils import rmtree

        for step in WRITTEN:
            if self.folder(step, student).exists():
                rmtree(self.folder(step, student))
        self._reset_marks(student, None)

    def update(self, student: str, status: str, message: str) -> SubmissionResult:
        """Return a recorded result with the marks that were given by hand since.

        Raises:
            GradingError: the gradebook does not know the student.
        """
        from nbgrader.api import MissingEntry

        try:
            score, max_score, pending = self._marks(student)
        except MissingEntry as error:
            raise GradingError(
                f"the gradebook has no marks of {student!r}, but grades.csv does: grade {self.paper} again"
            ) from error
        if status == "needs_manual" and not pending:
            status = "graded"
        known = not (pending and self._mark(student)["unknown"])
        return SubmissionResult(student, status, score if known else None, max_score, pending, message)

    def folder(self, step: str, student: str) -> Path:
        """Return the folder of a submission in one of nbgrader's steps."""
        directory = getattr(self._api.coursedir, f"{step}_directory")
        return Path(self._api.coursedir.format_path(directory, student, self.paper))

    def _autograde(self, student: str) -> None:
        answer = self._api.autograde(self.paper, student, force=True)
        if not answer["success"]:
            error = answer["error"].strip().split("\n")[-1]
            if LOCKED in f"{answer['error']} {answer.get('log')}":
                raise GradingError(LOCKED)
            # nbgrader catches this one with everything else, and would go on to the next submission.
            if error.startswith("KeyboardInterrupt"):
                raise KeyboardInterrupt
            raise GradingError(f"nbgrader says {error}")

    def _reset_marks(self, student: str, only: Iterable[str] | None) -> None:
        from nbgrader.api import MissingEntry

        with self._api.gradebook as gradebook:
            try:
                notebook = gradebook.find_submission_notebook(self.paper, self.paper, student)
            except MissingEntry:
                return
            for mark in notebook.grades:
                if only is None or mark.name in only:
                    mark.auto_score = None
                    mark.needs_manual_grade = True
            gradebook.db.commit()

    def _mark(self, student: str) -> dict[str, Any]:
        """Return what a graded notebook says about how it was graded; empty if there is none."""
        path = self.folder("autograded", student) / f"{self.paper}.ipynb"
        try:
            mark = json.loads(path.read_text(encoding="utf-8"))["metadata"][_MARK]
        except (OSError, ValueError, KeyError):
            return {}
        return mark

    def _result(self, student: str, mark: dict[str, Any], odd: list[str]) -> SubmissionResult:
        score, max_score, pending = self._marks(student)
        status = mark["status"] or ("needs_manual" if pending else "graded")
        known = not (mark["unknown"] and pending)
        notes = "; ".join([*mark["notes"], *odd])
        return SubmissionResult(student, status, score if known else None, max_score, pending, notes)

    def _marks(self, student: str) -> tuple[float, float, int]:
        with self._api.gradebook as gradebook:
            notebook = gradebook.find_submission_notebook(self.paper, self.paper, student)
            pending = sum(mark.needs_manual_grade for mark in notebook.grades)
            return notebook.score, notebook.max_score, pending
