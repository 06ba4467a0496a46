"""Beam search: keep the k best prefixes, and look at all their continuations at every step.

A prefix that ends with the end-of-sentence token leaves the beam and is finished. Its place goes to the
next best prefix, so k prefixes go on whatever finishes: finished hypotheses neither expand nor shrink
the beam.
The search ends when no open prefix can still beat the k-th best finished hypothesis, or at the limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.decoding.greedy import Hypothesis, check_limit
from course_lib.decoding.penalty import CoveragePenalty, LengthPenalty
from course_lib.decoding.record import Candidate, Record
from course_lib.decoding.state import AttentiveNextToken, NextToken, reorder
from course_lib.traces import BeamTrace

PRUNED_SHOWN = 2  # of each expanded prefix, this many of its best pruned continuations are recorded


@dataclass(frozen=True)
class SearchResult:
    """What beam search found for one sentence, best hypothesis first."""

    hypotheses: tuple[Hypothesis, ...]
    trace: BeamTrace | None  # the whole search, where it was recorded


class Prefix(NamedTuple):
    """An open hypothesis."""

    tokens: tuple[int, ...]
    total: float  # sum of log-probabilities
    node: int  # its number in the record
    coverage: float = 0.0  # its coverage penalty so far, at most 0


def _order(candidate: Candidate) -> tuple[float, int, int]:
    """Best first; of equally probable ones that of the better prefix, then of the smaller token."""
    return -candidate.total, candidate.parent, candidate.token


class Beam:
    """The search of one sentence: open prefixes, finished hypotheses, and the record if one is kept."""

    def __init__(
        self,
        size: int,
        eos: int | None,
        max_length: int,
        penalty: LengthPenalty,
        coverage: CoveragePenalty | None,
        pieces: Sequence[str] | None,
        reference: Sequence[int] | None,
    ) -> None:
        self.size, self.eos, self.max_length, self.penalty = size, eos, max_length, penalty
        formula = f"{penalty.formula} + {coverage.formula}" if coverage else penalty.formula
        self.reference = None if reference is None else tuple(reference)
        self.record = None if pieces is None else Record(penalty, formula, pieces, self.reference)
        self.open = [Prefix((), 0.0, 0)]
        self.finished: list[tuple[Hypothesis, int]] = []

    def advance(
        self, best: list[list[tuple[float, int]]], log_probs: Tensor, coverage: Sequence[float]
    ) -> list[int]:
        """Take one step.

        Args:
            best: of each open prefix its `size + 1` best (log-probability, token): at most one of them ends
                the sentence, so these hold all that can stay.
            log_probs: of each open prefix all log-probabilities; used for the record only.
            coverage: of each open prefix the coverage penalty after this step, whatever token it writes.

        Returns:
            the positions, among the prefixes open before, that the now open ones continue.
        """
        candidates = sorted(
            (
                Candidate(prefix.total + log_prob, i, token, log_prob)
                for i, prefix in enumerate(self.open)
                for log_prob, token in best[i]
                if log_prob > -torch.inf
            ),
            key=_order,
        )
        before, self.open, origins = self.open, [], []
        followed = self._reference(before, log_probs)
        if followed and followed not in candidates:
            candidates = sorted([*candidates, followed], key=_order)
        pruned_shown = [0] * len(before)
        place = -1  # in the record: among all continuations, also those that are not in `best`
        for rank, candidate in enumerate(candidates):
            prefix = before[candidate.parent]
            ends = candidate.token == self.eos
            status = "finished" if ends and rank < self.size else "kept"
            if len(self.open) == self.size or (ends and rank >= self.size):
                status = "pruned"
                if self.record is None:
                    continue
                pruned_shown[candidate.parent] += 1
                if pruned_shown[candidate.parent] > PRUNED_SHOWN and candidate != followed:
                    continue
            node, covered = 0, coverage[candidate.parent]
            if self.record:
                place = max(place + 1, self._more_probable(candidate, before, log_probs))
                node = self.record.add(prefix.node, candidate, place, status, covered)
            tokens = (*prefix.tokens, candidate.token)
            if status == "finished":
                score = self.penalty.score(candidate.total, len(tokens)) + covered
                self.finished.append((Hypothesis(tokens, candidate.total, score, True), node))
            elif status == "kept":
                self.open.append(Prefix(tokens, candidate.total, node, covered))
                origins.append(candidate.parent)
        return origins

    def _reference(self, before: list[Prefix], log_probs: Tensor) -> Candidate | None:
        """Return how the reference goes on, while it is in the beam and only if there is a record.

        One that is not among its prefix's `size + 1` best can't stay; the record shows where it fell out.
        """
        written = len(before[0].tokens)
        if self.record is None or self.reference is None or written >= len(self.reference):
            return None
        token = self.reference[written]
        if token >= log_probs.shape[1]:
            raise ValueError(f"references hold token {token}; the vocabulary has {log_probs.shape[1]}")
        for i, prefix in enumerate(before):
            if prefix.tokens == self.reference[:written]:
                log_prob = float(log_probs[i, token])
                return (
                    Candidate(prefix.total + log_prob, i, token, log_prob) if log_prob > -torch.inf else None
                )
        return None

    def _more_probable(self, candidate: Candidate, before: list[Prefix], log_probs: Tensor) -> int:
        """Count the continuations of this step that are more probable than a candidate."""
        totals = torch.tensor(
            [prefix.total for prefix in before], dtype=torch.float64, device=log_probs.device
        )
        totals = totals.unsqueeze(1)
        return int((totals + log_probs.double() > candidate.total).sum())

    @property
    def done(self) -> bool:
        """Whether nothing that is still open can enter the k best."""
        if not self.open or len(self.open[0].tokens) == self.max_length:
            return True
        if len(self.finished) < self.size:
            return False
        worst = sorted((hypothesis.score for hypothesis, _ in self.finished), reverse=True)[self.size - 1]
        # A total can only fall, a length penalty is mildest at the greatest length, and coverage can become
        # complete.
        return all(self.penalty.score(prefix.total, self.max_length) <= worst for prefix in self.open)

    def result(self, source: str) -> SearchResult:
        """Rank what was found: finished hypotheses first, then, up to k, those that the limit cut off."""
        scores = [self.penalty.score(p.total, len(p.tokens)) + p.coverage for p in self.open if p.tokens]
        unfinished = [
            (Hypothesis(p.tokens, p.total, score, False), p.node)
            for p, score in zip(self.open, scores, strict=False)
        ]
        ranked = sorted(self.finished, key=lambda found: -found[0].score)
        ranked += sorted(unfinished, key=lambda found: -found[0].score)
        if not ranked:
            raise ValueError("the model gives every token probability 0")
        trace = self.record.trace(ranked[0][1], self.size, source) if self.record else None
        return SearchResult(tuple(hypothesis for hypothesis, _ in ranked[: self.size]), trace)


def likeliest(
    log_probs: Float[Tensor, "batch vocabulary"], count: int
) -> tuple[Float[Tensor, "batch count"], Int[Tensor, "batch count"]]:
    """Return the likeliest tokens of each row; of equally likely ones, those of smaller number."""
    values, ids = log_probs.topk(min(count, log_probs.shape[-1]), dim=-1)
    least = values[:, -1:]
    if ((log_probs >= least) & (least > -torch.inf)).sum() > values.numel():  # topk takes any of them
        values, ids = log_probs.sort(dim=-1, descending=True, stable=True)
        values, ids = values[:, :count], ids[:, :count]
    return values, ids


@torch.no_grad()
def beam_search(
    step: NextToken | AttentiveNextToken,
    state: Any,
    first: Int[Tensor, "batch"],
    eos: int | None,
    max_length: int,
    beam_size: int,
    penalty: LengthPenalty = LengthPenalty(),
    pieces: Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
    coverage: CoveragePenalty | None = None,
    keep: Bool[Tensor, "batch source"] | None = None,
    references: Sequence[Sequence[int]] | None = None,
) -> list[SearchResult]:
    """Search a batch of sentences; each is searched as if it were alone.

    Args:
        step: the next-token distribution; with `coverage`, one that returns its attention weights too.
        state: the state before the first token, one row a sentence.
        first: the token that each sentence begins with.
        eos: the token that ends a sentence; None where nothing does.
        max_length: most tokens to generate, the end-of-sentence token counted; at least 1.
        beam_size: k, the number of prefixes kept; at least 1. With 1, and no penalty, this is greedy search.
        penalty: how finished hypotheses of different length are compared.
        pieces: the text of each token; where given, every result holds its search as a trace.
        sources: the sentences' text, for the traces.
        coverage: compares finished hypotheses by how much of the source they looked at; None does not.
        keep: False at the source's padding, for `coverage`; None where there is none.
        references: token ids that somebody else holds to be right, one sequence a sentence, without the
            begin-of-sentence token; the record shows how far the beam followed them. They change no search.

    Returns:
        up to k hypotheses a sentence, best first: the finished ones by score, then unfinished ones.

    Raises:
        ValueError: `max_length` or `beam_size` is below 1, no token has a probability above 0, or `coverage`
            is asked for and the step returns no weights.
    """
    check_limit(max_length)
    if beam_size < 1:
        raise ValueError(f"beam_size is {beam_size}; allowed is 1 or more")
    held = references if references is not None else [None] * len(first)
    beams = [
        Beam(beam_size, eos, max_length, penalty, coverage, pieces, reference)
        for _, reference in zip(first, held, strict=True)
    ]
    active = beams
    tokens, covered = first, None
    while active:
        log_probs, state, *looked = step(tokens, state)
        scores = [0.0] * len(log_probs)
        if coverage is not None:
            weights = _weights(looked)
            covered = weights if covered is None else covered + weights
            keep = torch.ones_like(covered, dtype=torch.bool) if keep is None else keep
            scores = coverage.score(covered, keep).tolist()
        values, ids = likeliest(log_probs, beam_size + 1)
        best = [list(zip(*row, strict=True)) for row in zip(values.tolist(), ids.tolist(), strict=True)]
        chosen: list[int] = []
        following: list[int] = []
        still_active = []
        row = 0
        for beam in active:
            rows = slice(row, row + len(beam.open))
            origins = beam.advance(best[rows], log_probs[rows], scores[rows])
            if not beam.done:
                chosen += [row + origin for origin in origins]
                following += [prefix.tokens[-1] for prefix in beam.open]
                still_active.append(beam)
            row = rows.stop
        active = still_active
        index = torch.tensor(chosen, dtype=torch.long, device=first.device)
        state, covered, keep = reorder((state, covered, keep), index)
        tokens = torch.tensor(following, dtype=first.dtype, device=first.device)
    texts = sources if sources is not None else [""] * len(beams)
    return [beam.result(text) for beam, text in zip(beams, texts, strict=True)]


def _weights(looked: Sequence[Tensor | None]) -> Tensor:
    """Return the attention weights that a step gave beside log-probabilities and state."""
    if not looked or looked[0] is None:
        raise ValueError(
            "a coverage penalty needs attention weights, and the step returned none; allowed is a step that "
            "returns (log_probs, state, weights), weights (batch, source)"
        )
    return looked[0]
