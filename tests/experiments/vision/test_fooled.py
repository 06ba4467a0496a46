"""Fooling digits: what is counted, by hand; and that the three networks learn what they are said to."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional

from course_experiments.protocol import Budget
from course_experiments.vision import fooled


class Says(nn.Module):
    """Says the class that the first pixel names, and how surely."""

    def __init__(self, sure: float) -> None:
        super().__init__()
        self.sure = sure

    def forward(self, pixels):
        chances = functional.one_hot(pixels[:, 0, 0, 0].long(), fooled.KINDS) * (
            self.sure - (1 - self.sure) / 9
        )
        return (chances + (1 - self.sure) / 9).log()


def named(*classes):
    pixels = torch.zeros(len(classes), 1, 28, 28)
    pixels[:, 0, 0, 0] = torch.tensor(classes, dtype=torch.float)
    return pixels


def test_of_four_one_is_wrong_and_as_sure_as_the_others():
    error, confidence = fooled.error_and_confidence(Says(0.7), named(3, 5, 8, 0), torch.tensor([3, 5, 6, 0]))
    assert error == 25 and confidence == pytest.approx(70)


def test_the_confidence_is_that_of_the_wrong_ones_alone():
    class Doubts(nn.Module):
        def forward(self, pixels):
            return torch.stack([pixels[:, 0, 0, 0], torch.zeros(len(pixels))], dim=1)

    pixels = named(math.log(9), math.log(3), math.log(4))  # class 0 with 0.9, 0.75 and 0.8
    error, confidence = fooled.error_and_confidence(Doubts(), pixels, torch.tensor([0, 1, 1]))
    assert error == pytest.approx(200 / 3) and confidence == pytest.approx(77.5)


@pytest.fixture
def few(monkeypatch):
    pixels, labels = fooled.digits("train")
    monkeypatch.setattr(fooled, "digits", lambda part: (pixels[:200], labels[:200]))
    return pixels[:200], labels[:200]


@pytest.mark.parametrize("which", fooled.NETWORKS)
def test_a_network_learns_and_its_seed_decides(few, which):
    one, same, other = (fooled.learn(which, seed, passes=3) for seed in (0, 0, 1))
    weights = [next(network.parameters()) for network in (one, same, other)]
    assert torch.equal(weights[0], weights[1]) and not torch.equal(weights[0], weights[2])
    assert not one.training
    one.train()  # after twelve steps the running statistics are still those of the start
    assert fooled.error_and_confidence(one, *few)[0] < 75  # chance: 90


def test_only_the_adversarial_one_learns_from_attacked_digits(few, monkeypatch):
    attacks = []
    attack = fooled.fast_gradient_sign
    monkeypatch.setattr(
        "course_lib.vision.fooling.fast_gradient_sign",
        lambda network, pixels, labels, epsilon: (
            attacks.append(epsilon) or attack(network, pixels, labels, epsilon)
        ),
    )
    for which, expected in (("softmax", []), ("convolutions", []), ("adversarial", [fooled.EPSILON] * 4)):
        attacks.clear()
        fooled.learn(which, seed=0, passes=1)
        assert attacks == expected, which


def test_what_is_recorded_names_each_strength_and_the_paper_at_its_own(few, monkeypatch, tmp_path):
    monkeypatch.setattr(fooled, "learn", lambda which, seed: Says(0.6 + 0.1 * seed))
    monkeypatch.setattr(
        fooled, "fast_gradient_sign", lambda network, pixels, labels, epsilon: named(1, 2, 3, 4)
    )
    monkeypatch.setattr(fooled, "digits", lambda part: (named(0, 0, 0, 0), torch.tensor([1, 2, 9, 9])))
    found = {measured.id: measured for measured in fooled.run("softmax", Budget(tmp_path)).measurements}
    assert len(found) == 2 * len(fooled.TRIED)
    error, confidence = (found[f"fooled-softmax-{what}-25"] for what in ("error", "confidence"))
    assert (error.value, error.spread, error.published) == (50, 0, 99.9)
    assert confidence.value == pytest.approx(70) and confidence.spread == pytest.approx(10)
    assert confidence.published == 79.3 and "section 4" in confidence.published_source
    assert found["fooled-softmax-error-0"].published is None
