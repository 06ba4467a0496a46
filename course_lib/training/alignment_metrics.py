"""How well word links found by a model match links drawn by people."""

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

Link = tuple[int, int]  # (target word, source word), counted from 0


@dataclass(frozen=True)
class AlignmentScore:
    """Alignment error rate, precision and recall, each from 0 to 1."""

    error_rate: float
    precision: float
    recall: float


def score_alignment(found: Set[Link], sure: Set[Link], possible: Set[Link]) -> AlignmentScore:
    """Compare found links with sure and possible ones; a sure link counts as possible too.

    AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|), precision = |A ∩ P| / |A|, recall = |A ∩ S| / |S|.

    Raises:
        ValueError: no link was found, or none is sure.

    Source: Och & Ney 2003, "A systematic comparison of various statistical alignment models".
    """
    for name, links in (("found", found), ("sure", sure)):
        if not links:
            raise ValueError(f"{name} is empty; allowed is at least one link")
    in_sure, in_possible = len(found & sure), len(found & (possible | sure))
    return AlignmentScore(
        error_rate=1 - (in_sure + in_possible) / (len(found) + len(sure)),
        precision=in_possible / len(found),
        recall=in_sure / len(sure),
    )


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
