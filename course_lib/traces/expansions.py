"""The trace of a model at work: what it said after each prefix that a search asked it about.

With it a search can be made again without the model, under another beam width, penalty or temperature, as far
as it asks about nothing new.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from course_lib.traces.base import Trace, array, tokens


@dataclass(frozen=True, eq=False)
class ExpansionTrace(Trace):
    """Next-token distributions, and which of them follows which.

    An expansion is the distribution after one prefix. Its continuations are those from ``bounds[i]`` up to
    ``bounds[i + 1]``, likeliest first. Each leads to another expansion, or to none that is known (−1).
    Several prefixes may share an expansion, as those of a table do.

    Args:
        bounds: int (bounds,), one more than there are expansions; from 0, never falling.
        token_id: int (candidates,), 0 or more.
        log_prob: float32 (candidates,), log p(token | prefix) at temperature 1, at most 0. A token that can't
            come is left out.
        following: int (candidates,), the expansion after that token, or −1.
        known: int (known,), the ids of all tokens above, each once, rising.
        token: (known,) their texts.
        temperatures: float (temperatures,), those that ``normaliser`` was computed for.
        normaliser: float32 (expansions, temperatures), log Σ_y p(y | prefix)^(1/T) over the whole vocabulary.
        start: the expansion of the empty prefix.
        max_length: most tokens that a search may write, the end-of-sentence token counted; at least 1.
        eos: the token that ends a sentence; None where nothing does.
        top: so many of the likeliest continuations were recorded, at least; None where all were. Only then is
            every temperature possible: from the recorded log-probabilities alone.
        source: what was decoded from.

    Raises:
        TypeError: a field of another kind.
        ValueError: fields that contradict one another.
    """

    bounds: np.ndarray = field(metadata=array(np.int64, "bounds"))
    token_id: np.ndarray = field(metadata=array(np.int64, "candidates"))
    log_prob: np.ndarray = field(metadata=array(np.float32, "candidates"))
    following: np.ndarray = field(metadata=array(np.int64, "candidates"))
    known: np.ndarray = field(metadata=array(np.int64, "known"))
    token: tuple[str, ...] = field(metadata=tokens("known"))
    temperatures: np.ndarray = field(metadata=array(np.float64, "temperatures"))
    normaliser: np.ndarray = field(metadata=array(np.float32, "expansions temperatures"))
    start: int
    max_length: int
    eos: int | None
    top: int | None
    source: str = ""

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def validate(self) -> None:
        """Raise where the fields contradict one another."""
        if len(self.bounds) < 2 or self.bounds[0] != 0 or self.bounds[-1] != len(self.token_id):
            raise ValueError(f"bounds go from 0 to the {len(self.token_id)} candidates; got {self.bounds}")
        if (np.diff(self.bounds) < 0).any():
            raise ValueError(f"bounds never fall; got {self.bounds}")
        if len(self.normaliser) != len(self):
            raise ValueError(f"normaliser has {len(self.normaliser)} rows for {len(self)} expansions")
        if not (np.isfinite(self.log_prob).all() and (self.log_prob <= 1e-4).all()):
            raise ValueError("log_prob is finite and at most 0; leave out what can't come")
        inside = np.ones(len(self.log_prob), dtype=bool)
        inside[self.bounds[:-1][self.bounds[:-1] < len(inside)]] = False  # the first of each expansion
        if (np.diff(self.log_prob)[inside[1:]] > 0).any():
            raise ValueError("log_prob never rises inside an expansion: likeliest first")
        if (self.following < -1).any() or (self.following >= len(self)).any():
            raise ValueError(f"following is -1 or one of {len(self)} expansions")
        if (
            not np.array_equal(self.known, np.unique(self.known))
            or not np.isin(self.token_id, self.known).all()
        ):
            raise ValueError("known holds each id once, rising, and every token_id")
        if not 0 <= self.start < len(self):
            raise ValueError(f"start is one of {len(self)} expansions; got {self.start}")
        if self.max_length < 1:
            raise ValueError(f"max_length is at least 1; got {self.max_length}")
