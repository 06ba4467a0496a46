"""Marking by hand in nbgrader's formgrader: pages need no network and run nothing of a student's."""

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import pass_context
from nbconvert.exporters import HTMLExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode

from course_tools.grading.harmless import clean_output, harmless_markdown
from course_tools.grading.session import check_paper, graded_notebooks
from course_tools.server import serve

_MATHJAX = re.compile(r"<!-- Load mathjax -->.*?<!-- End of mathjax configuration -->", re.DOTALL)
# formgrader waits for MathJax, which comes from the network; here the browser has drawn every formula itself.
_NO_MATHJAX = '<script>var MathJax = {Hub: {Startup: {signal: {Interest: (done) => done("End")}}}};</script>'
_STYLE = """<style>
.beside { display: grid; grid-template-columns: 1fr 1fr; gap: 2em; }
.model-answer { border-left: 4px solid #0072b2; padding-left: 1em; }
</style>
"""
# formgrader puts the marks it has into the boxes when they arrive, over whatever was typed until then.
_WAIT_FOR_MARKS = """<script>
$(() => {
  const boxes = $(".score, .extra-credit, .comment").prop("readonly", true);
  const buttons = $(".scoring-buttons button").prop("disabled", true);
  $(document).on("ajaxStop", () => {
    if (formgrader.grades.loaded && formgrader.comments.loaded) {
      boxes.prop("readonly", false);
      buttons.prop("disabled", false);
    }
  });
});
</script>
"""


class MarkingExporter(HTMLExporter):
    """formgrader's page of a submission: formulas as MathML, the model answer beside each written one.

    Marks can be typed once those that are there have arrived.

    Args:
        course_dir: the folder with `solutions/`.
        options: those of nbconvert's exporter.
    """

    def __init__(self, course_dir: Path, **options: Any) -> None:
        super().__init__(**options)
        self._course_dir = course_dir

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """Render Markdown of anybody; beside a written answer what staff wrote for it."""
        cell = context.get("cell", {})
        own = harmless_markdown(source, cell.get("attachments"))
        mark = cell.get("metadata", {}).get("nbgrader", {})
        if not (mark.get("grade") and mark.get("solution")):
            return own
        model = self._model_answer(context["resources"]["assignment_id"], mark["grade_id"])
        if not model:
            return own
        return (
            f'<div class="beside"><div>{own}</div>'
            f'<div class="model-answer">{harmless_markdown(model)}</div></div>'
        )

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: Any = None, **kwargs: Any
    ) -> tuple[str, ResourcesDict]:
        """Export to HTML; see the class."""
        for cell in nb.cells:
            for output in cell.get("outputs", []):
                clean_output(output)
        html, resources = super().from_notebook_node(nb, resources, **kwargs)
        return _MATHJAX.sub(_NO_MATHJAX, html).replace(
            "</head>", f"{_STYLE}{_WAIT_FOR_MARKS}</head>", 1
        ), resources

    def _model_answer(self, paper: str, grade_id: str) -> str:
        import nbformat

        source = nbformat.read(check_paper(paper, self._course_dir), as_version=4)
        cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in source.cells}
        return str(cells[grade_id].source) if grade_id in cells else ""


def mark(paper: str, course_dir: Path, headless: bool, port: int) -> None:
    """Open formgrader on a graded paper, and serve it until Control-C.

    Args:
        paper: a name, such as `ps04_attention`.
        course_dir: the folder that holds the gradebook.
        headless: print the address and open nothing.
        port: the first port to try.

    Raises:
        ValueError: there is no such paper, or nothing of it is graded yet.
    """
    graded_notebooks(paper, course_dir)  # else there is nothing to mark
    os.chdir(course_dir)  # nbgrader looks for the course's settings where it is started

    def with_our_pages(server: Any) -> None:
        from nbgrader.server_extensions.formgrader import handlers

        exporter = MarkingExporter(
            course_dir, template_name="formgrade", extra_template_basedirs=[handlers.template_path]
        )
        server.web_app.settings["nbgrader_exporter"] = exporter

    page = quote(f"/formgrader/gradebook/{paper}/{paper}", safe="")
    # By way of the login, which sets a cookie for all of formgrader.
    serve(course_dir, f"login?next={page}", headless, port, with_our_pages)
