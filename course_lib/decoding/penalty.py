"""Penalties: how a search compares finished hypotheses.

A sum of log-probabilities falls with every token, so it favours short hypotheses; a length penalty divides
it. The length |y| counts every generated token, the end-of-sentence token too. A coverage penalty takes from
a hypothesis that left out a part of the source. Together (Wu et al. 2016, equation 14):

    s(y, x)  = log p(y | x) / lp(y) + cp(x; y)
    lp(y)    = ((5 + |y|) / 6)^α
    cp(x; y) = β Σ_j log min(Σ_i α_ij, 1)       α_ij: weight of source token j when target token i was written

The paper calls the source token i and the target token j; here i is the target, as everywhere in the course.
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

Kind = Literal["none", "average", "gnmt"]
FORMULAS: dict[str, str] = {
    "none": "log p",
    "average": "log p / |y|^{alpha:g}",
    "gnmt": "log p / ((5 + |y|) / 6)^{alpha:g}",
}


@dataclass(frozen=True)
class LengthPenalty:
    """Divide the sum of log-probabilities by a power of the length.

    Args:
        kind: "none"; "average", the power of the length itself (alpha = 1 gives the mean log-probability);
            or "gnmt" (Wu et al. 2016, equation 14).
        alpha: the power, 0 or more; 0 penalises nothing.

    Raises:
        ValueError: no such kind, or a power that is negative or infinite.
    """

    kind: Kind = "none"
    alpha: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in FORMULAS:
            raise ValueError(f"kind is {self.kind!r}; allowed are {', '.join(map(repr, FORMULAS))}")
        if not 0 <= self.alpha < math.inf:
            raise ValueError(
                f"alpha is {self.alpha}; allowed is 0 or more and finite (below 0 it would favour short ones)"
            )

    @property
    def formula(self) -> str:
        """The score as a formula, for people."""
        ending = "" if self.kind == "none" else " (|y| counts </s>)"
        return FORMULAS[self.kind].format(alpha=self.alpha) + ending

    def score(self, log_prob: float, length: int) -> float:
        """Return the score of a hypothesis; larger is better.

        Args:
            log_prob: sum of the tokens' log-probabilities, at most 0.
            length: generated tokens, the end-of-sentence token counted; 1 or more.

        Raises:
            ValueError: `length` is below 1.
        """
        if length < 1:
            raise ValueError(f"length is {length}; allowed is 1 or more")
        if self.kind == "none":
            return log_prob
        size = length if self.kind == "average" else (5 + length) / 6
        return log_prob / size**self.alpha


@dataclass(frozen=True)
class CoveragePenalty:
    """Take from a hypothesis for each source token that got less than one token's worth of attention.

    Wu et al. 2016, equation 14, the term cp. It needs the attention weights of each step.

    Args:
        beta: its weight β, 0 or more; 0 penalises nothing.

    Raises:
        ValueError: a weight that is negative or infinite.
    """

    beta: float

    def __post_init__(self) -> None:
        if not 0 <= self.beta < math.inf:
            raise ValueError(
                f"beta is {self.beta}; allowed is 0 or more and finite (below 0 it would reward gaps)"
            )

    @property
    def formula(self) -> str:
        """What is added to the score, for people."""
        return f"{self.beta:g} Σ_j log min(Σ_i α_ij, 1)"

    def score(
        self, covered: Float[Tensor, "*batch source"], keep: Bool[Tensor, "*batch source"]
    ) -> Float[Tensor, "*batch"]:
        """Return what is added to the score of each hypothesis, at most 0.

        Args:
            covered: Σ_i α_ij, the attention that each source token got so far, 0 or more. A token that got
                none at all counts as one that got the smallest positive float: the score stays finite.
            keep: False at padding, which nobody has to look at.
        """
        least = torch.finfo(covered.dtype).tiny
        return self.beta * covered.clamp(least, 1.0).masked_fill(~keep, 1.0).log().sum(dim=-1)
