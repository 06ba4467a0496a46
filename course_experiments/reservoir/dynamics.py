"""What goes on in a reservoir, and in one that gradients train: memory, chaos, changed weights."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_experiments.reservoir.forecasts import TAUGHT, Series, mackey_glass_series
from course_lib.recurrent import RNN, with_spectral_radius
from course_lib.reservoir import Echo, EchoStateNetwork, memory_curve, nrmse, ridge, with_bias
from course_lib.training.loop import train_steps

FAR = 21  # steps of Mackey-Glass that a readout tells ahead


def memory(
    radius: float, seed: int, units: int = 100, steps: int = 4000, input_scale: float = 0.1
) -> Float[np.ndarray, "delays"]:
    """Return the memory curve up to 100 steps back, for independent inputs."""
    inputs = np.random.default_rng(1000 + seed).uniform(-0.5, 0.5, (steps, 1))
    network = EchoStateNetwork(1, 1, units, spectral_radius=radius, input_scale=input_scale, seed=seed)
    return memory_curve(network.listen(inputs)[0][200:], inputs[200:], 100)


def lyapunov_exponent(
    network: EchoStateNetwork, inputs: Float[np.ndarray, "time inputs"], echo: Echo | None = None
) -> float:
    """Return how fast two nearby states part: the mean of log(gap after a step / gap before it).

    Below 0 the network forgets where it started: the echo state property. Above 0 it is chaos. The gap is
    brought back to 1e-8 after each step; the first fifth of the steps is left out.

    Args:
        network: without feedback.
        inputs: what both hear.
        echo: where they start; None is at rest.

    Returns:
        the largest exponent, natural logarithm a step; −∞ where a step joins the two.

    Raises:
        ValueError: the network has feedback.
    """
    if network.W_fb is not None:
        raise ValueError("network has feedback; allowed is one without")
    apart = 1e-8
    x, y = network.rest() if echo is None else echo
    direction = np.random.default_rng(0).normal(size=network.units)
    gap = direction * (apart / np.linalg.norm(direction))
    growth = []
    for driven in with_bias(inputs) @ network.W_in.T:
        there = network.step(driven, x + gap, y)
        x = network.step(driven, x, y)
        size = float(np.linalg.norm(there - x))
        if size == 0:
            return -np.inf
        growth.append(np.log(size / apart))
        gap = (there - x) * (apart / size)
    return float(np.mean(growth[len(growth) // 5 :]))


def told_ahead(states: Float[np.ndarray, "time units"], values: Series, taught: int) -> float:
    """Return the NRMSE of a ridge readout, `FAR` steps ahead, on the 1,000 steps behind those taught.

    Args:
        states: x(1), x(2), … of a network that has heard the values.
        values: of Mackey-Glass; `taught` + 1,000 + `FAR` or more.
        taught: steps that the readout learns from; the first 100 are left out.
    """
    features = with_bias(states)
    weights = ridge(features[100 : taught - FAR], values[100 + FAR : taught], 1e-6)
    return told(features @ weights.T, values, taught)


def told(said: Float[np.ndarray, "time 1"], values: Series, taught: int) -> float:
    """Return the NRMSE of what is said of `FAR` steps ahead, on the 1,000 steps behind those taught."""
    return nrmse(said[taught : taught + 1000], values[taught + FAR : taught + FAR + 1000])


class Trained(NamedTuple):
    """What gradients changed, and what it was good for."""

    changes: dict[str, float]  # of W_in, W, W_out: norm of the change over the norm at the start
    moves: dict[str, float]  # of the same: root of the mean squared change of a weight, whatever its size was
    errors: dict[str, float]  # NRMSE on the test steps: "gradient", "ridge before", "ridge after"


def weight_changes(
    optimizer: type[torch.optim.Optimizer],
    learning_rate: float,
    seed: int = 0,
    updates: int = 300,
    units: int = 64,
    taught: int = TAUGHT,
) -> Trained:
    """Train all weights of a network by gradients to tell Mackey-Glass `FAR` steps ahead.

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
    values = mackey_glass_series(taught + 1000 + FAR)
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

    errors = {"ridge before": told_ahead(states(), values, taught)}
    parameters = [*network.parameters(), *readout.parameters()]
    stepper = optimizer(parameters, lr=learning_rate)  # type: ignore[call-arg]  # each subclass takes it

    def loss() -> Tensor:
        places = torch.randint(0, taught - 80 - FAR, (16, 1)) + torch.arange(80)
        said = readout(network(series[places])[0])
        return (said - series[places + FAR])[:, 20:].pow(2).mean()

    for _ in train_steps((loss() for _ in range(updates)), stepper, clip=1.0):
        pass
    errors["ridge after"] = told_ahead(states(), values, taught)
    with torch.no_grad():
        said = readout(torch.from_numpy(states()).float()).double().numpy()
    errors["gradient"] = told(said, values, taught)
    moved = {name: weight.detach() - start[name] for name, weight in weights.items()}
    return Trained(
        {name: float(change.norm() / start[name].norm()) for name, change in moved.items()},
        {name: float(change.square().mean().sqrt()) for name, change in moved.items()},
        errors,
    )
