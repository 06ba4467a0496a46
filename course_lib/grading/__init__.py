"""Papers: releasing them to students, grading what comes back, giving feedback."""

from course_lib.grading.feedback import feedback
from course_lib.grading.grade import SubmissionResult, grade
from course_lib.grading.release import ReleaseReport, release
from course_lib.grading.session import GradingError

__all__ = ["GradingError", "ReleaseReport", "SubmissionResult", "feedback", "grade", "release"]
