from statistics import fmean, stdev

import torch

from course_experiments.protocol import Budget
from course_experiments.vision import canvases
from course_lib.visual_attention.draw import Draw


def test_pixels_are_ink_as_often_as_they_are_bright() -> None:
    chances = torch.tensor([0.0, 0.25, 1.0]).expand(4000, 3)
    drawn = canvases.binarised(chances, torch.Generator().manual_seed(0))
    assert set(drawn.unique().tolist()) == {0.0, 1.0}
    torch.testing.assert_close(drawn.mean(0), torch.tensor([0.0, 0.25, 1.0]), atol=0.04, rtol=0)


def test_a_pass_shows_every_digit_once_and_the_next_one_other_pixels() -> None:
    chances = torch.rand(103, 28, 28).round()  # 0 or 1: the draw changes nothing
    shown = torch.cat(list(canvases.batches(chances, 0, 0)))
    key = torch.rand(28, 28, dtype=torch.float64)
    assert torch.allclose((shown * key).sum((1, 2)).sort()[0], (chances * key).sum((1, 2)).sort()[0])
    grey = torch.full((10, 28, 28), 0.5)
    drawn = [next(canvases.batches(grey, *which)) for which in ((0, 0), (0, 1), (1, 0))]
    assert not any(torch.equal(drawn[0], other) for other in drawn[1:])


def test_parts_share_no_digit() -> None:
    train, held_out = canvases.digits("train"), canvases.digits("held out")
    assert len(train) == 7500
    assert len(held_out) == 500
    assert len(canvases.digits("test")) == 2000


def test_a_short_run_goes_on_and_measures_its_seeds(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(canvases, "EPOCHS", 2)
    monkeypatch.setattr(canvases, "digits", lambda part: torch.rand(60, 28, 28))
    assert canvases.run("windows", Budget(tmp_path, minutes=0.0)).paused
    measured = []
    mean_bound = canvases.mean_bound

    def noted(network, part) -> float:
        bound = mean_bound(network, part)
        measured.extend([bound] if part == "test" else [])
        return bound

    monkeypatch.setattr(canvases, "mean_bound", noted)
    outcome = canvases.run("windows", Budget(tmp_path))
    bound = outcome.measurements[0]
    assert len({*measured}) == 3
    assert (bound.value, bound.spread) == (fmean(measured), stdev(measured))
    assert [seed.value for seed in outcome.measurements[1:4]] == measured
    assert bound.id == "draw-windows-bound"
    assert bound.published == 80.97
    assert outcome.checkpoints[0].name == "draw_windows.safetensors"


def test_the_mean_bound_is_the_same_each_time() -> None:
    torch.manual_seed(0)
    network = Draw(28, 28, steps=2, hidden_size=8)
    assert canvases.mean_bound(network, "held out") == canvases.mean_bound(network, "held out")
