"""The page a student gets back: marks and comments, no hidden tests, nothing from the network."""

import os
import re
from html import escape
from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbconvert.filters import strip_ansi
from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor
from nbgrader.utils import is_grade

from course_tools.grading.harmless import cell_markdown, clean_output
from course_tools.grading.marks import Mark, read_marks
from course_tools.grading.regions import HIDDEN_TESTS, secret_lines, split_region

HIDDEN_NOTE = "# (hidden tests run here)"
MESSAGE_LIMIT = 500

# Where the marker keeps the course is no business of students.
_LIBRARY_FOLDER = Path(__file__).parents[2]
_STYLE = """<style>
pre { white-space: pre-wrap; word-break: normal; overflow-wrap: anywhere; }
.rendered_html th, .rendered_html td { padding: 2px 12px 2px 0; text-align: left; }
.output_error { border-left: 4px solid #d55e00; }
table.sums td { padding: 2px 16px 2px 0; }
table.sums td.points { text-align: right; font-variant-numeric: tabular-nums; }
.pending { border-left: 4px solid #0072b2; padding: 0.5em 1em; margin: 1em; }
</style>
"""
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "form-action 'none'; base-uri 'none'"
)


class GetMarks(GetGrades):
    """nbgrader's marks and comments, and which answers wait for a person's mark."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> tuple[NotebookNode, ResourcesDict]:
        """Read the marks from the gradebook into the notebook."""
        nb, resources = super().preprocess(nb, resources)
        with Gradebook(self.db_url) as gradebook:
            notebook = gradebook.find_submission_notebook(
                self.notebook_id, self.assignment_id, self.student_id
            )
            resources["nbgrader"]["pending"] = [m.name for m in notebook.grades if m.needs_manual_grade]
        return nb, resources


class HideHiddenTests(NbGraderPreprocessor):
    """Take hidden tests out of a graded notebook: their source, and their lines in any output.

    Of an error in a test cell the name and the message stay, and the failing line if it is a visible one.
    """

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> tuple[NotebookNode, ResourcesDict]:
        """Hide the tests of all cells; see the class."""
        markers = {line for cell in nb.cells for line in cell.source.split("\n") if HIDDEN_TESTS in line}
        secret = sorted(secret_lines(nb.cells, (HIDDEN_TESTS,)) | markers, key=len, reverse=True)
        replacements = {**dict.fromkeys(secret, HIDDEN_NOTE), f"{_LIBRARY_FOLDER}{os.sep}": ""}
        for cell in nb.cells:
            if cell.cell_type != "code":
                continue
            visible, hidden = split_region(cell.source, HIDDEN_TESTS)
            if hidden:
                cell.source = "\n".join([*visible, HIDDEN_NOTE]).strip()
            for output in cell.outputs:
                if output.output_type == "error" and is_grade(cell):
                    output.traceback = [_short_error(output, visible)]
                _scrub(output, replacements)
        return nb, resources


def _short_error(output: NotebookNode, visible: list[str]) -> str:
    message = f"{output.ename}: {output.evalue}"[:MESSAGE_LIMIT] if output.evalue else output.ename
    for line in strip_ansi("\n".join(output.traceback)).split("\n"):
        arrow = re.match(r"-+> \d+ (.*)", line)
        if arrow:
            # The first arrow is the test's own line, later ones are inside what it called.
            failing = arrow[1].strip()
            return f"{failing}\n{message}" if failing in {text.strip() for text in visible} else message
    return message


def _scrub(node: Any, replacements: dict[str, str]) -> None:
    """Replace texts in all strings of a nested output, in place."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, str):
            for old, new in replacements.items():
                value = value.replace(old, new)
            node[key] = value
        elif isinstance(value, (dict, list)):
            _scrub(value, replacements)


class SumUp(NbGraderPreprocessor):
    """Sum up what is left to show of a graded notebook, by exercise."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> tuple[NotebookNode, ResourcesDict]:
        """Put the marks into the resources."""
        marked = [cell.metadata.nbgrader for cell in nb.cells if is_grade(cell)]
        scores = {mark.grade_id: mark.score for mark in marked}
        resources["nbgrader"]["marks"] = read_marks(nb.cells, scores, resources["nbgrader"]["pending"])
        return nb, resources


def _summary(graded: Any) -> str:
    """Return the head of a page: what failed, then the sums by exercise."""
    marks = graded["marks"]
    failed = "".join(f"<li>{_link(mark)}{_messages(mark)}</li>" for mark in marks if mark.failures)
    parts = [f"<h5>What failed</h5><ul>{failed}</ul>"] if failed else []
    if graded["pending"]:
        waiting = len(graded["pending"])
        parts.append(f'<p class="pending">Waiting to be marked by hand, and 0 until then: {waiting}</p>')
    rows = "".join(
        f"<tr><td>{escape(mark.exercise.label)}</td><td>{_link(mark)}</td>"
        f'<td class="points">{mark.score:g} of {mark.exercise.points:g}</td>'
        f"<td>{'waits to be marked' if mark.pending else ''}</td></tr>"
        for mark in marks
    )
    if graded["late_penalty"] > 0:
        lost = f"−{graded['late_penalty']:g}"
        rows += f'<tr><td></td><td>Handed in late</td><td class="points">{lost}</td></tr>'
    return "".join([*parts, f'<table class="sums"><tbody>{rows}</tbody></table>'])


def _messages(mark: Mark) -> str:
    return f"<ul>{''.join(f'<li>{escape(text[:MESSAGE_LIMIT])}</li>' for text in mark.failures)}</ul>"


def _link(mark: Mark) -> str:
    place = mark.exercise.name if mark.exercise.by_hand else f"comment-{mark.exercise.name}"
    return f'<a href="#{escape(place)}">{escape(mark.exercise.title)}</a>'


class FeedbackExporter(HTMLExporter):
    """nbgrader's feedback page without any script, and forbidden to load anything."""

    markdown2html = staticmethod(cell_markdown)

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: Any = None, **kwargs: Any
    ) -> tuple[str, ResourcesDict]:
        """Export to HTML; see the class."""
        for cell in nb.cells:
            for output in cell.get("outputs", []):
                clean_output(output)
        html, resources = super().from_notebook_node(nb, resources, **kwargs)
        html = re.sub(r"<script\b.*?</script\s*>", "", html, flags=re.DOTALL | re.IGNORECASE)
        html = re.sub(r"@font-face\s*\{[^}]*glyphicons[^}]*\}", "", html)
        summary = _summary(resources["nbgrader"])
        html = re.sub(r'<div id="toc">.*?</ol>\s*</div>', lambda _: summary, html, count=1, flags=re.DOTALL)
        policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        html = html.replace("<head>", f"<head>\n{policy}", 1).replace("</head>", f"{_STYLE}</head>", 1)
        return html, resources
