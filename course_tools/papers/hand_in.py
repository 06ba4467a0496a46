"""From a student's notebook to the one file that is handed in."""

import os
from collections.abc import Callable
from pathlib import Path

from course_tools.papers.check import Outcome, Run, Work, in_words, name_of
from course_tools.papers.kernel import NOT_RUN

FOLDER = "handed_in"


def faults(work: Work, report: Callable[[Outcome], object] = lambda outcome: None) -> list[str]:
    """Run all cells of a student's notebook in a fresh Python, in order, and say what is not as it should be.

    Args:
        work: the student's notebook.
        report: called with the outcome of each exercise as soon as it is known.

    Returns:
        One line for each exercise that is not finished and each own cell that stops; empty if all is well.
    """
    run = Run(work, work.paper.exercises, report)
    run([cell for cell in work.notebook.cells if cell.cell_type == "code"])
    found = [
        f"exercise {outcome.exercise.label} is {outcome.state}"
        for outcome in run.outcomes
        if not outcome.finished
    ]
    for cell in work.notebook.cells:
        error, text = run.errors.get(cell.id, ("", ""))
        if error not in ("", NOT_RUN) and not name_of(cell) and not work.is_shown(cell):
            begin = cell.source.strip().partition("\n")[0][:60]
            found.append(f"your own cell that begins with {begin!r}: {in_words(error, text)}")
    return found


def hand_in(work: Work) -> Path:
    """Write the file to hand in: the paper with the student's answers and own cells, without outputs.

    Args:
        work: the student's notebook.

    Returns:
        Its path, in the folder `handed_in` beside the notebook. A file that was written there before stays
        under another name if it differs.
    """
    import nbformat

    folder = work.path.parent / FOLDER
    folder.mkdir(exist_ok=True)
    path = folder / f"{work.paper.name}.ipynb"
    for cell in work.notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    text = nbformat.writes(work.notebook)
    fresh = path.with_suffix(".tmp")
    fresh.write_text(text, encoding="utf-8")
    if path.exists() and path.read_bytes() != fresh.read_bytes():
        os.replace(path, _free(path))
    os.replace(fresh, path)
    return path


def _free(path: Path) -> Path:
    number = 1
    while (other := path.with_name(f"{path.stem}.earlier-{number}.ipynb")).exists():
        number += 1
    return other
