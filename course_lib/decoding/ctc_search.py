"""What did the network say? The best path, and the best labelling, of a CTC model.

The best path takes the likeliest label at each step and collapses. But a labelling is the sum of many
paths, and the largest sum need not hold the largest term. Prefix search extends labellings, not paths: of
each prefix it keeps the probability of all paths that end in a blank and of all that end in its last label,
because only behind a blank can the same label follow once more.

Graves et al. 2006, section 3.2; with a beam and a language model, Hannun, Maas, Jurafsky and Ng 2014,
algorithm 1 (their bonus is a power of the number of words, ours is one factor a label).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from torch import Tensor

from course_lib.seq2seq.ctc import BLANK, collapse

NextLabel = Callable[[tuple[int, ...]], Float[np.ndarray, "classes"]]
"""Gives log p of each label behind a prefix; what it says of the blank is not looked at."""


class Labelling(NamedTuple):
    """A labelling that a search proposes."""

    labels: tuple[int, ...]
    log_prob: float  # of the network: the sum over the paths that were followed
    score: float  # with the language model


class _Ends(NamedTuple):
    """log p of the paths of one prefix, by how they end."""

    blank: float
    label: float

    @property
    def both(self) -> float:
        return float(np.logaddexp(self.blank, self.label))


_NEVER = _Ends(-np.inf, -np.inf)


def best_path(log_probs: Float[Tensor, "time classes"]) -> tuple[int, ...]:
    """Collapse the likeliest label of each step."""
    return tuple(collapse(log_probs.argmax(dim=1).tolist()))


def prefix_search(
    log_probs: Float[Tensor, "time classes"],
    beam_size: int,
    next_label: NextLabel | None = None,
    weight: float = 0.0,
    bonus: float = 0.0,
    least: float = 0.0,
) -> list[Labelling]:
    """Search the labellings of largest score = log p(y | x) + weight · log p_LM(y) + bonus · |y|.

    Args:
        log_probs: of the network, the blank at 0.
        beam_size: prefixes kept at each step, 1 or more.
        next_label: a language model of labels.
        weight: of the language model, 0 or more.
        bonus: for each label, since a language model likes short strings.
        least: labels less likely than this at a step do not extend a prefix there; 0 tries them all.

    Returns:
        the labellings kept at the end, the best first.

    Raises:
        ValueError: an argument is out of its range, or a weight comes without a language model.
    """
    if beam_size < 1:
        raise ValueError(f"beam_size is {beam_size}; allowed is 1 or more")
    if weight < 0 or (weight and next_label is None):
        raise ValueError(f"weight is {weight}; allowed is 0 or more, and 0 without a language model")
    if not 0 <= least < 1:
        raise ValueError(f"least is {least}; allowed is 0 or more, below 1")
    language: dict[tuple[int, ...], float] = {(): 0.0}  # prefix -> weighted log p_LM + bonus

    def score(item: tuple[tuple[int, ...], _Ends]) -> float:
        return item[1].both + language[item[0]]

    beam: dict[tuple[int, ...], _Ends] = {(): _Ends(0.0, -np.inf)}
    for step in log_probs.detach().double().cpu().numpy():
        likely = [k for k in np.flatnonzero(np.exp(step) >= least).tolist() if k != BLANK]
        grown: dict[tuple[int, ...], _Ends] = {}
        for prefix, ends in beam.items():
            _add(grown, prefix, blank=ends.both + step[BLANK])
            if prefix:  # the last label goes on
                _add(grown, prefix, label=ends.label + step[prefix[-1]])
            if next_label is not None and likely:
                following = next_label(prefix)
            for k in likely:
                longer = (*prefix, k)
                before = ends.blank if prefix[-1:] == (k,) else ends.both
                _add(grown, longer, label=before + step[k])
                if longer not in language:
                    gain = bonus if next_label is None else bonus + weight * float(following[k])
                    language[longer] = language[prefix] + gain
        beam = dict(sorted(grown.items(), key=score, reverse=True)[:beam_size])
    return [Labelling(prefix, ends.both, score((prefix, ends))) for prefix, ends in beam.items()]


def _add(
    beam: dict[tuple[int, ...], _Ends],
    prefix: tuple[int, ...],
    blank: float = -np.inf,
    label: float = -np.inf,
) -> None:
    """Add paths to a prefix, which may be there already; impossible ones are not kept."""
    if blank == label == -np.inf:
        return
    there = beam.get(prefix, _NEVER)
    beam[prefix] = _Ends(float(np.logaddexp(there.blank, blank)), float(np.logaddexp(there.label, label)))
