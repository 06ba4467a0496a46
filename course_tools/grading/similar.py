"""Answers that are alike beyond what the paper gives: a hint for a person, never a verdict.

An answer becomes a row of tokens, in which all variables are called the same; comments and layout are gone.
Two answers are compared by the runs of tokens that both have (Schleimer, Wilkerson and Aiken 2003, without
their sampling: a class is small). What stands in the paper or in the work of many does not count.
"""

import io
import keyword
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from course_tools.grading.session import graded_notebooks

RUN = 10  # tokens or words in a row
ALIKE = 0.5  # this share of the runs of the shorter answer; independent right answers have up to 0.3
LEAST = 20  # runs in common; two lines that are alike say nothing
MANY = 0.25  # of the class: what so many write is how one writes it
FEW = 3  # in a small class, what so few write may still be a copy

_SKIPPED = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
Run = tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """One answer of one student.

    Attributes:
        student: the student's name.
        exercise: the grade id of the answer.
        source: the text of the cell.
        runs: the numbers of the lines that each run of tokens spans.
    """

    student: str
    exercise: str
    source: str
    runs: dict[Run, set[int]]


@dataclass(frozen=True)
class Pair:
    """Two answers to one exercise that are alike.

    Attributes:
        first: an answer.
        second: the other.
        share: of the runs of the shorter one, 0…1, how many the other has too.
        common: these runs.
    """

    first: Answer
    second: Answer
    share: float
    common: frozenset[Run]


def read_answers(paper: str, course_dir: Path) -> list[Answer]:
    """Return all answers of a graded paper, without what the paper gives.

    Args:
        paper: a name, such as `ps04_attention`.
        course_dir: the folder that holds the course.

    Raises:
        ValueError: there is no such paper, it is not released, or nothing of it is graded yet.
    """
    import nbformat

    graded = graded_notebooks(paper, course_dir)
    released = course_dir / "assignments" / paper / f"{paper}.ipynb"
    if not released.is_file():
        raise ValueError(f"paper is {paper!r}: it is not released; run `course release {paper}` first")
    given = {cell.source for cell in _answer_cells(nbformat.read(released, as_version=4))}
    stubs = {run for source in given for kind in ("code", "markdown") for run in runs(source, kind)}
    found = []
    for student, path in graded.items():
        for cell in _answer_cells(nbformat.read(path, as_version=4)):
            own = {run: lines for run, lines in runs(cell.source, cell.cell_type).items() if run not in stubs}
            found.append(Answer(student, cell.metadata.nbgrader.grade_id, cell.source, own))
    return found


def find_pairs(answers: list[Answer]) -> list[Pair]:
    """Return the pairs of answers that are alike, those with the most in common first."""
    pairs = []
    for exercise in dict.fromkeys(answer.exercise for answer in answers):
        ours = [answer for answer in answers if answer.exercise == exercise]
        often = Counter(run for answer in ours for run in answer.runs)
        common_to_many = max(FEW, MANY * len(ours))
        rare = [frozenset(run for run in answer.runs if often[run] <= common_to_many) for answer in ours]
        for (first, mine), (second, theirs) in combinations(zip(ours, rare, strict=True), 2):
            common, shorter = mine & theirs, min(len(first.runs), len(second.runs))
            if len(common) >= LEAST and len(common) >= ALIKE * shorter:
                pairs.append(Pair(first, second, len(common) / shorter, common))
    return sorted(pairs, key=lambda pair: -len(pair.common))


def runs(source: str, kind: str) -> dict[Run, set[int]]:
    """Return the runs of tokens of a code cell, or of words of a text, with the lines that they span."""
    found: dict[Run, set[int]] = {}
    parts = list(_tokens(source) if kind == "code" else _words(source))
    for start in range(len(parts) - RUN + 1):
        part = parts[start : start + RUN]
        found.setdefault(tuple(text for text, _ in part), set()).update(line for _, line in part)
    return found


def _answer_cells(notebook: Any) -> Iterator[Any]:
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            yield cell


def _words(text: str) -> Iterator[tuple[str, int]]:
    for number, line in enumerate(text.split("\n"), start=1):
        for word in re.findall(r"\w+", line.casefold()):
            yield word, number


def _tokens(source: str) -> Iterator[tuple[str, int]]:
    """Yield the tokens with their lines; a name that is neither called nor an attribute is a variable."""
    tokens = list(_without_layout(source))
    for position, token in enumerate(tokens):
        text = token.string
        if token.type == tokenize.NAME and not keyword.iskeyword(text):
            before = tokens[position - 1].string if position else ""
            after = tokens[position + 1].string if position + 1 < len(tokens) else ""
            text = text if before == "." or after == "(" else "variable"
        elif token.type == tokenize.STRING:
            text = "text"
        yield text, token.start[0]


def _without_layout(source: str) -> Iterator[tokenize.TokenInfo]:
    """Yield tokens that compute something: no comments, and no text that is a line of its own."""
    starts = True
    for token in _readable(source):
        if token.type == tokenize.NEWLINE:
            starts = True
        elif token.type not in _SKIPPED:
            if not (starts and token.type == tokenize.STRING):
                yield token
            starts = False


def _readable(source: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(source).readline)
    except (tokenize.TokenError, SyntaxError):  # what stands before the fault is there
        return
