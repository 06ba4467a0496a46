"""What reservoirs do, measured: forecasts, memory, chaos, digits, and what a trained network changes."""

from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import nn

from course_lib.data import load_spoken_digits, load_sunspots, mackey_glass
from course_lib.data.mnist import Digits, load_mnist
from course_lib.data.spoken_digits import WORDS, SpokenDigit
from course_lib.recurrent import RNN, with_spectral_radius
from course_lib.registers import Result, new_result
from course_lib.reservoir import (
    Echo,
    EchoStateNetwork,
    ExtremeLearningMachine,
    LiquidStateMachine,
    horizon,
    memory_curve,
    nrmse,
    ridge,
    with_bias,
)
from course_lib.training.applications import log_spectrogram

COMMAND = "course train reservoirs --ship"
TAUGHT = 3000  # steps of Mackey-Glass that are learned from
AHEAD = 84  # steps of the usual test on Mackey-Glass
SEEDS = range(5)
SETTINGS: dict[str, tuple[float, ...]] = {
    "spectral_radius": (0.3, 0.6, 0.9, 1.25, 1.6),
    "leak": (0.1, 0.3, 0.6, 1.0),
    "connections": (1, 2, 10, 50, 200),
}
RADII = (0.5, 0.9, 1.1, 1.5, 2.0)

Series = Float[np.ndarray, "time 1"]


def mackey_glass_series(steps: int) -> Series:
    """Return the series with τ = 17, moved to about zero, as one column."""
    return (mackey_glass(steps) - 1)[:, np.newaxis]


def forecaster(units: int = 1000, seed: int = 0, **changes: float) -> EchoStateNetwork:
    """Return a network for Mackey-Glass: radius 1.25, leak 0.3, as in Lukoševičius's published example."""
    settings = {"spectral_radius": 1.25, "leak": 0.3, **changes}
    if "connections" in settings:
        settings["connections"] = int(settings["connections"])
    return EchoStateNetwork(1, 1, units, seed=seed, **settings)  # type: ignore[arg-type]  # connections is int


def free_run(network: EchoStateNetwork, steps: int, echo: Echo, series: Series) -> Series:
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


def sunspot_errors(forecast: Callable[[Series], Series]) -> SunspotErrors:
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


def sunspots_by_reservoir(seed: int) -> Callable[[Series], Series]:
    """Return a small network's forecast; its settings were chosen on the years 1881 to 1920."""

    def forecast(series: Series) -> Series:
        network = EchoStateNetwork(1, 1, 50, spectral_radius=0.8, leak=0.6, seed=seed)
        network.fit(series[:220] - 0.5, series[1:221] - 0.5, washout=20, beta=0.1)
        return network.run(series[:-1] - 0.5)[0] + 0.5

    return forecast


def sunspots_by_line(series: Series, lags: int = 9) -> Series:
    """Return the forecast of a line through the last nine years (an autoregression); 0 where it has fewer."""
    past = with_bias(lagged(series, lags))
    taught = 221 - lags
    weights = ridge(past[:taught], series[lags:221], 0)
    return np.vstack([np.zeros((lags - 1, 1)), past @ weights.T])


def memory(radius: float, seed: int, units: int = 100, steps: int = 4000) -> Float[np.ndarray, "delays"]:
    """Return the memory curve up to 100 steps back, for small independent inputs."""
    inputs = np.random.default_rng(1000 + seed).uniform(-0.5, 0.5, (steps, 1))
    network = EchoStateNetwork(1, 1, units, spectral_radius=radius, input_scale=0.1, seed=seed)
    return memory_curve(network.listen(inputs)[0][200:], inputs[200:], 100)


