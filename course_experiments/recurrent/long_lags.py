"""A bit kept for a thousand steps: what the start of the forget gate's bias decides.

Every network reads −1 or 1, then only zeros, and is asked for the bit at the end. All get the same updates.
"""

import math

import torch
from torch import nn

from course_experiments.protocol import Experiment, measuring, over_seeds
from course_experiments.results import Measurement
from course_lib.recurrent import LSTM, RNN, clip_gradients
from course_lib.training.loop import train_steps

LAG, HIDDEN, LEARNING_RATE, CLIP = 1000, 8, 0.01, 1.0
UPDATES, SEEDS = 60, range(5)
STARTS = {  # of the forget gate's bias; None: a network without gates
    "without-gates": None,
    "bias-1": 1.0,
    "bias-ln-lag": math.log(LAG),
}


def fresh_layer(forget_bias: float | None) -> RNN | LSTM:
    """Return an LSTM whose forget gates start from a bias; None returns a vanilla network."""
    if forget_bias is None:
        return RNN(1, HIDDEN)
    layer = LSTM(1, HIDDEN)
    nn.init.constant_(layer.W_x.bias[HIDDEN : 2 * HIDDEN], forget_bias)
    return layer


def share_right(forget_bias: float | None, seed: int, lag: int = LAG, updates: int = UPDATES) -> float:
    """Train one network and return the share of the two bits that it tells right.

    Args:
        forget_bias: see `fresh_layer`.
        seed: of the weights.
        lag: steps between the bit and the question.
        updates: of the weights, each on both sequences.
    """
    torch.manual_seed(seed)
    layer = fresh_layer(forget_bias)
    head = nn.Linear(HIDDEN, 2)
    parameters = [*layer.parameters(), *head.parameters()]
    inputs, bits = torch.zeros(2, lag + 1, 1), torch.tensor([0, 1])
    inputs[:, 0, 0] = torch.tensor([-1.0, 1.0])

    def clip(*_: object) -> None:
        clip_gradients(parameters, CLIP)

    optimiser = torch.optim.Adam(parameters, LEARNING_RATE)
    optimiser.register_step_pre_hook(clip)
    losses = (nn.functional.cross_entropy(head(layer(inputs)[0][:, -1]), bits) for _ in range(updates))
    for _ in train_steps(losses, optimiser):
        pass
    with torch.no_grad():
        return (head(layer(inputs)[0][:, -1]).argmax(dim=1) == bits).float().mean().item()


def lag_results() -> list[Measurement]:
    """Train from each start with each seed; return what is to be recorded."""
    found = []
    for name, forget_bias in STARTS.items():
        right = [100 * share_right(forget_bias, seed) for seed in SEEDS]
        found.append(
            over_seeds(
                f"long-lag-{name}",
                "long-lags",
                f"a bit kept for {LAG} steps, {name.replace('-', ' ')}: % right after {UPDATES} updates, "
                f"mean of {len(SEEDS)} seeds",
                right,
            )
        )
    return found


EXPERIMENTS = [
    Experiment("long_lags", "a bit kept for 1,000 steps, by three starts", 4, measuring(lag_results))
]
