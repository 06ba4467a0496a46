"""Length penalties: how a search compares hypotheses of different length.

A sum of log-probabilities falls with every token, so it favours short hypotheses.
The length |y| counts every generated token, the end-of-sentence token too.
"""

from dataclasses import dataclass
from typing import Literal

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
        ValueError: no such kind, or a negative power.
    """

    kind: Kind = "none"
    alpha: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in FORMULAS:
            raise ValueError(f"kind is {self.kind!r}; allowed are {', '.join(map(repr, FORMULAS))}")
        if not self.alpha >= 0:
            raise ValueError(
                f"alpha is {self.alpha}; allowed is 0 or more (a negative power would favour short ones)"
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
            length: generated tokens, the end-of-sentence token counted.
        """
        if self.kind == "none":
            return log_prob
        size = length if self.kind == "average" else (5 + length) / 6
        return log_prob / size**self.alpha
