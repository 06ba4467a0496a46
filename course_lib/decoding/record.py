"""The record of a beam search: its tree, node by node, in the order in which the nodes were scored."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from course_lib.decoding.penalty import LengthPenalty
from course_lib.traces import BeamTrace


class Candidate(NamedTuple):
    """One continuation of one open prefix."""

    total: float
    parent: int  # position of the prefix among the open ones of its sentence
    token: int
    log_prob: float


@dataclass
class Record:
    """The nodes of one search, in the order in which they were scored."""

    penalty: LengthPenalty
    formula: str
    pieces: Sequence[str]
    reference: tuple[int, ...] | None = None
    parent: list[int] = field(default_factory=lambda: [-1])
    step: list[int] = field(default_factory=lambda: [0])
    token_id: list[int] = field(default_factory=lambda: [-1])
    log_prob: list[float] = field(default_factory=lambda: [0.0])
    total: list[float] = field(default_factory=lambda: [0.0])
    rank: list[int] = field(default_factory=lambda: [0])
    status: list[str] = field(default_factory=lambda: ["kept"])
    coverage: list[float] = field(default_factory=lambda: [0.0])

    def add(self, parent: int, candidate: Candidate, rank: int, status: str, coverage: float) -> int:
        """Return the number of the new node."""
        self.parent.append(parent)
        self.step.append(self.step[parent] + 1)
        self.token_id.append(candidate.token)
        self.log_prob.append(candidate.log_prob)
        self.total.append(candidate.total)
        self.rank.append(rank)
        self.status.append(status)
        self.coverage.append(coverage)
        return len(self.parent) - 1

    def trace(self, best: int, beam_size: int, source: str) -> BeamTrace:
        """Freeze the record."""
        reference = self.reference
        scores = [
            self.penalty.score(total, step) + coverage if step else 0.0
            for total, step, coverage in zip(self.total, self.step, self.coverage, strict=True)
        ]
        return BeamTrace(
            parent=self.parent,
            step=self.step,
            token_id=self.token_id,
            token=("<s>", *(self.pieces[i] for i in self.token_id[1:])),
            log_prob=self.log_prob,
            total=self.total,
            score=scores,
            rank=self.rank,
            status=tuple(self.status),
            best=best,
            beam_size=beam_size,
            penalty=self.formula,
            source=source,
            reference=reference,
            reference_token=None if reference is None else tuple(self.pieces[i] for i in reference),
        )
