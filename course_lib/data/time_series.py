"""Series to forecast: the sunspots of three centuries, and an equation that makes chaos."""

from dataclasses import dataclass
from functools import lru_cache
from typing import no_type_check

import numpy as np
from jaxtyping import Float

from course_lib.data.packaged import DATA_FOLDER, read_lines


@dataclass(frozen=True, eq=False)
class Sunspots:
    """A yearly series."""

    years: np.ndarray  # (309,) int
    numbers: np.ndarray  # (309,) float, the yearly mean of the relative sunspot number, 0 or more
    licence: str = "public domain"
    attribution: str = (
        "Yearly sunspot numbers 1700 to 2008, US National Geophysical Data Center (NOAA), public domain."
    )

    def between(self, first: int, last: int) -> np.ndarray:
        """Return the numbers of the years `first` to `last`, both included.

        Raises:
            ValueError: the years are not in order, or not all in the series.
        """
        if not self.years[0] <= first <= last <= self.years[-1]:
            raise ValueError(f"years are {first} to {last}; allowed are {self.years[0]} to {self.years[-1]}")
        return self.numbers[first - self.years[0] : last - self.years[0] + 1]


@lru_cache
def load_sunspots() -> Sunspots:
    """Load the series; its usual split is 1700 to 1920 and 1921 to 1955.

    Raises:
        DataError: the file is missing or damaged.
    """
    _, *rows = read_lines(DATA_FOLDER / "sunspots", "sunspots_yearly_1700_2008.csv.xz")
    years, numbers = zip(*(row.split(",") for row in rows), strict=True)
    return Sunspots(np.array(years, float).astype(int), np.array(numbers, float))


def mackey_glass(
    steps: int, tau: float = 17.0, start: float = 1.2, skip: int = 1000, per_unit: int = 10
) -> Float[np.ndarray, "steps"]:
    """Return a chaotic series that nobody has to measure: the equation of Mackey and Glass, solved.

        dx/dt = 0.2 x(t − τ) / (1 + x(t − τ)¹⁰) − 0.1 x(t)

    By the Runge-Kutta method of fourth order; one value a unit of time. From τ of about 16.8 the series is
    chaotic; 17 is the usual test (Mackey and Glass 1977).

    Args:
        steps: values to return.
        tau: the delay, a multiple of 1 / per_unit, above 0.
        start: x(t) for all t ≤ 0.
        skip: units of time to leave out at the beginning.
        per_unit: steps of the solver in a unit of time.

    Raises:
        ValueError: an argument is out of its range.
    """
    delay = round(tau * per_unit)
    for name, count, least in (("steps", steps, 1), ("skip", skip, 0), ("per_unit", per_unit, 1)):
        if count < least:
            raise ValueError(f"{name} is {count}; allowed is {least} or more")
    if delay < 1 or abs(delay - tau * per_unit) > 1e-9:
        raise ValueError(f"tau is {tau}; allowed are multiples of {1 / per_unit:g} above 0")
    size = 1 / per_unit
    x = [start] * (delay + 1)  # x[−1] is now, x[−1 − delay] is τ ago

    @no_type_check  # called 40 times a step: too often for the check of signatures in the tests
    def slope(now: float, past: float) -> float:
        return 0.2 * past / (1 + past**10) - 0.1 * now

    for _ in range((skip + steps - 1) * per_unit):
        now, past, after = x[-1], x[-1 - delay], x[-delay]
        between = (past + after) / 2  # the past half a step on
        k1 = slope(now, past)
        k2 = slope(now + size / 2 * k1, between)
        k3 = slope(now + size / 2 * k2, between)
        k4 = slope(now + size * k3, after)
        x.append(now + size / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    return np.array(x[delay + skip * per_unit :: per_unit])
