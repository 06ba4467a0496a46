"""How well word links found by a model match links drawn by people."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple, Self

import numpy as np
from jaxtyping import Float

Link = tuple[int, int]  # (target word, source word), counted from 0


@dataclass(frozen=True)
class AlignmentScore:
    """Alignment error rate, precision and recall, each from 0 to 1."""

    error_rate: float
    precision: float
    recall: float


class LinkCounts(NamedTuple):
    """All that the alignment error rate needs to know; counts of several sentences may be added up."""

    in_sure: int  # |A ∩ S|
    in_possible: int  # |A ∩ P|
    found: int  # |A|
    sure: int  # |S|

    @classmethod
    def of(cls, found: Set[Link], sure: Set[Link], possible: Set[Link]) -> Self:
        """Count the links of one sentence; a sure link counts as possible too."""
        return cls(len(found & sure), len(found & (possible | sure)), len(found), len(sure))

    @classmethod
    def total(cls, counts: Sequence["LinkCounts"]) -> Self:
        """Add up the counts of several sentences."""
        return cls(*np.sum(counts, axis=0, dtype=int).tolist()) if counts else cls(0, 0, 0, 0)

    @property
    def score(self) -> AlignmentScore:
        """AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|), precision = |A ∩ P| / |A|, recall = |A ∩ S| / |S|.

        Raises:
            ValueError: no link was found, or none is sure.

        Source: Och & Ney 2003, "A systematic comparison of various statistical alignment models".
        """
        for name, links in (("found", self.found), ("sure", self.sure)):
            if not links:
                raise ValueError(f"{name} is empty; allowed is at least one link")
        return AlignmentScore(
            error_rate=1 - (self.in_sure + self.in_possible) / (self.found + self.sure),
            precision=self.in_possible / self.found,
            recall=self.in_sure / self.sure,
        )


def score_alignment(found: Set[Link], sure: Set[Link], possible: Set[Link]) -> AlignmentScore:
    """Compare the links found in one sentence with sure and possible ones; see `LinkCounts.score`.

    Raises:
        ValueError: no link was found, or none is sure.
    """
    return LinkCounts.of(found, sure, possible).score


def bootstrap_error_rates(counts: Sequence[LinkCounts], draws: int = 2000, seed: int = 0) -> np.ndarray:
    """Return the AER of many corpora drawn from the sentences, each as large, with replacement.

    Their spread says how much the AER hangs on which sentences were taken.

    Args:
        counts: one a sentence.
        draws: number of drawn corpora.
        seed: of the draws; equal for two systems, it draws the same sentences for both.

    Raises:
        ValueError: there is no sentence.

    Returns:
        (draws,), each from 0 to 1; NaN for a corpus without links.

    Source: Efron & Tibshirani 1993, "An introduction to the bootstrap", chapter 13 (percentile interval).
    """
    if not counts:
        raise ValueError("counts is empty; allowed is at least one sentence")
    drawn = np.random.default_rng(seed).integers(len(counts), size=(draws, len(counts)))
    in_sure, in_possible, found, sure = np.array(counts)[drawn].sum(axis=1).T
    with np.errstate(invalid="ignore"):
        return 1 - (in_sure + in_possible) / (found + sure)


def interval(values: np.ndarray, share: float = 0.95) -> tuple[float, float]:
    """Return between which two values the middle share of all lies; NaN is left out."""
    low, high = np.nanquantile(values, [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)


def strongest_links(weights: np.ndarray) -> set[Link]:
    """Link each target word to the source word that it looks at most; of equals, the first.

    Args:
        weights: (target words, source words).

    Raises:
        ValueError: the weights are no matrix, or one side has no words.
    """
    if weights.ndim != 2 or 0 in weights.shape:
        raise ValueError(f"weights has shape {weights.shape}; allowed is (target, source), neither empty")
    return set(enumerate(weights.argmax(axis=1).tolist()))


def forward_share(weights: Float[np.ndarray, "written source"]) -> float:
    """Return the share of steps, 0 to 1, in which the mean place looked at does not move back."""
    centres = weights @ np.arange(weights.shape[1])
    return fmean(centres[1:] >= centres[:-1]) if len(centres) > 1 else 1.0
