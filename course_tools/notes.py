"""A copy of a lecture with what its slides show only to the speaker: notes and minutes."""

from datetime import datetime
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode


def in_words(minutes: float) -> str:
    """Return "1 minute", "2.5 minutes"."""
    return f"{minutes:g} minute{'' if minutes == 1 else 's'}"


def with_notes(lecture: NotebookNode) -> NotebookNode:
    """Return a copy in which a cell with notes stands above each cell that has some.

    Args:
        lecture: its cells may carry `speaker_notes` (Markdown) and `minutes`.
    """
    cells = []
    for cell in lecture.cells:
        minutes = [f"**{in_words(cell.metadata.minutes)}**"] if "minutes" in cell.metadata else []
        notes = [cell.metadata.speaker_notes] if "speaker_notes" in cell.metadata else []
        if minutes or notes:
            said = "\n\n".join(minutes + notes)
            quoted = "\n".join(f"> {line}".rstrip() for line in said.splitlines())
            metadata = {"slideshow": {"slide_type": "notes"}}
            cells.append(nbformat.v4.new_markdown_cell(quoted, id=f"notes-{cell.id}"[:64], metadata=metadata))
        cells.append(cell)
    return NotebookNode({**lecture, "cells": cells})


def write_notes(lecture: Path, folder: Path) -> Path:
    """Write the copy of a lecture with its notes; return its path.

    A copy that somebody has edited is kept beside it, under the time of its last change.

    Args:
        lecture: the notebook.
        folder: for the copy.
    """
    path = folder / f"{lecture.stem}_notes.ipynb"
    copy = with_notes(nbformat.read(lecture, as_version=4))
    if path.exists() and _sources(nbformat.read(path, as_version=4)) != _sources(copy):
        changed = datetime.fromtimestamp(path.stat().st_mtime)
        path.rename(path.with_stem(f"{path.stem}_{changed:%Y-%m-%d_%H%M%S}"))
    folder.mkdir(exist_ok=True)
    nbformat.write(copy, path)
    return path


def _sources(notebook: NotebookNode) -> list[str]:
    return [cell.source for cell in notebook.cells]
