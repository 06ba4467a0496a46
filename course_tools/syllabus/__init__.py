"""What the course teaches, row by row: the register, and how it is searched."""

import re
import statistics
import tomllib
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

# One file a part; a cell stays empty until the thing exists.
SYLLABUS = Path(__file__).parent
FILLERS = {"a", "and", "do", "does", "how", "in", "is", "of", "the", "to", "what", "where", "with", "work"}


@dataclass(frozen=True)
class SyllabusRow:
    """One system of the syllabus, and where each of its five cells is met.

    Args:
        id: "A1", as in the syllabus.
        part: number of the part, 0–7.
        part_title: what the part is called.
        title: what the system is called.
        keywords: other names that a reader may look for.
        needs_exercise: a graded exercise is asked for; otherwise a self-check in a lecture is enough.
        needs_number: a measured number beside the published one is asked for.
        code: R, objects of the library, "module:object".
        tests: P, what proves them against something independent, "file::function".
        lectures: L, sections that teach them, "notebook#heading".
        exercises: E, "paper#grade id", or "notebook#heading" for a self-check.
        results: N, ids of `Result`.
        partial: letters of cells of which only a part is there.
    """

    id: str
    part: int
    part_title: str
    title: str
    keywords: tuple[str, ...]
    needs_exercise: bool
    needs_number: bool
    code: tuple[str, ...]
    tests: tuple[str, ...]
    lectures: tuple[str, ...]
    exercises: tuple[str, ...]
    results: tuple[str, ...]
    partial: tuple[str, ...] = ()

    @property
    def cells(self) -> dict[str, tuple[str, ...]]:
        """The five cells by letter, in the order R, P, L, E, N."""
        return {
            "R": self.code,
            "P": self.tests,
            "L": self.lectures,
            "E": self.exercises,
            "N": self.results,
        }

    @property
    def missing(self) -> tuple[str, ...]:
        """Letters of the cells that are asked for and not met in full; none means that the row is done."""
        graded = any(not reference.partition("#")[0].endswith(".ipynb") for reference in self.exercises)
        met = {letter: bool(entries) for letter, entries in self.cells.items()}
        met["E"] = graded if self.needs_exercise else met["E"]
        met["N"] = met["N"] or not self.needs_number
        return tuple(letter for letter in met if not met[letter] or letter in self.partial)

    def mark(self, letter: str) -> str:
        """How one cell is shown: ● met, ◐ met in part, ○ asked for and empty, – not asked for."""
        if letter in self.missing:
            return "◐" if self.cells[letter] else "○"
        return "●" if self.cells[letter] else "–"


@cache
def load_syllabus() -> tuple[SyllabusRow, ...]:
    """Every row of the syllabus, in teaching order."""
    rows = []
    for number, path in enumerate(sorted(SYLLABUS.glob("part*.toml"))):
        part = tomllib.loads(path.read_text(encoding="utf8"))
        for entry in part["row"]:
            lists = {key: tuple(value) for key, value in entry.items() if isinstance(value, list)}
            rows.append(SyllabusRow(**(entry | lists), part=number, part_title=part["title"]))
    return tuple(rows)


def find_rows(query: str) -> tuple[SyllabusRow, ...]:
    """Rows whose id, title or keywords come near to `query`, best first; empty when none does.

    Args:
        query: a few words, in any case; small misspellings are forgiven.

    Returns:
        The best row and those almost as near.
    """
    wanted = [word for word in _words(query) if word not in FILLERS]
    if not wanted:
        return ()
    phrase = " ".join(wanted)
    ranked = []
    for row in load_syllabus():
        entries = [" ".join(_words(text)) for text in (row.id, row.title, *row.keywords)]
        nearness = _nearness(wanted, " ".join(entries).split())
        said_so = (phrase in entries, any(phrase in entry for entry in entries))
        ranked.append((*said_so, nearness, _nearness(wanted, _words(row.title)), row))
    ranked.sort(key=lambda found: found[:4], reverse=True)
    least = max(0.75, ranked[0][2] - 0.1)
    return tuple(row for *_, nearness, _, row in ranked if nearness >= least)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _nearness(wanted: list[str], known: list[str]) -> float:
    """Mean over the wanted words of the likeness, 0–1, of the likest known word."""
    return statistics.fmean(
        max(SequenceMatcher(None, word, other).ratio() for other in known) for word in wanted
    )
