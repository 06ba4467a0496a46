"""Both kinds see the same digits and the same series, and are read by the same readout."""

import numpy as np
import pytest
import torch

from course_experiments.reservoir import beside_trained as module
from course_experiments.reservoir.beside_trained import (
    RESERVOIRS,
    TRAINED,
    beside_results,
    rows,
    series_error,
    told_apart,
)
from course_experiments.reservoir.dynamics import FAR, told_ahead
from course_experiments.reservoir.forecasts import mackey_glass_series
from course_lib.data.mnist import load_mnist


def test_states_that_hold_the_label_name_every_digit_and_empty_ones_as_many_as_the_commonest():
    data = load_mnist()
    knowing = {"train": np.eye(10)[data.train.labels], "test": np.eye(10)[data.test.labels]}
    assert told_apart(knowing) == 0
    blind = {
        name: np.zeros((len(labels), 2))
        for name, labels in (("train", data.train.labels), ("test", data.test.labels))
    }
    commonest = np.bincount(data.train.labels).argmax()
    assert told_apart(blind) == pytest.approx(100 * (data.test.labels != commonest).mean())


def test_a_readout_that_sees_the_future_is_never_wrong_and_learns_from_the_past_only():
    values = mackey_glass_series(400 + 1000 + FAR)
    future = np.roll(values, -FAR, axis=0)
    assert told_ahead(future, values, 400) < 1e-6
    spoiled = future.copy()
    spoiled[400 - FAR : 400] = 9.0  # their answers lie behind the steps that are taught
    assert told_ahead(spoiled, values, 400) == pytest.approx(told_ahead(future, values, 400))


def test_more_units_tell_more():
    assert series_error(128, 0) < series_error(16, 0) / 2


def test_rows_of_a_digit_are_read_from_the_top():
    digits = load_mnist().test
    assert rows(digits)[3, 5, 7] == digits.images[3, 5, 7] / 255


def test_training_teaches_more_than_chance_in_a_few_updates(monkeypatch):
    monkeypatch.setattr(module, "ROW_UPDATES", 60)
    torch.manual_seed(1)
    assert module.trained_rows_error(24, 0) < 75


@pytest.mark.usefixtures("unchecked")
def test_every_size_is_measured_with_every_seed(monkeypatch):
    asked = []

    def pretend(kind):
        return lambda units, seed: asked.append((kind, units, seed)) or float(seed)

    for name in ("series_error", "trained_series_error", "rows_error", "trained_rows_error"):
        monkeypatch.setattr(module, name, pretend(name))
    found = {result.id: (result.value, result.spread) for result in beside_results()}
    assert len(found) == 2 * (len(RESERVOIRS) + len(TRAINED)) and len(set(asked)) == 3 * len(found)
    assert ("trained_rows_error", 64, 2) in asked
    assert found["reservoir-beside-rows-trained-64"] == (1.0, 1.0)
