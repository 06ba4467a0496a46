"""Forecasts by reservoirs: Mackey-Glass and sunspots."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from course_lib.data import load_sunspots, mackey_glass
from course_lib.reservoir import Echo, EchoStateNetwork, horizon, nrmse, ridge, with_bias

TAUGHT = 3000  # steps of Mackey-Glass that are learned from
AHEAD = 84  # steps of the usual test on Mackey-Glass

Series = Float[np.ndarray, "time 1"]
NextYears = Float[np.ndarray, "time-1 1"]  # what is said of every year but the first


def mackey_glass_series(steps: int) -> Series:
    """Return the series with τ = 17, moved to about zero, as one column."""
    return (mackey_glass(steps) - 1)[:, np.newaxis]


def forecaster(units: int = 1000, seed: int = 0, **changes: float | str) -> EchoStateNetwork:
    """Return a network for Mackey-Glass: radius 1.25, leak 0.3, as in Lukoševičius's published example."""
    settings = {"spectral_radius": 1.25, "leak": 0.3, **changes}
    return EchoStateNetwork(1, 1, units, seed=seed, **settings)  # type: ignore[arg-type]  # each of its kind


def free_run(
    network: EchoStateNetwork, steps: int, echo: Echo, series: Series
) -> Float[np.ndarray, "{steps} 1"]:
    """Return what the network says when it hears itself, cut off at the ends of the series' range."""
    with np.errstate(over="ignore", invalid="ignore"):
        said = network.generate(steps, echo)
    return np.clip(np.nan_to_num(said), series.min(), series.max())


def error_ahead(
    network: EchoStateNetwork, series: Series, first: int, ahead: int = AHEAD, starts: int = 50
) -> float:
    """Return the NRMSE of free runs at their last step (Jaeger and Haas 2004, NRMSE84).

    Args:
        network: with a readout for one step ahead.
        series: heard up to each start, compared with behind it.
        first: values heard before the first start.
        ahead: steps of a free run.
        starts: free runs, 37 steps apart.

    Raises:
        ValueError: the series is too short.
    """
    apart = 37
    if len(series) < first + (starts - 1) * apart + ahead:
        raise ValueError(f"series has {len(series)} steps; {first + (starts - 1) * apart + ahead} are needed")
    echo = network.listen(series[: first - 1])[1]
    said, true = [], []
    for start in range(first, first + starts * apart, apart):
        said.append(free_run(network, ahead, Echo(echo.x, series[start - 1]), series)[-1])
        true.append(series[start + ahead - 1])
        echo = network.listen(series[start - 1 : start - 1 + apart], echo)[1]
    return float(np.sqrt(np.mean((np.array(said) - np.array(true)) ** 2) / series.var()))


class Forecast(NamedTuple):
    """How well Mackey-Glass is told ahead."""

    one_step: float  # NRMSE
    ahead: float  # NRMSE84
    horizon: int  # steps of a free run that stay within a tenth of a standard deviation


def forecast_mackey_glass(
    network: EchoStateNetwork, beta: float = 1e-10, taught: int = TAUGHT, starts: int = 50
) -> Forecast:
    """Learn the readout on the first steps; measure on those behind."""
    series = mackey_glass_series(taught + 2001)
    end = network.fit(series[:taught], series[1 : taught + 1], washout=200, beta=beta)
    said, _ = network.run(series[taught:-1], end)
    return Forecast(
        nrmse(said, series[taught + 1 :]),
        error_ahead(network, series, taught + 1, starts=starts),
        horizon(free_run(network, 2000, end, series), series[taught + 1 :], 0.1),
    )


def lagged(series: Series, lags: int) -> Float[np.ndarray, "count lags"]:
    """Return the last values before each step from `lags` on, the newest first."""
    return np.hstack([series[lags - 1 - k : len(series) - 1 - k] for k in range(lags)])


class SunspotErrors(NamedTuple):
    """Mean squared errors over the variance of 1700 to 1979, one year ahead."""

    near: float  # 1921 to 1955
    far: float  # 1956 to 1979


def sunspot_errors(forecast: Callable[[Series], NextYears]) -> SunspotErrors:
    """Return the errors of a forecaster.

    Args:
        forecast: gets the series over 100, from 1700 on; returns what it says for 1701, 1702, …, after
            learning from 1700 to 1920 alone.
    """
    spots = load_sunspots()
    said = forecast(spots.numbers[:, np.newaxis] / 100)[:, 0] * 100
    squares = dict(zip(spots.years[1:].tolist(), (said - spots.numbers[1:]) ** 2, strict=True))
    variance = spots.between(1700, 1979).var()
    spans = (range(1921, 1956), range(1956, 1980))
    return SunspotErrors(*(float(np.mean([squares[year] for year in span]) / variance) for span in spans))


def sunspots_by_reservoir(seed: int) -> Callable[[Series], NextYears]:
    """Return a small network's forecast; its settings were chosen on the years 1881 to 1920."""

    def forecast(series: Series) -> NextYears:
        network = EchoStateNetwork(1, 1, 50, spectral_radius=0.8, leak=0.6, seed=seed)
        network.fit(series[:220] - 0.5, series[1:221] - 0.5, washout=20, beta=0.1)
        return network.run(series[:-1] - 0.5)[0] + 0.5

    return forecast


def sunspots_by_line(series: Series, lags: int = 9) -> NextYears:
    """Return the forecast of a line through the last nine years (an autoregression); 0 where it has fewer."""
    past = with_bias(lagged(series, lags))
    taught = 221 - lags
    weights = ridge(past[:taught], series[lags:221], 0)
    return np.vstack([np.zeros((lags - 1, 1)), past @ weights.T])
