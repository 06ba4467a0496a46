"""The page a student gets back: marks and comments, no hidden tests, nothing from the network."""

import re
from html import escape
from typing import Any

from jinja2 import pass_context
from latex2mathml.converter import convert as to_mathml
from nbconvert.exporters import HTMLExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbconvert.filters import strip_ansi
from nbconvert.filters.markdown_mistune import InvalidNotebook, IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat.notebooknode import NotebookNode
from nbgrader.preprocessors import GetGrades, NbGraderPreprocessor
from nbgrader.utils import is_grade

from course_lib.grading.regions import HIDDEN_TESTS, secret_lines, split_region

HIDDEN_NOTE = "# (hidden tests run here)"
MESSAGE_LIMIT = 500

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"


class HideHiddenTests(NbGraderPreprocessor):
    """Take hidden tests out of a graded notebook: their source, and their lines in any output.

    Of an error in a test cell the name and the message stay, and the failing line if it is a visible one.
    """

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> tuple[NotebookNode, ResourcesDict]:
        """Hide the tests of all cells; see the class."""
        markers = {line for cell in nb.cells for line in cell.source.split("\n") if HIDDEN_TESTS in line}
        secret = sorted(secret_lines(nb.cells, (HIDDEN_TESTS,)) | markers, key=len, reverse=True)
        for cell in nb.cells:
            if cell.cell_type != "code":
                continue
            visible, hidden = split_region(cell.source, HIDDEN_TESTS)
            if hidden:
                cell.source = "\n".join([*visible, HIDDEN_NOTE]).strip()
            for output in cell.outputs:
                if output.output_type == "error" and is_grade(cell):
                    output.traceback = [_short_error(output, visible)]
                _scrub(output, secret)
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


def _scrub(node: Any, secret: list[str]) -> None:
    """Replace secret lines in all strings of a nested output, in place."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(value, str):
            for line in secret:
                value = value.replace(line, HIDDEN_NOTE)
            node[key] = value
        elif isinstance(value, (dict, list)):
            _scrub(value, secret)


class _MathRenderer(IPythonRenderer):
    """Markdown whose formulas become MathML, which browsers draw without a script."""

    def block_math(self, body: str) -> str:
        return f"<p>{_mathml(body, 'block')}</p>"

    def inline_math(self, body: str) -> str:
        return _mathml(body, "inline")

    def image(self, text: str, url: str, title: str | None = None) -> str:
        try:
            return super().image(text, url, title)
        except InvalidNotebook:  # a picture that was deleted from the cell
            return escape(text)

    def latex_environment(self, name: str, body: str) -> str:
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")


def _mathml(formula: str, display: str) -> str:
    try:
        return to_mathml(formula, display=display)
    except Exception:  # a student's formula may be anything; its source is still readable
        return f"<code>{escape(formula)}</code>"


class FeedbackExporter(HTMLExporter):
    """nbgrader's feedback page without any script, and forbidden to load anything."""

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """Render markdown, formulas as MathML."""
        cell = context.get("cell", {})
        renderer = _MathRenderer(
            escape=False, attachments=cell.get("attachments", {}), exclude_anchor_links=True
        )
        return MarkdownWithMath(renderer=renderer).render(source)

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: Any = None, **kwargs: Any
    ) -> tuple[str, ResourcesDict]:
        """Export to HTML; see the class."""
        html, resources = super().from_notebook_node(nb, resources, **kwargs)
        html = re.sub(r"<script\b.*?</script\s*>", "", html, flags=re.DOTALL | re.IGNORECASE)
        html = re.sub(r"@font-face\s*\{[^}]*glyphicons[^}]*\}", "", html)
        html = re.sub(r'<a href="#([^"]+)">Test cell</a>', r'<a href="#\1">\1</a>', html)
        policy = f'<head>\n<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        return html.replace("<head>", policy, 1), resources


FEEDBACK_STEPS = [GetGrades, HideHiddenTests, CSSHTMLHeaderPreprocessor]
