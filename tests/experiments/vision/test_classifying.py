"""What the experiments share: runs that are interrupted go on, held-out pictures stay unseen."""

import pytest
import torch
from torch import nn

from course_experiments.vision import classifying
from course_experiments.vision.fine_tuning import WAYS, first_of_each, pictures


def linear():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 10))


@pytest.fixture
def few(monkeypatch):
    images, labels = classifying.clothes("train")
    kept = images[:300].clone(), labels[:300].clone()
    monkeypatch.setattr(classifying, "clothes", lambda part: kept)
    monkeypatch.setattr(classifying, "HELD_OUT", 100)
    return kept


def test_training_learns_and_leaves_the_held_out_pictures_alone(few):
    few[0][-100:] = torch.nan  # were they seen, all weights would be NaN
    network = classifying.trained(linear, 2e-3, seed=0)
    assert not network.training
    assert classifying.accuracy(network, few[0][:200], few[1][:200]) > 30  # chance: 10


def test_a_seed_decides_about_everything(few):
    one, same, other = (classifying.trained(linear, 2e-3, seed)[1].weight for seed in (0, 0, 1))
    assert torch.equal(one, same) and not torch.equal(one, other)


def test_the_rate_is_chosen_once(few, monkeypatch):
    tried = []
    monkeypatch.setattr(classifying, "trained", lambda build, rate, seed: tried.append(rate) or build())
    monkeypatch.setattr(classifying, "shares", lambda network: {"held out": tried[-1]})
    found = classifying.try_rates(linear, 0, [])
    assert found["rate"] == max(classifying.RATES) and tried == list(classifying.RATES)
    assert classifying.try_rates(linear, 1, [{"rate": 0.5}])["rate"] == 0.5


def test_as_many_of_each_class_as_asked_for():
    labels = torch.arange(60) % 5
    chosen = first_of_each(labels, 3, torch.Generator().manual_seed(0))
    assert labels[chosen].bincount().tolist() == [3] * 5 and len(set(chosen.tolist())) == 15


def test_pictures_of_both_tasks_have_the_form_that_the_network_takes():
    flowers, sketches = pictures("flowers", "test"), pictures("sketches", "test")
    assert flowers.images.shape[1:] == sketches.images.shape[1:] == (3, 96, 96)
    assert sketches.labels.bincount().tolist() == [10] * 10
    assert sketches.images.median() > 0.9  # paper is white
    assert WAYS["all"].frozen == 0 and WAYS["readout"].frozen == WAYS["readout"].kept
