"""What a cell of a notebook that was run shows, as HTML for a page without a kernel."""

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from nbconvert.filters import strip_ansi
from nbformat.notebooknode import NotebookNode

from course_lib.figures.source import Source
from course_lib.lecture import HELD_BACK
from course_tools.markdown import markdown_html

SHOWN_CODE = "show-code"  # the tag of a cell whose code is the point
PLOTLY = "application/vnd.plotly.v1+json"
# Scripts and pictures come from the pages' own folder; frames are widgets, and the speaker's view of a deck.
POLICY = "default-src 'self' 'unsafe-inline' data: blob: file:"
_FOLD = re.compile(rf'<details class="{HELD_BACK}"><summary>(.*?)</summary>', re.DOTALL)


def check_was_run(notebook: NotebookNode) -> None:
    """Raise ValueError where a notebook has code, and none of it was run: its page would be empty."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if code and not any(cell.execution_count for cell in code):
        raise ValueError("the notebook was not run, so its page would be empty")


def strip_tags(html: str) -> str:
    """Return the text between the tags, still escaped."""
    return re.sub(r"<[^>]+>", "", html)


def code_html(cell: NotebookNode) -> str:
    """Return the highlighted source of a code cell."""
    return Source(cell.source, language="python")._repr_html_()


def fold_summary(cell: NotebookNode) -> str | None:
    """Return, as HTML, what is read in the place of a cell's outputs where it holds them back, else None."""
    folds = (_FOLD.search(_html(output)) for output in cell.get("outputs", []))
    return next((fold[1] for fold in folds if fold), None)


def outputs_html(cell: NotebookNode) -> Iterator[str]:
    """Yield what the outputs of a code cell show; a chart is an element with its data inside."""
    twin = False
    for output in cell.outputs:
        if _FOLD.search(_html(output)):
            continue
        if output.output_type == "stream":
            if output.name == "stdout":
                yield f"<pre>{escape(strip_ansi(output.text))}</pre>"
        elif output.output_type == "error":
            yield f"<pre>{escape(f'{output.ename}: {output.evalue}')}</pre>"
        elif not twin:  # else the picture stands for it, since nothing here could bring it to life
            yield _output(output.data)
        twin = "course-twin" in _html(output)


def _html(output: NotebookNode) -> str:
    return str(output.get("data", {}).get("text/html", ""))


def _output(data: dict[str, Any]) -> str:
    """Turn a bundle of MIME types into HTML: what can be moved before pictures, pictures before text."""
    if PLOTLY in data:
        chart = json.dumps(data[PLOTLY]).replace("<", "\\u003c")
        alt = escape(data.get("text/plain", ""))
        content = f'<script type="application/json">{chart}</script>'
        return f'<div class="chart" role="img" aria-label="{alt}">{content}</div>'
    if "text/html" in data:
        return str(data["text/html"])
    if "text/markdown" in data:
        return markdown_html(data["text/markdown"])
    if "image/svg+xml" in data:
        return str(data["image/svg+xml"])
    if "image/png" in data:
        alt = escape(data.get("text/plain", ""))
        return f'<figure><img alt="{alt}" src="data:image/png;base64,{data["image/png"]}"></figure>'
    return f"<pre>{escape(data['text/plain'])}</pre>" if data.get("text/plain") else ""
