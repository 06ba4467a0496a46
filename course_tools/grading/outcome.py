"""What a submission is run with and what becomes of it, as plain data that travels between processes."""

from dataclasses import dataclass, field
from typing import Any

from course_tools.sandbox.walls import Limits


@dataclass(frozen=True)
class Times:
    """How long students' code may take, in seconds.

    Attributes:
        cell: one cell.
        paper: all cells of one submission.
    """

    cell: float = 120
    paper: float = 600


@dataclass
class Executed:
    """What became of a submission that was run.

    Attributes:
        notebook: with the outputs of all its cells.
        status: "timed_out", "crashed", "tampered", or "" where nothing of that happened.
        unknown: grade ids of tests that could not be run; a person marks them.
        notes: what happened, in plain words.
    """

    notebook: Any
    status: str = ""
    unknown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Setup:
    """What a worker needs to know beside a submission; plain text and numbers, so that it travels.

    Attributes:
        paper: the paper's notebook, with hidden tests, as JSON.
        wall: what stands around students' code, by name.
        limits: what it may use.
        times: how long it may take.
    """

    paper: str
    wall: str
    limits: Limits
    times: Times


@dataclass(frozen=True)
class Failed:
    """A submission that could not be run, through no fault of its own.

    Attributes:
        reason: why.
    """

    reason: str
