"""A reservoir beside the same network with all weights trained: how many units does not training cost?

Both have the same equation, x(n) = tanh(W_in [1; u(n)] + W x(n−1)), and both end in a ridge readout of the
last states: with as many units they have equally many numbers to read. One task has one number a step,
Mackey-Glass told ahead; in the other a step is a row of 28 pixels of a written digit.
"""

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from course_experiments.protocol import Experiment, measuring
from course_experiments.reservoir.digits import classified
from course_experiments.reservoir.dynamics import FAR, told_ahead, weight_changes
from course_experiments.reservoir.forecasts import TAUGHT, forecaster, mackey_glass_series
from course_experiments.reservoir.reservoirs import summary
from course_experiments.results import Measurement
from course_lib.data.labelled_pictures import LabelledPictures
from course_lib.data.mnist import load_mnist
from course_lib.recurrent import RNN, ManyToOne, Stacked
from course_lib.reservoir import EchoStateNetwork
from course_lib.training.loop import train_steps

SEEDS = range(3)
RESERVOIRS = (16, 32, 64, 128, 256, 512, 1024)  # units
TRAINED = (16, 32, 64)  # units
SERIES_UPDATES, ROW_UPDATES, BATCH = 2000, 1500, 32

Rows = Float[np.ndarray, "count 28 28"]


def rows(digits: LabelledPictures) -> Rows:
    """Return each digit as a series of its 28 rows of pixels, 0 to 1."""
    return digits.images / 255


def series_error(units: int, seed: int) -> float:
    """Return the NRMSE of a reservoir that tells Mackey-Glass `FAR` steps ahead."""
    values = mackey_glass_series(TAUGHT + 1000 + FAR)
    return told_ahead(forecaster(units, seed).listen(values)[0], values, TAUGHT)


def trained_series_error(units: int, seed: int) -> float:
    """Return the same of a network whose weights have all been trained before."""
    trained = weight_changes(torch.optim.Adam, 3e-3, seed, SERIES_UPDATES, units)
    return trained.errors["ridge after"]


def told_apart(states: dict[str, Float[np.ndarray, "_ units"]]) -> float:
    """Return the % of test digits that a ridge readout of the last states names wrong.

    Args:
        states: of "train" and of "test"; the last thousand of "train" choose β.
    """
    data = load_mnist()
    held_out = np.arange(len(data.train.labels)) >= len(data.train.labels) - 1000
    named = classified(states["train"], data.train.labels.astype(int), held_out, states["test"])
    return float(100 * (named != data.test.labels).mean())


def rows_error(units: int, seed: int) -> float:
    """Return the % wrong of a reservoir that reads rows; its settings were chosen on held-out digits."""
    network = EchoStateNetwork(28, 10, units, spectral_radius=1.2, leak=0.2, input_scale=0.3, seed=seed)
    data = load_mnist()
    parts = {"train": data.train, "test": data.test}
    return told_apart(
        {name: np.array([network.listen(digit)[1].x for digit in rows(part)]) for name, part in parts.items()}
    )


def trained_rows_error(units: int, seed: int) -> float:
    """Return the same of a network whose weights have all been trained before."""
    torch.manual_seed(seed)
    data, model = load_mnist(), ManyToOne(Stacked(RNN, 28, units), 10)
    seen = {
        name: torch.from_numpy(rows(part)).float()
        for name, part in (("train", data.train), ("test", data.test))
    }
    labels = torch.from_numpy(data.train.labels.astype(int))
    optimizer = torch.optim.Adam(model.parameters(), 2e-3)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, ROW_UPDATES)

    def loss() -> Tensor:
        chosen = torch.randint(len(labels), (BATCH,))
        return functional.cross_entropy(
            model(seen["train"][chosen], torch.full((BATCH,), 28)), labels[chosen]
        )

    for _ in train_steps((loss() for _ in range(ROW_UPDATES)), optimizer, clip=1.0, scheduler=falling):
        pass
    with torch.no_grad():
        return told_apart(
            {name: model.layers(part)[1][0][-1].double().numpy() for name, part in seen.items()}
        )


def beside_results() -> list[Measurement]:
    """Both kinds on both tasks, over the units."""
    kinds = {
        "series": (
            f"NRMSE {FAR} steps ahead of Mackey-Glass",
            {"reservoir": (RESERVOIRS, series_error), "trained": (TRAINED, trained_series_error)},
        ),
        "rows": (
            "% of 2,000 digits named wrong, read row by row",
            {"reservoir": (RESERVOIRS, rows_error), "trained": (TRAINED, trained_rows_error)},
        ),
    }
    return [
        summary(
            f"beside-{task}-{kind}-{units}",
            f"{metric}: {kind}, {units} units",
            [error(units, seed) for seed in SEEDS],
        )
        for task, (metric, both) in kinds.items()
        for kind, (sizes, error) in both.items()
        for units in sizes
    ]


EXPERIMENTS = [
    Experiment(
        "beside_trained",
        "reservoirs beside networks whose weights are all trained",
        8,
        measuring(beside_results),
    )
]
