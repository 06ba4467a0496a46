from statistics import fmean, stdev

import pytest
import torch

from course_experiments.protocol import Budget
from course_experiments.vision import glimpses
from course_lib.checkpoints import read_checkpoint
from course_lib.visual_attention.ram import RecurrentAttentionModel


def multiply_adds(name: str) -> int:
    """Count by hooks what linear layers and convolutions multiply for one canvas."""
    network, found = glimpses.NETWORKS[name][0](), []

    def hook(layer, inputs, outputs) -> None:
        found.append(layer.weight.numel() * outputs[0].numel() // layer.weight.shape[0])

    for layer in network.modules():
        if isinstance(layer, torch.nn.Linear | torch.nn.Conv2d):
            layer.register_forward_hook(hook)
    with torch.no_grad():
        network(torch.zeros(1, 60, 60))
    return sum(found)


def test_all_networks_multiply_as_often_within_a_few_percent() -> None:
    # What chooses the places counts, too; the control that looks at random has no use for it.
    wanted = multiply_adds("ram")
    for name in ("connected", "convolutional"):
        assert multiply_adds(name) == pytest.approx(wanted, rel=0.04)


def test_error_is_a_share_in_percent() -> None:
    logits = torch.eye(4)
    assert glimpses.error(logits, torch.tensor([0, 1, 2, 0])) == 25.0


def test_an_epoch_is_the_same_again_and_holds_out_the_last_digits() -> None:
    one, two = (next(glimpses.batches("cluttered", 0, 3, count=1)) for _ in range(2))
    assert torch.equal(one.pixels, two.pixels)
    for seed, epoch in ((0, 4), (1, 3)):
        other = next(glimpses.batches("cluttered", seed, epoch, count=1))
        assert not torch.equal(one.pixels, other.pixels)
    assert len(glimpses.canvases("held out", "translated").labels) == glimpses.HELD_OUT
    assert len(glimpses.canvases("test", "translated").labels) == 2000


def test_one_run_is_measured_and_it_is_the_same_each_time() -> None:
    torch.manual_seed(0)
    network = RecurrentAttentionModel(10, size=4, glimpses=3, hidden_size=16)
    batch = next(glimpses.batches("translated", 0, 0, count=1))
    torch.testing.assert_close(glimpses.answers(network, batch), glimpses.answers(network, batch))


@pytest.fixture
def short(monkeypatch) -> None:
    """Training takes two epochs of two batches of four canvases."""
    for name, value in (("BATCHES", 2), ("EPOCHS", 2), ("BATCH", 4)):
        monkeypatch.setattr(glimpses, name, value)
    original = glimpses.batches
    monkeypatch.setattr(glimpses, "batches", lambda *which: original(*which, count=2))


@pytest.mark.parametrize(
    ("name", "kind", "published", "kept"),
    [("ram", "translated", 1.22, ["ram_translated.safetensors"]), ("connected", "cluttered", None, [])],
)
def test_a_short_run_pauses_goes_on_and_measures(tmp_path, short, name, kind, published, kept) -> None:
    paused = glimpses.run(name, kind, Budget(tmp_path, minutes=0.0))
    assert paused.paused
    outcome = glimpses.run(name, kind, Budget(tmp_path))
    id = f"glimpses-{kind}-{name}"
    seeds = [f"{id}-seed-{seed}" for seed in range(3)] if kind == "translated" else []
    assert [measured.id for measured in outcome.measurements] == [id, *seeds, f"{id}-minutes"]
    assert outcome.measurements[0].published == published
    assert [path.name for path in outcome.checkpoints] == kept


def test_an_error_is_the_mean_of_its_seeds_and_the_first_is_kept(tmp_path, short, monkeypatch) -> None:
    trained, errors = [], iter((4.0, 5.0, 9.0))
    learn = glimpses.learn

    def noted(network, kind, seed, folder) -> float:
        minutes = learn(network, kind, seed, folder)
        trained.append((seed, network))
        return minutes

    monkeypatch.setattr(glimpses, "learn", noted)
    monkeypatch.setattr(glimpses, "error", lambda logits, labels: next(errors))
    outcome = glimpses.run("ram", "translated", Budget(tmp_path))
    found, *seeds, _ = outcome.measurements
    assert (found.value, found.spread) == (fmean((4, 5, 9)), stdev((4, 5, 9)))
    assert [seed.value for seed in seeds] == [4, 5, 9]
    assert [seed for seed, _ in trained] == [0, 1, 2]
    _, kept = read_checkpoint(outcome.checkpoints[0])
    networks = [network.W_g.weight for _, network in trained]
    nearest = min(range(3), key=lambda i: (networks[i] - kept["W_g.weight"]).abs().max().item())
    assert nearest == 0
    assert not torch.equal(networks[1], networks[2])
