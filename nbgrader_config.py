"""nbgrader's settings, read by `course release`, `course grade`, `course feedback` and by formgrader."""

from pathlib import Path

from nbgrader.converters import Autograde
from nbgrader.preprocessors import Execute

from course_lib.grading.execution import LimitedExecute
from course_lib.grading.feedback_page import FEEDBACK_STEPS, FeedbackExporter

c = get_config()
course = Path(__file__).resolve().parent

c.CourseDirectory.course_id = "sequence_models"
c.CourseDirectory.root = str(course)
c.CourseDirectory.db_url = f"sqlite:///{course / 'gradebook.db'}?timeout=120"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "assignments"
# Of a paper's folder only the notebook gets out: the data a paper needs come with course_lib.
c.CourseDirectory.ignore = ["*"]

# Seconds for one cell, for a cell to end once it is interrupted, and for one whole submission;
# characters of output of one cell.
c.Execute.timeout = 120
c.Execute.iopub_timeout = 10
c.LimitedExecute.paper_timeout = 600
c.LimitedExecute.output_limit = 1_000_000

c.Autograde.autograde_preprocessors = [
    LimitedExecute if step is Execute else step for step in Autograde.autograde_preprocessors.default_args[0]
]
c.GenerateFeedback.preprocessors = FEEDBACK_STEPS
c.GenerateFeedback.exporter_class = FeedbackExporter
