"""Copying and reading both ways: the measures against networks that answer as told."""

import pytest
import torch
from torch import nn

from course_experiments.memory import tapes, two_ways
from course_experiments.memory.keeping import kept
from course_experiments.memory.tapes import LESSONS, NETWORKS, Lesson
from course_experiments.protocol import PAUSED, Budget
from course_lib.data.memory_tasks import BITS


class Copies(nn.Module):
    """Says what it was shown, as often as the sign says; with some bits turned."""

    def __init__(self, wrong=0):
        super().__init__()
        self.wrong, self.rows = wrong, 0

    def forward(self, inputs):
        length = int(inputs[0, :, BITS].argmax())
        vectors = inputs[:, :length, :BITS]
        repeats = int(inputs[0, length, BITS])
        said = torch.zeros(*inputs.shape[:2], BITS)
        said[:, length + 1 :] = 2 * vectors.repeat(1, repeats, 1) - 1
        said[:, -1, : self.wrong] *= -1
        return said, None


def test_wrong_bits_are_counted():
    assert tapes.wrong_bits(Copies(), 5, 3) == 0
    assert tapes.wrong_bits(Copies(wrong=4), 5, 2) == pytest.approx(100 * 4 / (5 * 2 * 8))
    lesson = Lesson(2, 2, 1, ())
    shares = [100 * 8 / (length * repeats * 8) for length in (1, 2) for repeats in (1, 2)]
    assert tapes.within(Copies(wrong=8), lesson) == pytest.approx(sum(shares) / 4)


def test_both_networks_have_about_as_many_weights():
    sizes = [sum(weight.numel() for weight in make().parameters()) for make in NETWORKS.values()]
    assert max(sizes) / min(sizes) < 1.01


def test_both_learn_from_the_same_sequences_and_their_loss_falls():
    lesson = Lesson(3, 1, 60, ())
    for make in NETWORKS.values():
        torch.manual_seed(0)
        losses = list(tapes.learn(make(), lesson, seed=0))
        assert len(losses) == 60 and sum(losses[-10:]) < sum(losses[:10])


def test_training_is_done_once(tmp_path):
    def learn(network):
        network.weight.data += 1
        yield 1.0

    first, minutes = kept(tmp_path / "kept.pt", lambda: nn.Linear(2, 2), learn, seed=3)
    torch.manual_seed(3)
    torch.testing.assert_close(first.weight, nn.Linear(2, 2).weight + 1)
    again, same = kept(tmp_path / "kept.pt", lambda: nn.Linear(2, 2), learn, seed=4)
    assert torch.equal(first.weight, again.weight) and same == minutes


def test_the_experiment_of_tapes_pauses_goes_on_and_keeps_the_best(tmp_path, monkeypatch):
    monkeypatch.setitem(LESSONS, "copy", Lesson(2, 1, 2, ((2, 1), (3, 1))))
    monkeypatch.setattr(tapes, "SEEDS", 2)
    assert tapes.run("copy", Budget(tmp_path, minutes=0)) == PAUSED
    outcome = tapes.run("copy", Budget(tmp_path))
    ids = {found.id for found in outcome.measurements}
    assert {"tape-copy-machine-within", "tape-copy-machine-3", "tape-copy-lstm-2"} <= ids
    assert outcome.checkpoints[0].name == "tape_copy.safetensors" and outcome.checkpoints[0].exists()


def test_content_only_reads_by_content_only():
    torch.manual_seed(0)
    computer = two_ways.ContentOnly(**two_ways.MACHINE)
    _, track = computer(torch.rand(2, 4, BITS + 2))
    assert torch.equal(track.read_modes, torch.tensor([0.0, 1, 0]).expand(2, 4, 1, 3))


def test_the_experiment_of_two_ways_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(two_ways, "STEPS", 2)
    monkeypatch.setattr(two_ways, "SEEDS", 1)
    assert two_ways.run(Budget(tmp_path, minutes=0)) == PAUSED
    outcome = two_ways.run(Budget(tmp_path))
    values = {found.id: found.value for found in outcome.measurements}
    assert 0 <= values["two-ways-links-20"] <= 100 and "two-ways-content-20" in values
    assert outcome.checkpoints[0].exists()
