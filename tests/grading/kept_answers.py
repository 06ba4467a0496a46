"""Other answers to an exercise, right and wrong, that staff keep beside its paper.

`solutions/<paper>/answers/<exercise>.py` holds those of one exercise, which is called like the grade id of
its answer cell. Each answer is a cell of the percent format, whole, as a student would hand it in:

    # %% wrong: no penalty
    # The misconception, in a sentence.
    # Message: <what the student must read>


    def answer(…): …


    # %% right: loops
    # What is written differently.


    def answer(…): …
"""

import ast
import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

ALLOWED = "`# %% right: <name>` or `# %% wrong: <name>`, the name in letters, digits and single spaces"
_MARKER = re.compile(r"# %% (?P<kind>right|wrong): (?P<name>[A-Za-z0-9]+(?: [A-Za-z0-9]+)*)")
_MESSAGE = "# Message: "


@dataclass(frozen=True)
class Answer:
    """An answer that staff keep.

    Attributes:
        exercise: the grade id of the answer cell.
        kind: right or wrong.
        name: what is special about it, in a few words.
        note: the misconception, or what is written differently.
        message: the part of the message that names the misconception; empty for a right answer.
        source: the code.
    """

    exercise: str
    kind: str
    name: str
    note: str
    message: str
    source: str

    def __str__(self) -> str:
        return f"{self.exercise}/{self.kind}_{self.name.replace(' ', '_')}"


def read_answers(folder: Path, exercises: Collection[str]) -> list[Answer]:
    """Return all answers that are kept beside a paper.

    Args:
        folder: the paper's `answers`.
        exercises: those of the paper.

    Raises:
        ValueError: a file that belongs to no exercise, or a cell that is not as described above; the message
            names file, line and what is allowed.
    """
    found: list[Answer] = []
    for path in sorted(folder.rglob("*.py")):
        if path.parent != folder or path.stem not in exercises:
            allowed = ", ".join(f"{exercise}.py" for exercise in exercises)
            raise ValueError(f"{path}: there is no such exercise; allowed are {allowed}")
        found += _read(path)
    return found


def _read(path: Path) -> list[Answer]:
    lines = path.read_text(encoding="utf-8").split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith("# %%")]
    if any(line.strip() for line in lines[: starts[0] if starts else None]):
        raise ValueError(f"{path}, line 1: an answer starts with {ALLOWED}")
    found: dict[str, Answer] = {}
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        place = f"{path}, line {start + 1}"
        answer = _answer(path.stem, lines[start:end], place)
        if str(answer) in found:
            raise ValueError(f"{place}: there is a {answer.kind} {answer.name!r} already; a name comes once")
        found[str(answer)] = answer
    return list(found.values())


def _answer(exercise: str, lines: list[str], place: str) -> Answer:
    marker = _MARKER.fullmatch(lines[0])
    if marker is None:
        raise ValueError(f"{place}: {lines[0]!r} marks no answer; allowed is {ALLOWED}")
    notes = list(takewhile(lambda line: line.startswith("# "), lines[1:]))
    source = "\n".join(lines[1 + len(notes) :]).strip("\n")
    message = notes.pop().removeprefix(_MESSAGE).strip() if notes and notes[-1].startswith(_MESSAGE) else ""
    note = "\n".join(line.removeprefix("# ").strip() for line in notes)
    kind = marker["kind"]
    if not note:
        raise ValueError(f"{place}: under the marker, a comment line should say what the answer does")
    if kind == "wrong" and not message:
        raise ValueError(
            f"{place}: the last comment line under the marker of a wrong answer should be "
            f"'{_MESSAGE}' and what the student must read"
        )
    if kind == "right" and message:
        raise ValueError(f"{place}: a right answer has full marks and no '{_MESSAGE}'")
    if not ast.parse(source, place).body:
        raise ValueError(f"{place}: the answer is empty; under its comment lines there should be code")
    return Answer(exercise, kind, marker["name"], note, message, source)
