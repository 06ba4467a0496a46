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

# What students' code may use: seconds for one cell and for one whole submission; bytes of memory and of one
# file, processes and threads at a time, seconds of processor time.
c.Execute.timeout = 120
c.Times.paper = 600
c.Limits.memory = 4_000_000_000
c.Limits.file = 100_000_000
c.Limits.processes = 200
c.Limits.cpu = 900

c.GenerateFeedback.preprocessors = [
    "course_tools.grading.feedback_page.GetMarks",
    "course_tools.grading.feedback_page.HideHiddenTests",
    "course_tools.grading.feedback_page.SumUp",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
c.GenerateFeedback.exporter_class = "course_tools.grading.feedback_page.FeedbackExporter"

# What formgrader shows of students' work can do nothing to its page; formulas need no network there.
c.HTMLExporter.filters = {"markdown2html": "course_tools.grading.harmless.cell_markdown"}
c.HTMLExporter.sanitize_html = True
c.FeedbackExporter.sanitize_html = False  # it cleans by itself, and keeps harmless tables
