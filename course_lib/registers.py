"""The course's registers: what it teaches (`syllabus.toml`), which numbers it claims (`results/*.json`)."""

import json
import math
import os
import platform
import re
import statistics
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date
from difflib import SequenceMatcher
from functools import cache
from importlib.metadata import version
from pathlib import Path

SYLLABUS = Path(__file__).parent / "syllabus.toml"
RESULTS = Path(__file__).parent / "results"
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


@dataclass(frozen=True)
class Result:
    """One number that the course claims.

    Args:
        id: unique name, lower case, e.g. "translation-bleu-bahdanau".
        experiment: what was run; results of one experiment share a file.
        metric: what the value is, with its unit and the data it was measured on.
        value: the measured number.
        spread: standard deviation over repetitions in the unit of `value`, or None for a single run.
        published: the literature's value, or None where there is none to compare with.
        published_source: where that value stands, and how its set-up differs; "" without one.
        seed: seed of the run, or of the first of several.
        hardware: what it ran on, in words.
        date: ISO date of the run.
        command: what to type to get it again.

    Raises:
        ValueError: if the id has other characters than a–z, 0–9, "." and "-", if a number is not finite,
            if the date is not an ISO date, or if a published value comes without its source.
    """

    id: str
    experiment: str
    metric: str
    value: float
    spread: float | None
    published: float | None
    published_source: str
    seed: int
    hardware: str
    date: str
    command: str

    def __post_init__(self) -> None:
        for field in ("id", "experiment"):
            if not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", getattr(self, field)):
                raise ValueError(f"{field} is {getattr(self, field)!r}; allowed are a–z, 0–9, '.' and '-'")
        for field in ("value", "spread", "published"):
            number = getattr(self, field)
            if number is not None and not math.isfinite(number):
                raise ValueError(f"{field} of {self.id} is {number}; a finite number is needed")
        if self.published is not None and not self.published_source:
            raise ValueError(f"published_source of {self.id} is empty; a published value needs its source")
        date.fromisoformat(self.date)

    @property
    def text(self) -> str:
        """The value as people read it: four digits, with its spread where one was measured."""
        return f"{self.value:.4g}" if self.spread is None else f"{self.value:.4g} ± {self.spread:.2g}"


def new_result(
    id: str,
    experiment: str,
    metric: str,
    value: float,
    command: str,
    spread: float | None = None,
    published: float | None = None,
    published_source: str = "",
) -> Result:
    """Return a number that this machine has just measured, on one thread and with seed 0; see `Result`."""
    return Result(
        id=id,
        experiment=experiment,
        metric=metric,
        value=round(value, 4),
        spread=None if spread is None else round(spread, 4),
        published=published,
        published_source=published_source,
        seed=0,
        hardware=f"{platform.machine()}, one thread of {os.cpu_count()} cores, torch {version('torch')}",
        date=date.today().isoformat(),
        command=command,
    )


@cache
def load_syllabus() -> tuple[SyllabusRow, ...]:
    """Every row of the syllabus, in teaching order."""
    register = tomllib.loads(SYLLABUS.read_text(encoding="utf8"))
    rows = []
    for entry in register["row"]:
        lists = {key: tuple(value) for key, value in entry.items() if isinstance(value, list)}
        rows.append(SyllabusRow(**(entry | lists), part_title=register["parts"][entry["part"]]))
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


def load_results() -> tuple[Result, ...]:
    """Every number that the course claims, by experiment, in the order recorded."""
    return tuple(result for path in sorted(RESULTS.glob("*.json")) for result in _read(path))


def result(id: str) -> Result:
    """The number with this id.

    Raises:
        KeyError: if there is none; the message names those that exist.
    """
    results = {entry.id: entry for entry in load_results()}
    if id not in results:
        raise KeyError(f"no result {id!r}; there are: {', '.join(sorted(results)) or 'none yet'}")
    return results[id]


def record(*results: Result) -> None:
    """Write results to their experiments' files; a result with a known id replaces the old one."""
    for experiment in dict.fromkeys(entry.experiment for entry in results):
        path = RESULTS / f"{experiment}.json"
        kept = {entry.id: entry for entry in (_read(path) if path.exists() else ())}
        kept |= {entry.id: entry for entry in results if entry.experiment == experiment}
        text = json.dumps([asdict(entry) for entry in kept.values()], indent=2, ensure_ascii=False)
        draft = path.with_suffix(".part")
        draft.parent.mkdir(exist_ok=True)
        draft.write_text(text + "\n", encoding="utf8")
        draft.replace(path)


def _read(path: Path) -> tuple[Result, ...]:
    return _parsed(path, path.stat().st_mtime_ns)


@cache
def _parsed(path: Path, written: int) -> tuple[Result, ...]:
    """The numbers of a file as it was at that time: a lecture asks for a hundred, one by one."""
    return tuple(Result(**entry) for entry in json.loads(path.read_text(encoding="utf8")))


def markdown_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; a vertical bar inside a cell is escaped."""
    lines = [list(header)]
    lines += [["---"] * len(lines[0]), *(list(row) for row in rows)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def syllabus_markdown() -> str:
    """The index of the course: one table a part, each row with its lecture, exercise and five cells."""
    sections = []
    rows = load_syllabus()
    for part, title in dict.fromkeys((row.part, row.part_title) for row in rows):
        lines = [
            [row.id, row.title, _links(row.lectures), _links(row.exercises), *map(row.mark, row.cells)]
            for row in rows
            if row.part == part
        ]
        table = markdown_table(["", "system", "lecture", "exercise", "R", "P", "L", "E", "N"], lines)
        sections.append(f"### Part {part} · {title}\n\n{table}")
    return "\n\n".join(sections)


def _links(references: tuple[str, ...]) -> str:
    """Sections of lectures as links, seen from the lectures' folder; exercises as their papers' names."""
    shown = []
    for reference in references:
        place, _, heading = reference.partition("#")
        link = f"[{place.partition('_')[0]} {heading}]({place}#{heading.replace(' ', '-')})"
        shown.append(link if place.endswith(".ipynb") else place)
    return " · ".join(dict.fromkeys(shown))


def headline_results() -> tuple[Result, ...]:
    """The numbers that stand in the syllabus, in its order: few enough for a README."""
    named = dict.fromkeys(id for row in load_syllabus() for id in row.results)
    return tuple(result(id) for id in named)


def results_markdown(results: Iterable[Result]) -> str:
    """Numbers beside the published ones, as a Markdown table."""
    return markdown_table(
        ["what", "ours", "published", "source of the published value", "command"],
        (
            [
                entry.metric,
                entry.text,
                "–" if entry.published is None else f"{entry.published:.4g}",
                entry.published_source or "–",
                f"`{entry.command}`",
            ]
            for entry in results
        ),
    )


def write_results_into(path: Path) -> None:
    """Replace what stands between `<!-- results -->` and `<!-- end of results -->` by the syllabus's numbers.

    Raises:
        ValueError: if the file lacks one of the two marks.
    """
    text = path.read_text(encoding="utf8")
    before, opening, rest = text.partition("<!-- results -->\n")
    _, closing, after = rest.partition("<!-- end of results -->")
    if not (opening and closing):
        raise ValueError(f"{path} has no block between <!-- results --> and <!-- end of results -->")
    path.write_text(
        f"{before}{opening}\n{results_markdown(headline_results())}\n\n{closing}{after}", encoding="utf8"
    )
