"""A paper as a student and a marker meet it: its cells, its marks, and a run in a real kernel."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
from nbclient import NotebookClient

PAPERS = tuple(sorted((Path(__file__).parents[2] / "solutions").glob("*/*.ipynb")))


def read(paper: str | Path) -> Any:
    """Return a solved paper, by its path or its name."""
    path = paper if isinstance(paper, Path) else next(path for path in PAPERS if path.stem == paper)
    return nbformat.read(path, as_version=4)


def marks(notebook: Any) -> dict[str, Any]:
    """Return nbgrader's metadata of each cell that has some, by cell id."""
    return {cell.id: cell.metadata.nbgrader for cell in notebook.cells if "nbgrader" in cell.metadata}


def functions(paper: str) -> SimpleNamespace:
    """Return what the answers of a solved paper define."""
    notebook = read(paper)
    names: dict[str, Any] = {}
    for cell in notebook.cells:
        mark = marks(notebook).get(cell.id)
        if cell.cell_type == "code" and mark and not mark.grade:
            exec(cell.source, names)
    return SimpleNamespace(**names)


def execute(notebook: Any, folder: Path) -> dict[str, Any]:
    """Run a paper, past errors; return the outputs of each code cell, by cell id."""
    client = NotebookClient(
        notebook,
        timeout=60,
        allow_errors=True,
        shutdown_kernel="immediate",  # a polite end takes a second
        resources={"metadata": {"path": folder}},
    )
    client.execute()
    return {cell.id: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}


def run_with_answer(notebook: Any, grade_id: str, answer: str, folder: Path) -> dict[str, Any]:
    """Put an answer into its cell, run the paper up to its two test cells; return the outputs."""
    cell = next(cell for cell in notebook.cells if cell.id == grade_id)
    cell.source = answer
    notebook.cells = notebook.cells[: notebook.cells.index(cell) + 3]
    return execute(notebook, folder)
