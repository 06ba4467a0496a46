"""From notebooks that were run to pages that are read: a page for each lecture, and one with all of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import quote

import nbformat
from nbformat.notebooknode import NotebookNode

from course_lib.figures.theme import LIGHT
from course_tools.cells import (
    POLICY,
    check_was_run,
    code_html,
    fold_summary,
    outputs_html,
    strip_tags,
)
from course_tools.markdown import anchor, markdown_html
from course_tools.notes import in_words

HERE = Path(__file__).parent
SLIDES = "slides"  # the folder of decks, beside the pages
INJECTED = "injected-parameters"  # the tag of the cell that papermill adds
_HEADING = re.compile(r"<(h[1-3])>(.*?)</\1>", re.DOTALL)
_HEADING_LINE = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
_HEADING_TAG = re.compile(r"<(h[1-6])>")
_NOTEBOOK_LINK = re.compile(r'(<a href="[^":/]+)\.ipynb(?=["#])')
_CHART = 'class="chart"'


@dataclass(frozen=True)
class Part:
    """A part of a lecture that has minutes of its own.

    Attributes:
        id: of the cell where it begins, and of that place in the page.
        title: HTML.
        minutes: in class.
    """

    id: str
    title: str
    minutes: float


def write_page(notebook: NotebookNode, path: Path) -> Path:
    """Write a lecture that was run as a page, and beside it what the page loads; return its path.

    Args:
        notebook: its cells carry `speaker_notes` (Markdown) and `minutes`.
        path: the file; its folder is made.

    Raises:
        ValueError: the notebook was not run.
    """
    check_was_run(notebook)
    cells = [cell for cell in notebook.cells if INJECTED not in cell.metadata.get("tags", [])]
    body = _NOTEBOOK_LINK.sub(r"\1.html", "\n".join(map(_cell, cells)))
    plan = "".join(
        f'<li><a href="#{part.id}">{part.title}</a> {_minutes(part.minutes)}</li>' for part in parts(notebook)
    )
    nav = (
        '<nav><a href="index.html">All lectures</a>'
        f'<a href="{SLIDES}/{quote(path.name)}">Slides</a>'
        '<label><input type="checkbox" id="notes"> Speaker’s notes</label></nav>'
    )
    aside = f'<aside class="plan"><ol>{plan}</ol></aside>' if plan else ""
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_assets(path.parent, _CHART in body)
    html = _page(title(notebook, path.stem), f"{nav}{aside}<main>{body}</main>", _CHART in body)
    path.write_text(html, encoding="utf-8")
    return path


def write_index(lectures: Sequence[Path], folder: Path) -> Path:
    """Write the page that leads to all lectures, and return its path.

    Args:
        lectures: notebooks, in teaching order. One that has no page in the folder yet is listed without link.
        folder: with the pages.
    """
    entries = []
    for lecture in lectures:
        notebook, file = nbformat.read(lecture, as_version=4), f"{lecture.stem}.html"
        page = quote(file)
        name = title(notebook, lecture.stem)
        plan = parts(notebook)
        is_there = (folder / file).exists()
        linked = f'<a href="{page}">{name}</a>' if is_there else name
        deck = f' · <a href="{SLIDES}/{page}">slides</a>' if (folder / SLIDES / file).exists() else ""
        named = " · ".join(
            f'<a href="{page}#{part.id}">{part.title}</a>' if is_there else part.title for part in plan
        )
        total = _minutes(sum(part.minutes for part in plan))
        entries.append(f"<li><h2>{linked}</h2><p>{total}{deck}</p><p>{named}</p></li>")
    body = f'<main><h1>Sequence models and attention</h1><ul class="lectures">{"".join(entries)}</ul></main>'
    folder.mkdir(parents=True, exist_ok=True)
    _write_assets(folder, False)
    path = folder / "index.html"
    path.write_text(_page("Sequence models and attention", body, False), encoding="utf-8")
    return path


def title(notebook: NotebookNode, otherwise: str) -> str:
    """Return the first heading of a lecture, as HTML without tags, or else a name."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (found := _HEADING.search(markdown_html(cell.source))):
            return strip_tags(found[2])
    return escape(otherwise)


def parts(notebook: NotebookNode) -> list[Part]:
    """Return the parts of a lecture that say how many minutes they take; what is below its title opens it."""
    found = []
    for cell in notebook.cells:
        if "minutes" in cell.metadata and (heading := _HEADING.search(markdown_html(cell.source))):
            name = "Opening" if heading[1] == "h1" else heading[2]
            found.append(Part(cell.id, name, cell.metadata.minutes))
    return found


def _minutes(minutes: float) -> str:
    return f'<span class="minutes">{in_words(minutes)}</span>'


def _cell(cell: NotebookNode) -> str:
    notes = (
        f'<aside class="notes">{markdown_html(cell.metadata.speaker_notes)}</aside>'
        if "speaker_notes" in cell.metadata
        else ""
    )
    shown = _code(cell) if cell.cell_type == "code" else _markdown(cell)
    return f'<div class="cell" id="{cell.id}">{notes}{shown}</div>'


def _markdown(cell: NotebookNode) -> str:
    """Render a cell; headings are places as in JupyterLab, the first says how long its part takes."""
    html = markdown_html(cell.source, cell.get("attachments"))
    if "minutes" in cell.metadata:
        html = _HEADING.sub(rf"<\1>\2 {_minutes(cell.metadata.minutes)}</\1>", html, count=1)
    headings = iter(_HEADING_LINE.findall(cell.source))
    return _HEADING_TAG.sub(lambda tag: f'<{tag[1]} id="{escape(anchor(next(headings)))}">', html)


def _code(cell: NotebookNode) -> str:
    """Return code, folded where the notebook folds it, and what it shows, folded where it answers."""
    code = code_html(cell)
    if cell.metadata.get("jupyter", {}).get("source_hidden"):
        code = f"<details><summary>code</summary>{code}</details>"
    shown, summary = "".join(outputs_html(cell)), fold_summary(cell)
    if summary is not None:
        shown = f'<details class="answer"><summary>{summary}</summary>{shown}</details>'
    return f"{code}{shown}"


def _write_assets(folder: Path, with_charts: bool) -> None:
    for name in ("site.css", "site.js"):
        text = (HERE / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace("/*theme*/", LIGHT.css()), encoding="utf-8")
    if with_charts and not (folder / "plotly.js").exists():
        from plotly.offline import get_plotlyjs

        (folder / "plotly.js").write_text(get_plotlyjs(), encoding="utf-8")


def _page(title: str, body: str, with_charts: bool) -> str:
    scripts = [*(["plotly.js"] if with_charts else []), "site.js"]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="site.css">
{"".join(f'<script defer src="{script}"></script>' for script in scripts)}
</head>
<body>
{body}
</body>
</html>
"""
