"""Beam-search optimisation: train a model on the mistakes of its own search.

Cross-entropy trains one word at a time, given a true history. Here the model gives a score f to a whole
sequence, not a probability to a word, and a beam search runs while it trains. The model is corrected where
the gold prefix y falls off the beam, or comes within a margin of falling:

    L = Σ_t Δ_t · (1 − f(y_1…y_t) + f(ŷ_1…ŷ_t))

ŷ is the K-th best of the beam, and at the last step the best wrong one. Δ_t is 1 where f(y) < f(ŷ) + 1,
else 0. After such a violation the search starts again from the gold prefix.

The score of a sequence is what the network says of its last word: f is no sum over words, for the state
holds the history. `step(tokens, state)` is as in `course_lib.decoding`, but with scores that are not
normalised. A hypothesis that has ended stays in the beam with its score.

Source: Wiseman and Rush 2016, "Sequence-to-sequence learning as beam-search optimization", section 4, and
for the restarts Daumé and Marcu 2005 (LaSO). One difference: where the K-th best is the gold prefix itself,
the paper's loss is 1 and has no gradient; here the one above it stands in for it.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.decoding.state import NextToken, reorder


class Violations(NamedTuple):
    """Where a search lost the gold sequence, or nearly did."""

    violated: Bool[Tensor, "batch target"]  # Δ_t
    begins: Bool[Tensor, "batch target"]  # a search starts here, from the gold prefix before this token
    wrong: Int[Tensor, "batch target"]  # ŷ, one search after the other; where there is no violation, the gold


class ScoredSequence(NamedTuple):
    """What a search found."""

    tokens: tuple[int, ...]  # ends in the end-of-sentence token if finished
    score: float  # f
    finished: bool  # False: the limit came first


class _Beam:
    """The k best sequences of each sentence of a batch, side by side."""

    def __init__(self, state: Any, first: Int[Tensor, "batch"], eos: int, size: int) -> None:
        if (first == eos).any():
            raise ValueError(f"first holds {eos}, the end-of-sentence token; allowed is any other")
        self.eos, self.size = eos, size
        self.rows = torch.arange(len(first)).unsqueeze(1)
        self.tokens = first.unsqueeze(1).expand(-1, size)
        self.scores = torch.full((len(first), size), -torch.inf)
        self.scores[:, 0] = 0.0  # of an unwritten sequence; −inf marks an empty place
        self.written = first.new_empty((len(first), size, 0))
        self.state = reorder(state, self.rows.expand(-1, size).flatten())

    def continuations(self, step: NextToken) -> Float[Tensor, "batch k vocabulary"]:
        """Score each sequence with each next token; an ended one goes on in one way, and keeps its score."""
        scores, self.state = step(self.tokens.flatten(), self.state)
        scores = scores.view(*self.tokens.shape, -1)
        ended, empty = self.tokens == self.eos, self.scores.isneginf()
        scores = scores.masked_fill((ended | empty).unsqueeze(-1), -torch.inf)
        scores[..., self.eos] = torch.where(ended, self.scores.to(scores.dtype), scores[..., self.eos])
        return scores

    def go_on(
        self,
        parents: Int[Tensor, "batch k"],
        tokens: Int[Tensor, "batch k"],
        scores: Float[Tensor, "batch k"],
    ) -> None:
        """Take the chosen continuations as the new beam."""
        self.written = torch.cat([self.written[self.rows, parents], tokens.unsqueeze(-1)], dim=-1)
        self.tokens, self.scores = tokens, scores
        self.state = reorder(self.state, (self.rows * self.size + parents).flatten())


@torch.no_grad()
def find_violations(
    step: NextToken,
    state: Any,
    first: Int[Tensor, "batch"],
    gold: Int[Tensor, "batch target"],
    eos: int,
    beam_size: int,
) -> Violations:
    """Search, and note where the gold prefix does not beat the K-th best by a margin of 1.

    Args:
        step: scores the next tokens; −inf for one that may not be written.
        state: the state before the first token, one row a sentence.
        first: the token that each sentence begins with.
        gold: the true tokens; each row holds `eos` once, and padding after it.
        eos: the token that ends a sentence.
        beam_size: K, at least 2: the gold prefix and one to beat.

    Raises:
        ValueError: the beam is too small, a row of `gold` does not end, or `step` forbids a gold token.
    """
    if beam_size < 2:
        raise ValueError(f"beam_size is {beam_size}; allowed is 2 or more")
    if not bool((gold == eos).any(dim=1).all()):
        raise ValueError(f"a row of gold has no {eos}, the end-of-sentence token; allowed is one in each")
    last = (gold == eos).int().argmax(dim=1, keepdim=True)
    beam = _Beam(state, first, eos, beam_size)
    violated, begins, wrong = torch.zeros_like(gold, dtype=torch.bool), [], gold.clone()
    begin = torch.zeros_like(last)
    place = torch.zeros_like(last)  # of the gold prefix in the beam: no violation leaves it there
    for t in range(gold.shape[1]):
        begins.append(begin == t)
        scores = beam.continuations(step)
        vocabulary_size = scores.shape[-1]
        truth = place * vocabulary_size + gold[:, t : t + 1]
        scores = scores.flatten(1)
        true_score = scores.gather(1, truth)
        if (true_score.isneginf() & (last >= t)).any():
            raise ValueError(f"step forbids the gold token of step {t}; allowed is every gold token")
        best, chosen = scores.topk(beam_size, dim=1)
        gold_at = (chosen == truth).int()
        rank = torch.where(last == t, gold_at[:, :1], beam_size - 1 - gold_at[:, -1:])
        rival_score, rival = best.gather(1, rank), chosen.gather(1, rank)
        lost = (true_score < rival_score + 1) & (last >= t)
        parents, tokens = chosen // vocabulary_size, chosen % vocabulary_size

        rival_tokens = torch.cat(
            [beam.written[beam.rows, rival // vocabulary_size].squeeze(1), rival % vocabulary_size], dim=1
        )
        here = lost & (torch.arange(t + 1) >= begin)
        wrong[:, : t + 1] = torch.where(here, rival_tokens, wrong[:, : t + 1])
        violated[:, t : t + 1] = lost
        begin = torch.where(lost, t + 1, begin)

        alone = torch.full_like(best, -torch.inf)
        alone[:, :1] = true_score
        beam.go_on(
            torch.where(lost, place, parents),
            torch.where(lost, gold[:, t : t + 1], tokens),
            torch.where(lost, alone, best),
        )
        place = torch.where(lost, 0, gold_at.argmax(dim=1, keepdim=True))
    return Violations(violated, torch.cat(begins, dim=1), wrong)


def margin_loss(
    step: NextToken,
    state: Any,
    first: Int[Tensor, "batch"],
    gold: Int[Tensor, "batch target"],
    eos: int,
    violations: Violations,
) -> Float[Tensor, ""]:
    """Return the loss at the violations, summed over steps and averaged over sentences.

    Two sequences a sentence are read, whatever the beam: the gold one, and the wrong ones of all searches,
    one after the other, each from the gold state in which its search began.

    Args:
        step, state, first, gold, eos: see `find_violations`.
        violations: what it found.
    """
    count = len(gold)
    rows = torch.arange(count)
    state = reorder(state, rows.repeat(2))
    true_before = wrong_before = first
    total, wrong_score = torch.zeros(()), torch.zeros(count)
    for t in range(gold.shape[1]):
        begins, lost = violations.begins[:, t], violations.violated[:, t]
        wrong_before = torch.where(begins, true_before, wrong_before)
        state = reorder(state, torch.cat([rows, torch.where(begins, rows, rows + count)]))
        scores, state = step(torch.cat([true_before, wrong_before]), state)
        ended = wrong_before == eos
        true_before, wrong_before = gold[:, t], violations.wrong[:, t]
        true_score = scores[:count].gather(1, true_before.unsqueeze(1)).squeeze(1)
        newest = scores[count:].gather(1, wrong_before.unsqueeze(1)).squeeze(1)
        wrong_score = torch.where(ended, wrong_score, newest)  # an ended one keeps its score
        total = total + torch.where(lost, 1 - true_score + wrong_score, 0.0).sum()
    return total / count


def beam_search_loss(
    step: NextToken,
    state: Any,
    first: Int[Tensor, "batch"],
    gold: Int[Tensor, "batch target"],
    eos: int,
    beam_size: int,
) -> Float[Tensor, ""]:
    """Search for violations and return the loss there; see `find_violations` and `margin_loss`."""
    found = find_violations(step, state, first, gold, eos, beam_size)
    return margin_loss(step, state, first, gold, eos, found)


@torch.no_grad()
def search_by_score(
    step: NextToken, state: Any, first: Int[Tensor, "batch"], eos: int, max_length: int, beam_size: int
) -> list[ScoredSequence]:
    """Return the sequence with the best score that the same search finds without a gold one.

    Args:
        step, state, first, eos: see `find_violations`.
        max_length: most tokens to write, the end-of-sentence token counted; at least 1.
        beam_size: K; at least 1.

    Raises:
        ValueError: `max_length` or `beam_size` is below 1.
    """
    for name, value in (("max_length", max_length), ("beam_size", beam_size)):
        if value < 1:
            raise ValueError(f"{name} is {value}; allowed is 1 or more")
    beam = _Beam(state, first, eos, beam_size)
    for _ in range(max_length):
        scores = beam.continuations(step)
        best, chosen = scores.flatten(1).topk(beam_size, dim=1)
        beam.go_on(chosen // scores.shape[-1], chosen % scores.shape[-1], best)
        if bool(((beam.tokens == eos) | best.isneginf()).all()):
            break
    ended = (beam.tokens == eos) & beam.scores.isfinite()
    winner = torch.where(ended, beam.scores, -torch.inf).argmax(dim=1)  # place 0 where none has ended
    found = []
    for i, k in enumerate(winner.tolist()):
        tokens = beam.written[i, k].tolist()
        length = tokens.index(eos) + 1 if ended[i, k] else len(tokens)
        found.append(ScoredSequence(tuple(tokens[:length]), float(beam.scores[i, k]), bool(ended[i, k])))
    return found
