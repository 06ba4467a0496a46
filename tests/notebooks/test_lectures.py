"""Every lecture runs from top to bottom. `PRESET=lecture` runs them as they are taught."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import papermill
import pytest
from nbformat.v4 import new_code_cell, new_notebook

LECTURES = sorted(Path(__file__).parents[2].glob("notebooks/*.ipynb"))
PRESET = os.environ.get("PRESET", "smoke")
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


def outputs(notebook: Any) -> Iterator[Any]:
    """What the cells printed, and what `Output` widgets hold: papermill looks at neither for errors."""
    for cell in notebook.cells:
        yield from cell.get("outputs", [])
    for state in notebook.metadata.get("widgets", {}).values():
        for model in state["state"].values():
            yield from model["state"].get("outputs", [])


def complaints(notebook: Any) -> list[str]:
    """Errors that papermill lets pass: inside a callback, and tracebacks on stderr."""
    errors = [
        f"{out['ename']}: {out['evalue']}" for out in outputs(notebook) if out["output_type"] == "error"
    ]
    printed = [out["text"] for out in outputs(notebook) if out["output_type"] == "stream"]
    return errors + [text for text in printed if "Traceback (most recent call last)" in text]


def run(notebook: Path, result: Path) -> Any:
    # Saved once, at the end: papermill would write the whole file twice a cell, up to a fifth of the time.
    papermill.execute_notebook(
        notebook,
        result,
        {"PRESET": PRESET},
        cwd=notebook.parent,
        progress_bar=False,
        request_save_on_cell_execute=False,
        shutdown_kernel="immediate",  # a polite end takes a second
    )
    return nbformat.read(result, as_version=4)


@pytest.mark.usefixtures("warm_kernels")
@pytest.mark.parametrize("lecture", LECTURES, ids=lambda path: path.stem)
def test_lecture_runs(lecture: Path, tmp_path: Path) -> None:
    cells = nbformat.read(lecture, as_version=4).cells
    # Without the tag papermill only warns, and every preset runs the same.
    assert sum("parameters" in cell.metadata.get("tags", []) for cell in cells) == 1
    assert not complaints(run(lecture, tmp_path / lecture.name))


def test_errors_that_papermill_lets_pass_are_found(tmp_path: Path) -> None:
    # nbclient answers an Output widget on the socket where it waits for the end of the cell, and may miss the
    # end if both come at once (once in a thousand): so the cell goes on until the answer is sent.
    hidden = "import ipywidgets, time\nwith ipywidgets.Output():\n    1 / 0\ntime.sleep(2)"
    printed = "import traceback\ntry:\n    [][0]\nexcept IndexError:\n    traceback.print_exc()"
    cells = [new_code_cell(hidden), new_code_cell(printed), new_code_cell("print('all is well')")]
    nbformat.write(new_notebook(cells=cells, metadata=KERNEL), tmp_path / "in.ipynb")
    first, second = complaints(run(tmp_path / "in.ipynb", tmp_path / "out.ipynb"))
    assert "ZeroDivisionError" in first
    assert "IndexError" in second