def lyapunov_exponent(network: EchoStateNetwork, inputs: Float[np.ndarray, "time inputs"]) -> float:
    """Return how fast two nearby states part: the mean of log(gap after a step / gap before it).

    Below 0 the network forgets where it started: the echo state property. Above 0 it is chaos. The gap is
    brought back to 1e-8 after each step; the first fifth of the steps is left out.

    Args:
        network: without feedback.
        inputs: what both hear.

    Returns:
        the largest exponent, natural logarithm a step; −∞ where a step joins the two.

    Raises:
        ValueError: the network has feedback.
    """
    if network.W_fb is not None:
        raise ValueError("network has feedback; allowed is one without")
    apart, rest = 1e-8, network.rest()
    direction = np.random.default_rng(0).normal(size=network.units)
    x = rest.x
    gap = direction * (apart / np.linalg.norm(direction))
    growth = []
    for driven in with_bias(inputs) @ network.W_in.T:
        there = network.step(driven, x + gap, rest.y)
        x = network.step(driven, x, rest.y)
        size = float(np.linalg.norm(there - x))
        if size == 0:
            return -np.inf
        growth.append(np.log(size / apart))
        gap = (there - x) * (apart / size)
    return float(np.mean(growth[len(growth) // 5 :]))


class Trained(NamedTuple):
    """What gradients changed, and what it was good for."""

    changes: dict[str, float]  # of W_in, W, W_out: norm of the change over the norm at the start
    errors: dict[str, float]  # NRMSE on the test steps: "gradient", "ridge before", "ridge after"


def weight_changes(
    optimizer: type[torch.optim.Optimizer],
    learning_rate: float,
    seed: int = 0,
    updates: int = 300,
    units: int = 64,
    taught: int = TAUGHT,
) -> Trained:
    """Train all weights of a network by gradients to tell Mackey-Glass 21 steps ahead.

    The network starts as a reservoir of radius 0.9. At both ends a ridge readout is fitted too: what it gains
    is what the change of W and W_in was worth.

    Args:
        optimizer: of torch.
        learning_rate: its step.
        seed: of weights and batches.
        updates: batches of 16 pieces of 80 steps; the first 20 of a piece do not count.
        units: of the network.
        taught: steps learned from; the 1,000 behind them are the test.
    """
    ahead, end = 21, taught
    values = mackey_glass_series(end + 1000 + ahead)
    series = torch.from_numpy(values).float()
    torch.manual_seed(seed)
    network, readout = RNN(1, units), nn.Linear(units, 1)
    with torch.no_grad():
        network.W_h.weight.copy_(with_spectral_radius(network.W_h.weight, 0.9))
    weights = {"W_in": network.W_x.weight, "W": network.W_h.weight, "W_out": readout.weight}
    start = {name: weight.detach().clone() for name, weight in weights.items()}

    def states() -> Float[np.ndarray, "time units"]:
        with torch.no_grad():
            return network(series[None])[0][0].double().numpy()

    def tested(said: Series) -> float:
        return nrmse(said[end : end + 1000], values[end + ahead : end + ahead + 1000])

    def ridge_error() -> float:
        features = with_bias(states())
        weights_out = ridge(features[100 : end - ahead], values[100 + ahead : end], 1e-6)
        return tested(features @ weights_out.T)

    errors = {"ridge before": ridge_error()}
    parameters = [*network.parameters(), *readout.parameters()]
    stepper = optimizer(parameters, lr=learning_rate)  # type: ignore[call-arg]  # each subclass takes it
    for _ in range(updates):
        places = torch.randint(0, end - 80 - ahead, (16, 1)) + torch.arange(80)
        said = readout(network(series[places])[0])
        loss = (said - series[places + ahead])[:, 20:].pow(2).mean()
        stepper.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        stepper.step()
    errors["ridge after"] = ridge_error()
    with torch.no_grad():
        errors["gradient"] = tested(readout(torch.from_numpy(states()).float()).double().numpy())
    changes = {
        name: float((weight.detach() - start[name]).norm() / start[name].norm())
        for name, weight in weights.items()
    }
    return Trained(changes, errors)


def classified(
    train: Float[np.ndarray, "count features"],
    labels: Int[np.ndarray, "count"],
    held_out: np.ndarray,
    test: Float[np.ndarray, "tests features"],
) -> Int[np.ndarray, "tests"]:
    """Return the classes that a ridge readout gives; its β is chosen on the part held out of training.

    Args:
        train, test: features.
        labels: 0, 1, … of the training examples.
        held_out: (count,) bool, which of them choose β.
    """
    targets = np.eye(labels.max() + 1)[labels]
    kept = ~held_out

    def right(beta: float) -> float:
        weights = ridge(with_bias(train[kept]), targets[kept], beta)
        return float(((with_bias(train[held_out]) @ weights.T).argmax(1) == labels[held_out]).mean())

    beta = max((1.0, 10.0, 100.0, 1e3, 1e4, 1e5), key=right)
    return (with_bias(test) @ ridge(with_bias(train), targets, beta).T).argmax(1)


def sound(digit: SpokenDigit) -> Float[np.ndarray, "steps bands"]:
    """Return what is heard of a spoken digit: energies of 40 bands, those below the clip's mean as 0; 2 ms a
    step."""
    return np.repeat(np.maximum(log_spectrogram(digit.wave).double().numpy(), 0), 5, axis=0)


def faded(inputs: Float[np.ndarray, "steps features"], tau: float, step: float) -> np.ndarray:
    """Return the inputs, summed with weights that fade with τ: what is left of a sound without any neuron."""
    return np.exp(-step / tau * np.arange(len(inputs))[::-1]) @ inputs


def listener(connections: int, seed: int = 0, units: int = 200) -> LiquidStateMachine:
    """Return a liquid for spoken digits, in steps of 2 ms, whose readout remembers 200 ms."""
    return LiquidStateMachine(
        40, units, connections, input_scale=0.3, weight_scale=1.0, readout=200.0, step=2.0, seed=seed
    )


def last_traces(machine: LiquidStateMachine, inputs: np.ndarray) -> np.ndarray:
    """Return what the neurons remember when the sound ends."""
    return machine.run(inputs).traces[-1]


def spoken_digit_accuracy(hear: Callable[[np.ndarray], np.ndarray]) -> float:
    """Return the share of the 300 test clips that a linear readout names right.

    Args:
        hear: turns a `sound` into the features that the readout gets at its end.
    """
    data = load_spoken_digits()
    train, test = (np.array([hear(sound(digit)) for digit in part]) for part in (data.train, data.test))
    labels, truth = (np.array([WORDS.index(d.word) for d in part]) for part in (data.train, data.test))
    held_out = np.array([digit.take >= 12 for digit in data.train])
    return float((classified(train, labels, held_out, test) == truth).mean())


def temporal_xor(count: int, rng: np.random.Generator) -> tuple[list[np.ndarray], Int[np.ndarray, "count"]]:
    """Return patterns of two bursts, each on one of two channels; class 1 where the channels differ.

    A burst lasts 25 ms; the second starts about 35 ms after the first, and 20 ms of silence follow. No
    weighted sum of past inputs tells the classes, whatever the weights.
    """
    channels = rng.integers(0, 2, (count, 2))
    patterns = []
    for pair in channels:
        inputs = np.zeros((90, 2))
        for channel, start in zip(pair, (5, 40), strict=True):
            begin = start + rng.integers(-3, 4)
            inputs[begin : begin + 25, channel] = 1
        patterns.append(inputs)
    return patterns, channels[:, 0] ^ channels[:, 1]


def flat(digits: Digits) -> Float[np.ndarray, "count pixels"]:
    """Return the pictures as rows of 784 numbers, 0 to 1."""
    return digits.images.reshape(len(digits.images), -1) / 255


def extreme_accuracy(units: int, seed: int = 0) -> float:
    """Return the share of 2,000 test digits that an extreme learning machine names right."""
    data = load_mnist()
    machine = ExtremeLearningMachine(784, units, seed=seed)
    machine.fit(flat(data.train), np.eye(10)[data.train.labels], beta=0.1)
    return float((machine.predict(flat(data.test)).argmax(1) == data.test.labels).mean())


def linear_accuracy() -> float:
    """Return the same for a linear readout of the pixels: no hidden layer at all."""
    data = load_mnist()
    weights = ridge(with_bias(flat(data.train)), np.eye(10)[data.train.labels], 1.0)
    return float(((with_bias(flat(data.test)) @ weights.T).argmax(1) == data.test.labels).mean())


def summary(id: str, metric: str, values: Sequence[float], **published: float | str) -> Result:
    """Return the mean of some seeds, with its standard deviation where there are several."""
    spread = stdev(values) if len(values) > 1 else None
    seeds = f", {len(values)} seeds" if spread is not None else ""
    return new_result(
        f"reservoir-{id}",
        "reservoir",
        metric + seeds,
        fmean(values),
        COMMAND,
        spread,
        **published,  # type: ignore[arg-type]  # published and its source
    )


def forecast_results() -> list[Result]:
    """Mackey-Glass and sunspots, and the effect of three settings."""
    what = f"Mackey-Glass τ = 17, {TAUGHT} steps learned, "
    scores = [forecast_mackey_glass(forecaster(seed=seed)) for seed in SEEDS]
    results = [
        summary(
            "mackey-one-step",
            f"log10 of the one-step NRMSE: {what}1000 units",
            [float(np.log10(score.one_step)) for score in scores],
        ),
        summary(
            "mackey-84",
            f"log10 of NRMSE84, free-running: {what}1000 units",
            [float(np.log10(score.ahead)) for score in scores],
            published=-4.2,
            published_source="Jaeger and Haas 2004: 1000 units with output feedback, 3000 steps learned, the "
            "series squashed by tanh, mean over 100 networks; ours hears its forecast as an input",
        ),
        summary(
            "mackey-horizon",
            f"free-running steps within a tenth of a standard deviation, at most 2000: {what}1000 units",
            [score.horizon for score in scores],
        ),
    ]
    for setting, values in SETTINGS.items():
        for value in values:
            measured = [
                forecast_mackey_glass(forecaster(200, seed, **{setting: value}), 1e-9, starts=20).ahead
                for seed in SEEDS[:3]
            ]
            metric = f"log10 of NRMSE84, free-running: {what}200 units, {setting.replace('_', ' ')} {value:g}"
            name = f"sweep-{setting.replace('_', '-')}-{value:g}"
            results.append(summary(name, metric, [float(np.log10(error)) for error in measured]))
    forecasters: dict[str, list[Callable[[Series], Series]]] = {
        "reservoir": [sunspots_by_reservoir(seed) for seed in range(10)],
        "line": [sunspots_by_line],
        "same": [lambda series: series[:-1]],
    }
    names = {"reservoir": "50 units", "line": "a line through nine years", "same": "as last year"}
    published: dict[str, float | str] = {
        "published": 0.086,
        "published_source": "Weigend, Huberman and Rumelhart 1990, as the literature quotes it: a trained "
        "feed-forward network that sees twelve past years",
    }
    for name, makers in forecasters.items():
        errors = [sunspot_errors(forecast) for forecast in makers]
        metric = (
            f"sunspots one year ahead, mean squared error over the variance of 1700 to 1979: {names[name]}, "
        )
        results += [
            summary(
                f"sunspots-{name}-near",
                metric + "1921 to 1955",
                [error.near for error in errors],
                **(published if name == "reservoir" else {}),
            ),
            summary(f"sunspots-{name}-far", metric + "1956 to 1979", [error.far for error in errors]),
        ]
    return results


def dynamics_results() -> list[Result]:
    """Memory capacity, chaos, and what gradients change."""
    results = [
        summary(
            f"memory-{radius:g}",
            f"memory capacity over 100 delays, in steps: 100 units, radius {radius:g}, input scale 0.1",
            [float(memory(radius, seed).sum()) for seed in SEEDS[:3]],
        )
        for radius in (0.1, 0.5, 0.9, 1.0, 1.2)
    ]
    for scale, drive in ((0.0, "at rest in silence"), (1.0, "driven")):
        for radius in RADII:
            exponents = [
                lyapunov_exponent(
                    EchoStateNetwork(1, 1, 200, spectral_radius=radius, input_scale=scale, seed=seed),
                    mackey_glass_series(1000),
                )
                for seed in SEEDS[:3]
            ]
            metric = f"largest Lyapunov exponent a step, 200 units, {drive}, radius {radius:g}"
            results.append(summary(f"lyapunov-{drive.split()[-1]}-{radius:g}", metric, exponents))
    for optimizer, rate in ((torch.optim.SGD, 0.1), (torch.optim.Adam, 1e-3)):
        trained = [weight_changes(optimizer, rate, seed) for seed in SEEDS[:3]]
        kind = optimizer.__name__
        how = f"64 units, Mackey-Glass 21 ahead, 300 updates of {kind}"
        for name in trained[0].changes:
            metric = f"change of {name} over its norm at the start: {how}"
            id = f"change-{kind.lower()}-{name.lower().replace('_', '-')}"
            results.append(summary(id, metric, [run.changes[name] for run in trained]))
        for name in trained[0].errors:
            id = f"error-{kind.lower()}-{name.replace(' ', '-')}"
            results.append(summary(id, f"NRMSE, {name}: {how}", [run.errors[name] for run in trained]))
    return results


def digit_results() -> list[Result]:
    """Spoken and written digits."""
    results = [
        summary(
            "spoken-sound",
            "share of 300 spoken digits named right: linear readout of the fading sound, no neurons",
            [spoken_digit_accuracy(lambda heard: faded(heard, 200.0, 2.0))],
        )
    ]
    metric = "share of 300 spoken digits named right: 200 spiking neurons, connections each: "
    for name, connections in (("liquid", 10), ("deaf", 0)):
        shares = []
        for seed in SEEDS[:2]:
            machine = listener(connections, seed)
            shares.append(spoken_digit_accuracy(partial(last_traces, machine)))
        results.append(summary(f"spoken-{name}", f"{metric}{connections}", shares))
    metric = "share of 2,000 written digits named right: "
    results.append(summary("written-linear", metric + "linear readout of the pixels", [linear_accuracy()]))
    for units in (100, 500, 1000, 2000):
        shares = [extreme_accuracy(units, seed) for seed in SEEDS[:3]]
        results.append(
            summary(f"written-{units}", metric + f"extreme learning machine, {units} units", shares)
        )
    return results


def reservoir_results() -> list[Result]:
    """All that lecture 09 claims beside what it measures itself."""
    return [*forecast_results(), *dynamics_results(), *digit_results()]
