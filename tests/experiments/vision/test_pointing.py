"""The pointing game: what counts as a hit, with pointers that are told where things lie."""

import numpy as np
import pytest
import torch
from torch import nn

from course_experiments.vision import pointing


@pytest.fixture
def tried():
    return pointing.scenes("test", 12, np.random.default_rng(0))


def pointer_at(tried, which):
    """Return a method that points into the box of the thing asked for (0), of the next one (1), …"""
    corners = torch.tensor(tried.corners)
    labels = torch.tensor(tried.labels)

    def point(network, pixels, classes):
        maps = torch.zeros(len(pixels), *pixels.shape[2:])
        asked = (labels == classes[:, None]).int().argmax(dim=1)
        for scene, thing in enumerate(asked.tolist()):
            y, x = corners[scene, (thing + which) % pointing.THINGS].tolist()
            maps[scene, y + tried.size - 1, x] = 1  # the box's last row still counts
        return maps

    return point


def test_who_points_at_the_thing_asked_for_hits_always(tried):
    assert pointing.hits(pointer_at(tried, 0), nn.Identity(), tried) == (100, 100)


def test_who_points_at_another_thing_hits_some_thing_only(tried):
    assert pointing.hits(pointer_at(tried, 1), nn.Identity(), tried) == (0, 100)


def test_who_points_at_an_empty_corner_hits_nothing(tried):
    def nowhere(network, pixels, classes):
        empty = torch.tensor(tried.images) == 0
        return empty.float() * (empty.float().cumsum(1).cumsum(2) == 1)

    at_rim = [(corners == 0).all(axis=-1).any() for corners in tried.corners]
    right, anything = pointing.hits(nowhere, nn.Identity(), tried)
    assert right <= anything <= 100 * np.mean(at_rim)


def test_a_place_at_random_hits_as_often_as_the_box_covers_the_canvas(tried):
    generator = torch.Generator().manual_seed(0)

    def anywhere(network, pixels, classes):
        return torch.rand(len(pixels), *pixels.shape[2:], generator=generator)

    share = np.mean([pointing.hits(anywhere, nn.Identity(), tried)[0] for _ in range(60)])
    assert pointing.chance(tried) == pytest.approx(100 * 28 * 28 / 96**2)
    assert share == pytest.approx(pointing.chance(tried), abs=4)  # 2,160 tries: 0.6 either way


def test_each_method_makes_maps_as_large_as_the_scene(tried):
    network, pixels = pointing.untrained(0), torch.rand(2, 1, 96, 96)
    for name, pointer in pointing.POINTERS.items():
        maps = pointer(network, pixels, torch.tensor([1, 2]))
        assert maps.shape == (2, 96, 96) and (maps >= 0).all(), name


def test_what_is_there_is_what_the_scene_is_told_to_hold(tried):
    there = pointing.there(tried.labels)
    assert there.shape == (12, 10) and (there.sum(dim=1) == 3).all()
    for row, labels in zip(there, tried.labels, strict=True):
        assert set(row.nonzero().flatten().tolist()) == set(labels.tolist())

    class Knows(nn.Module):
        def forward(self, pixels):
            return there - 0.5

    class Denies(nn.Module):
        def forward(self, pixels):
            return torch.full((len(pixels), 10), -1.0)

    assert pointing.kinds_right(Knows(), tried) == 100
    assert pointing.kinds_right(Denies(), tried) == pytest.approx(70)  # 7 of 10 kinds are not there


def test_training_is_told_what_is_there_and_its_seed_decides():
    one, same, other = (pointing.learn(seed, steps=3).classifier.weight for seed in (0, 0, 1))
    assert torch.equal(one, same) and not torch.equal(one, other)
    assert not torch.equal(one, pointing.untrained(0).classifier.weight)
