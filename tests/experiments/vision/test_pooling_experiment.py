import pytest
import torch
from torch import nn

from course_experiments.vision import pooling


def test_both_networks_have_the_same_weights_and_differ_in_their_pooling():
    networks = {}
    for kind in pooling.POOLS:
        torch.manual_seed(0)
        networks[kind] = pooling.network(kind)
    for one, other in zip(*(network.parameters() for network in networks.values()), strict=True):
        assert torch.equal(one, other)
    x = torch.rand(2, 1, 28, 28)
    largest, mean = (network[:3](x) for network in networks.values())
    assert largest.shape == mean.shape and (largest >= mean).all() and not torch.equal(largest, mean)


def test_accuracy_counts_what_is_right():
    labels = torch.tensor([0, 1, 1, 2])
    said = nn.functional.one_hot(torch.tensor([0, 1, 2, 2]), 3).float()
    assert pooling.accuracy(nn.Identity(), said, labels) == pytest.approx(75)


def test_training_learns_and_leaves_the_held_out_pictures_alone(monkeypatch):
    images, labels = pooling.clothes("train")
    few = images[:300].clone(), labels[:300].clone()
    few[0][-100:] = torch.nan  # were they seen, all weights would be NaN
    monkeypatch.setattr(pooling, "clothes", lambda part: few)
    monkeypatch.setattr(pooling, "HELD_OUT", 100)
    model = pooling.learn("max", 4e-3, seed=0)
    assert pooling.accuracy(model, few[0][:200], few[1][:200]) > 30  # chance: 10
