"""Papers: releasing them to students, grading what comes back, giving feedback."""

from course_tools.grading.feedback import feedback
from course_tools.grading.grade import SubmissionResult, grade
from course_tools.grading.release import ReleaseReport, release
from course_tools.grading.session import GradingError

__all__ = ["GradingError", "ReleaseReport", "SubmissionResult", "feedback", "grade", "release"]
