"""What every decoder of captions takes and gives; its state can be re-ordered by a search."""

from typing import NamedTuple

from jaxtyping import Bool, Float, Int
from torch import Tensor


class CaptionState(NamedTuple):
    """All that a decoder carries from one word to the next; batch first."""

    hidden: Float[Tensor, "batch hidden"]  # h_t
    cell: Float[Tensor, "batch hidden"]  # c_t
    annotations: Float[Tensor, "batch places features"]  # a_1 … a_L
    projected: Float[Tensor, "batch places projected"]  # what the attention needs of them, computed once


class CaptionStep(NamedTuple):
    """What one step gives."""

    state: CaptionState
    context: Float[Tensor, "batch features"]  # ẑ_t, what was seen; of no features without attention
    weights: Float[Tensor, "batch places"] | None = None  # α_t; None without attention
    log_probability: Float[Tensor, "batch"] | None = None  # log α of the place drawn; None where none is


class CaptionRun(NamedTuple):
    """A whole caption, each word foretold from the true words before it."""

    logits: Float[Tensor, "batch time vocabulary"]
    weights: Float[Tensor, "batch time places"] | None
    log_probabilities: Float[Tensor, "batch time"] | None


Real = Bool[Tensor, "batch time"]  # False at padding
Words = Int[Tensor, "batch time"]  # numbers of words
