"""From a notebook that was run to a deck: reveal.js, and of every cell what belongs on a slide.

The cells' slide types say where a slide begins and what appears on a key. Here cells become HTML. What is too
much for one slide is made smaller, or spread over several, by `slides.js`: only the browser knows its fonts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nbformat.notebooknode import NotebookNode

from course_lib.figures.theme import LIGHT
from course_tools.cells import (
    POLICY,
    SHOWN_CODE,
    check_was_run,
    code_html,
    fold_summary,
    outputs_html,
    strip_tags,
)
from course_tools.markdown import markdown_html
from course_tools.notes import in_words

HERE = Path(__file__).parent
ANSWER = re.compile(r"<details>\s*<summary>(.*?)</summary>(.*?)</details>", re.DOTALL)


@dataclass
class Slide:
    """One slide: what it shows from top to bottom, the code behind it, and what only the speaker sees."""

    parts: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    minutes: float = 0

    def html(self) -> str:
        """Return the slide as reveal.js wants it."""
        code = f"<details><summary>code</summary>{''.join(self.code)}</details>" if self.code else ""
        minutes = [f"<p>{in_words(self.minutes)}</p>"] if self.minutes else []
        notes = "".join(minutes + self.notes)
        return (
            f'<section data-timing="{self.minutes * 60:.0f}">'
            f'<div class="page">{"".join(self.parts)}{code}</div>'
            f'<aside class="notes">{notes}</aside></section>'
        )


def write_deck(notebook: NotebookNode, path: Path) -> Path:
    """Write the slides of a notebook that was run into one HTML file, and return its path.

    Args:
        notebook: its cells carry slide types, `speaker_notes` (Markdown) and `minutes`.
        path: the file; its folder is made.

    Raises:
        ValueError: the notebook was not run, or no cell begins a slide.
    """
    check_was_run(notebook)
    stacks = _stacks(notebook.cells)
    if not stacks:
        raise ValueError("no cell has the slide type 'slide', so there is no deck to make")
    sections = "\n".join(f"<section>{''.join(slide.html() for slide in stack)}</section>" for stack in stacks)
    title = re.search(r"<h1>(.*?)</h1>", sections)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_page(strip_tags(title[1]) if title else path.stem, sections), encoding="utf-8")
    return path


def _page(title: str, sections: str) -> str:
    scripts = [_text("vendor/reveal.js"), _text("vendor/notes.js"), _text("slides.js")]
    if 'class="chart"' in sections:
        from plotly.offline import get_plotlyjs

        scripts.insert(0, get_plotlyjs())
    # What would end a script element, or begin a comment in it, stands only inside strings.
    inline = [script.replace("</script", "<\\/script").replace("<!--", "<\\!--") for script in scripts]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{_text("vendor/reveal.css")}</style>
<style>:root{{{LIGHT.css()}}}
{_text("slides.css")}</style>
</head>
<body>
<div class="reveal"><div class="slides">
{sections}
</div></div>
{"".join(f"<script>{script}</script>" for script in inline)}
</body>
</html>
"""


def _text(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _stacks(cells: list[NotebookNode]) -> list[list[Slide]]:
    """Put the cells on slides; a stack holds a slide and the sub-slides below it."""
    stacks: list[list[Slide]] = []
    for cell in cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type", "skip")  # skipped: what papermill adds
        if kind == "slide":
            stacks.append([Slide()])
        elif kind == "subslide" and stacks and stacks[-1][-1].parts:
            stacks[-1].append(Slide())
        if kind == "skip" or not stacks:
            continue
        slide = stacks[-1][-1]
        if kind == "notes":
            slide.notes.append(markdown_html(cell.source))
            continue
        shown = "".join(_markdown(cell) if cell.cell_type == "markdown" else _code(cell, slide))
        if shown:
            answer = shown.startswith('<div class="fragment')  # it waits for a key by itself
            waits = kind == "fragment" or fold_summary(cell) is not None
            fragment = " fragment" if waits and not answer else ""
            slide.parts.append(f'<div class="part{fragment}">{shown}</div>')
        if "speaker_notes" in cell.metadata:
            slide.notes.append(markdown_html(cell.metadata["speaker_notes"]))
        slide.minutes += cell.metadata.get("minutes", 0)
    return stacks


def _markdown(cell: NotebookNode) -> str:
    """Render a cell; an answer that a notebook folds comes on a key instead."""
    # Between empty lines Markdown is read inside an element, too.
    source = ANSWER.sub('\n\n<div class="fragment answer">\n\n**\\1.** \\2\n\n</div>\n\n', cell.source)
    return markdown_html(source, cell.get("attachments"))


def _code(cell: NotebookNode, slide: Slide) -> Iterator[str]:
    """Yield what a code cell shows; its code goes there, too, or behind the slide."""
    if SHOWN_CODE in cell.metadata.get("tags", []):
        yield code_html(cell)
    else:
        slide.code.append(code_html(cell))
    yield from outputs_html(cell)
