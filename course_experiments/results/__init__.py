"""The numbers that the course claims, in JSON files beside this one: one file an experiment."""

import json
import math
import os
import platform
import re
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).parent


@dataclass(frozen=True)
class Measurement:
    """One number, as an experiment found it.

    Args:
        id: unique name, lower case, e.g. "translation-bleu-bahdanau".
        experiment: what was run; results of one experiment share a file.
        metric: what the value is, with its unit and the data it was measured on.
        value: the measured number.
        spread: standard deviation over repetitions in the unit of `value`, or None for a single run.
        published: the literature's value, or None where there is none to compare with.
        published_source: where that value stands, and how its set-up differs; "" without one.

    Raises:
        ValueError: if the id has other characters than a–z, 0–9, "." and "-", if a number is not finite,
            or if a published value comes without its source.
    """

    id: str
    experiment: str
    metric: str
    value: float
    spread: float | None = None
    published: float | None = None
    published_source: str = ""

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

    @property
    def text(self) -> str:
        """The value as people read it: four digits, with its spread where one was measured."""
        return f"{self.value:.4g}" if self.spread is None else f"{self.value:.4g} ± {self.spread:.2g}"

    def __format__(self, specification: str) -> str:
        """Write the value, with its spread where one was measured, both in the same format."""
        if not specification:
            return self.text
        value = format(self.value, specification)
        return value if self.spread is None else f"{value} ± {format(self.spread, specification)}"


@dataclass(frozen=True, kw_only=True)
class Result(Measurement):
    """One number that the course claims: a measurement, and how it came about.

    Args:
        seed: seed of the run, or of the first of several.
        hardware: what it ran on, in words.
        date: ISO date of the run.
        command: what to type to get it again.

    Raises:
        ValueError: see `Measurement`; or the date is not an ISO date.
    """

    seed: int
    hardware: str
    date: str
    command: str

    def __post_init__(self) -> None:
        super().__post_init__()
        date.fromisoformat(self.date)


def new_result(measured: Measurement, command: str) -> Result:
    """Return a number that this machine has just measured, on one thread and from seed 0, as a result.

    Args:
        measured: the number; it is rounded to four decimal places.
        command: what measured it.
    """
    spread = None if measured.spread is None else round(measured.spread, 4)
    return Result(
        **{**asdict(measured), "value": round(measured.value, 4), "spread": spread},
        seed=0,
        hardware=f"{platform.machine()}, one thread of {os.cpu_count()} cores, torch {version('torch')}",
        date=date.today().isoformat(),
        command=command,
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
