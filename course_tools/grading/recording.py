"""The one writer: results go into nbgrader's gradebook, where formgrader and feedback find them."""

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import course_lib.checks
from course_tools.grading.outcome import Executed
from course_tools.grading.session import GradingError
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
        api: the session.
        paper: the paper's name.
    """

    def __init__(self, api: Any, paper: str) -> None:
        from nbgrader.converters import Autograde
        from nbgrader.preprocessors import LimitOutput

        self._api, self.paper = api, paper
        self._gradebook = api.gradebook  # opens for each `with`, and is made only once, which takes long
        self._limit_output = LimitOutput(parent=api)
        self._set_permissions = Autograde(coursedir=api.coursedir, parent=api).set_permissions

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
        """Write down what became of a submission: first its marks, all at once, then the graded notebook.

        A notebook that is there has its marks, whenever a run was killed.

        Args:
            student: the student's name.
            executed: the notebook that was run.
            digest: of the submission.
            handed_in: what came with it.
        """
        import nbformat

        notebook, _ = self._limit_output.preprocess(executed.notebook, {})
        mark = {
            "digest": digest,
            "status": executed.status,
            "unknown": executed.unknown,
            "notes": executed.notes,
        }
        notebook.metadata[_MARK] = mark
        self._save_marks(student, notebook, executed.unknown, handed_in.receipt.get("timestamp.txt"))
        folder = self.folder("autograded", student)
        folder.mkdir(parents=True)
        for name, text in handed_in.receipt.items():
            (folder / name).write_text(text, encoding="utf-8")
        nbformat.write(notebook, folder / f"{self.paper}.ipynb")
        self._set_permissions(self.paper, student)
        return self._result(student, mark, handed_in.notes)

    def without_score(self, student: str, status: str, message: str) -> SubmissionResult:
        """Return the result of a submission that has no mark."""
        with self._gradebook as gradebook:
            max_score = gradebook.find_assignment(self.paper).max_score
        return SubmissionResult(student, status, None, max_score, 0, message)

    def forget(self, student: str) -> None:
        """Drop earlier automatic marks and files, so that none outlives a submission that has no mark."""
        from nbgrader.utils import rmtree

        for step in WRITTEN:
            if self.folder(step, student).exists():
                rmtree(self.folder(step, student))
        self._reset_marks(student)

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

    def _save_marks(self, student: str, notebook: Any, unknown: list[str], time: str | None) -> None:
        """Put the marks of a notebook into the gradebook, by nbgrader's rules; those given by hand stay."""
        from nbgrader.utils import compute_checksum, determine_grade, is_grade, is_solution

        with self._gradebook as gradebook:
            gradebook.update_or_create_student(student)
            when = {"timestamp": time} if time else {}
            submission = gradebook.update_or_create_submission(self.paper, student, **when)
            [recorded] = submission.notebooks
            grades = {row.name: row for row in recorded.grades}
            comments = {row.name: row for row in recorded.comments}
            for cell in notebook.cells:
                name = cell.metadata.get("nbgrader", {}).get("grade_id")
                if is_grade(cell):
                    grade = grades[name]
                    grade.auto_score = None if name in unknown else determine_grade(cell)[0]
                    grade.needs_manual_grade = grade.auto_score is None or grade.manual_score is not None
                if is_solution(cell):
                    is_untouched = cell.metadata.nbgrader.get("checksum") == compute_checksum(cell)
                    comments[name].auto_comment = "No response." if is_untouched else None
            recorded.late_submission_penalty = None
            gradebook.db.commit()
            if submission.total_seconds_late > 0:
                self._assign_penalty(student, notebook)

    def _assign_penalty(self, student: str, notebook: Any) -> None:
        """Let nbgrader take off for lateness what its settings say, by default nothing."""
        from nbgrader.preprocessors import AssignLatePenalties

        place = {"notebook": self.paper, "assignment": self.paper, "student": student}
        resources = {"nbgrader": {**place, "db_url": self._api.coursedir.db_url}}
        AssignLatePenalties(parent=self._api).preprocess(notebook, resources)

    def _reset_marks(self, student: str) -> None:
        from nbgrader.api import MissingEntry

        with self._gradebook as gradebook:
            try:
                notebook = gradebook.find_submission_notebook(self.paper, self.paper, student)
            except MissingEntry:
                return
            for mark in notebook.grades:
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
        with self._gradebook as gradebook:
            notebook = gradebook.find_submission_notebook(self.paper, self.paper, student)
            pending = sum(mark.needs_manual_grade for mark in notebook.grades)
            return notebook.score, notebook.max_score, pending
