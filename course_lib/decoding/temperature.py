"""Temperature: make the distribution that a search sees sharper or flatter."""

import math
from typing import Any

from jaxtyping import Float, Int
from torch import Tensor

from course_lib.decoding.state import AttentiveNextToken, NextToken


def check_temperature(temperature: float) -> None:
    """Raise ValueError unless a distribution can have this temperature."""
    if not (temperature > 0 and math.isfinite(temperature)):
        raise ValueError(f"temperature is {temperature}; allowed is a number above 0")


def temper(
    log_probs: Float[Tensor, "*batch vocabulary"], temperature: float
) -> Float[Tensor, "*batch vocabulary"]:
    """Return log p_T, where p_T ∝ p^(1/T); at T = 1 what came, also if it does not sum to 1.

        log p_T(y) = log p(y) / T − log Σ_y' exp(log p(y') / T)

    Below 1 the likely grow likelier, above 1 all become more alike. The likeliest stays the likeliest, so
    greedy search never changes; a beam's winner may.

    Args:
        log_probs: log-probabilities.
        temperature: T, above 0.

    Raises:
        ValueError: the temperature is 0, negative or not finite.

    Source: Ackley, Hinton and Sejnowski 1985.
    """
    check_temperature(temperature)
    if temperature == 1:
        return log_probs
    return (log_probs.double() / temperature).log_softmax(dim=-1).to(log_probs.dtype)


class Tempered:
    """A next-token function at another temperature; it wraps any other one, and takes its states.

    Args:
        step: the next-token function.
        temperature: above 0.

    Raises:
        ValueError: the temperature is 0, negative or not finite.
    """

    def __init__(self, step: NextToken | AttentiveNextToken, temperature: float) -> None:
        check_temperature(temperature)
        self.step, self.temperature = step, temperature

    def __call__(self, tokens: Int[Tensor, "batch"], state: Any) -> Any:
        """Return the tempered log-probabilities of the next token, and whatever else the function gives."""
        log_probs, *rest = self.step(tokens, state)
        return temper(log_probs, self.temperature), *rest
