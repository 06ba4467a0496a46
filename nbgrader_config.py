"""nbgrader's settings, read by `course release`, `course grade`, `course feedback` and by formgrader."""

from pathlib import Path

c = get_config()
course = Path(__file__).resolve().parent

c.CourseDirectory.course_id = "sequence_models"
c.CourseDirectory.root = str(course)
c.CourseDirectory.db_url = f"sqlite:///{(course / 'gradebook.db').as_uri()}?timeout=120&uri=true"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "assignments"
# nbgrader's exchange copies by this list too. `course release` lets out nothing but the notebook.
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", "answers"]

# Seconds for one cell, for a cell to end once it is interrupted, and for one whole submission;
# characters of output of one cell.
c.Execute.timeout = 120
c.Execute.iopub_timeout = 10
c.LimitedExecute.paper_timeout = 600
c.LimitedExecute.output_limit = 1_000_000

c.Autograde.autograde_preprocessors = [
    "course_tools.grading.execution.LimitedExecute",  # in the place of nbgrader's Execute
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.GenerateFeedback.preprocessors = [
    "course_tools.grading.feedback_page.GetMarks",
    "course_tools.grading.feedback_page.HideHiddenTests",
    "course_tools.grading.feedback_page.SumUp",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
c.GenerateFeedback.exporter_class = "course_tools.grading.feedback_page.FeedbackExporter"
