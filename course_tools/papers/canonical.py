"""The notebook that is graded: the student's answers in the course's own paper."""

from collections import defaultdict
from copy import deepcopy
from typing import Any


class SubmissionError(Exception):
    """A submission that cannot be graded.

    Attributes:
        status: `refused`, `missing_notebook` or `unreadable`.
    """

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


def canonicalise(release: Any, submitted: dict[str, Any]) -> tuple[Any, list[str]]:
    """Put a student's answers, by grade id, into the released paper; by cell id where that was lost.

    Tests, points, order and kernel are the release's. An answer that is there more than once is joined in
    order, as running the notebook from top to bottom would. Cells of the student's own stay where they
    were, before the same cell of the paper.

    Args:
        release: the released notebook, as nbformat reads it.
        submitted: the submitted notebook as plain JSON; anything may be in it.

    Returns:
        `(notebook, notes)`: the notebook to grade, and in plain words what was missing, doubled, edited
        or moved.

    Raises:
        SubmissionError: none of the paper's answer cells is in the notebook.
    """
    paper = {_grade_id(cell): cell for cell in release.cells if _grade_id(cell)}
    ids = {cell.get("id"): name for name, cell in paper.items()}
    released_text = {_words(cell.source) for cell in release.cells}
    given: dict[str, list[dict[str, Any]]] = defaultdict(list)
    own: dict[str, list[dict[str, Any]]] = defaultdict(list)
    waiting: list[dict[str, Any]] = []
    for cell in submitted["cells"]:
        if not isinstance(cell, dict):
            continue
        name = _grade_id(cell) or ids.get(_id(cell), "")
        if name in paper:
            own[name] += waiting
            waiting = []
            given[name].append(cell)
        elif cell.get("cell_type") in ("code", "markdown") and _words(_source(cell)) not in released_text:
            waiting.append(cell)

    answers = [name for name, cell in paper.items() if _is_answer(cell)]
    if not any(name in given for name in answers):
        raise SubmissionError(
            "unreadable", "none of the paper's answer cells is there: another notebook, or no metadata"
        )

    notebook = deepcopy(release)
    notebook.cells = []
    for cell in deepcopy(release.cells):
        name = _grade_id(cell)
        notebook.cells += [_own_cell(extra) for extra in own.get(name, [])]
        if name in answers and name in given:
            cell.source = _join(given[name], cell.source)
            _attach(given[name], cell)
        notebook.cells.append(cell)
    notebook.cells += [_own_cell(extra) for extra in waiting]
    for position, cell in enumerate(notebook.cells):
        cell.setdefault("id", f"own-{position}")
    return notebook, _notes(release, submitted, paper, given)


def with_hidden_tests(notebook: Any, source: Any) -> Any:
    """Put a paper's whole tests into a notebook whose tests are the released ones.

    Args:
        notebook: in canonical form, or the released one.
        source: the notebook that has the hidden tests.

    Returns:
        A copy.
    """
    tests = {_grade_id(cell): cell.source for cell in source.cells if not _is_answer(cell)}
    whole = deepcopy(notebook)
    for cell in whole.cells:
        if _mark(cell).get("grade") and not _is_answer(cell):
            cell.source = tests[_grade_id(cell)]
    return whole


def _notes(
    release: Any, submitted: dict[str, Any], paper: dict[str, Any], given: dict[str, Any]
) -> list[str]:
    notes = []
    for name, cell in paper.items():
        kind = "answer" if _is_answer(cell) else "test" if _mark(cell).get("grade") else "text"
        copies = given.get(name, [])
        if not copies:
            notes.append(f"{kind} cell {name!r} was missing")
        if len(copies) > 1:
            notes.append(f"{kind} cell {name!r} was there {len(copies)} times")
        if kind != "answer" and any(_words(_source(copy)) != _words(cell.source) for copy in copies):
            notes.append(f"{kind} cell {name!r} was edited (the paper's own was used)")
        if any(_mark(copy) and _mark(copy).get("points") != _mark(cell).get("points") for copy in copies):
            notes.append(f"the points of {name!r} were edited (the paper's own were used)")
        if any(copy.get("cell_type") != cell.cell_type for copy in copies):
            notes.append(f"the type of cell {name!r} was changed")
    if list(given) != [name for name in paper if name in given]:
        notes.append("cells were in another order (the paper's own was used)")
    if any(not _mark(copy) for copies in given.values() for copy in copies):
        notes.append("cells had lost their marks and were found by their ids")
    kernel, expected = _kernel(submitted), _kernel(release)
    if kernel != expected:
        notes.append(f"the kernel was {kernel!r} ({expected!r} was used)")
    return notes


def _mark(cell: Any) -> dict[str, Any]:
    metadata = cell.get("metadata")
    mark = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return mark if isinstance(mark, dict) else {}


def _grade_id(cell: Any) -> str:
    name = _mark(cell).get("grade_id")
    return name if isinstance(name, str) else ""


def _id(cell: Any) -> str:
    return name if isinstance(name := cell.get("id"), str) else ""


def _is_answer(cell: Any) -> bool:
    return bool(_mark(cell).get("solution"))


def _source(cell: Any) -> str:
    lines = cell.get("source", "")
    text = "".join(map(str, lines)) if isinstance(lines, list) else str(lines)
    return text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def _words(text: str) -> str:
    """What a person wrote: editors and systems change the ends of lines and of the file by themselves."""
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def _join(copies: list[dict[str, Any]], stub: str) -> str:
    sources = [_source(copy) for copy in copies]
    return "\n\n".join([source for source in sources if _words(source) != _words(stub)] or [stub])


def _attach(copies: list[dict[str, Any]], cell: Any) -> None:
    """Keep the pictures that were pasted into a written answer."""
    if cell.cell_type == "markdown":
        kept = {
            name: {kind: data for kind, data in files.items() if isinstance(data, str)}
            for copy in copies
            if isinstance(copy.get("attachments"), dict)
            for name, files in copy["attachments"].items()
            if isinstance(files, dict)
        }
        if kept:
            cell.attachments = kept


def _own_cell(given: dict[str, Any]) -> Any:
    from nbformat.v4 import new_code_cell, new_markdown_cell

    new = new_code_cell if given["cell_type"] == "code" else new_markdown_cell
    cell = new(_source(given))
    del cell["id"]
    _attach([given], cell)
    return cell


def _kernel(notebook: Any) -> str:
    metadata = notebook.get("metadata")
    spec = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    return str(spec.get("name", ""))[:40] if isinstance(spec, dict) else ""
