"""Foretelling films: what is read, what is told, how wrong it is."""

from functools import partial
from pathlib import Path

import pytest
import torch

from course_experiments.recurrent import next_frames
from course_experiments.recurrent.next_frames import (
    copied,
    errors_ahead,
    frame_results,
    ink_ahead,
    train_predictor,
    try_predictor,
)
from course_experiments.results import result
from course_lib.applications.frames import NETWORKS, convolutional, fully_connected, load_predictor
from course_lib.data.moving_digits import AHEAD, GIVEN, films


def test_the_lstm_has_as_many_parameters_and_the_wide_one_many_more() -> None:
    sizes = {name: sum(p.numel() for p in make().parameters()) for name, make in NETWORKS.items()}
    assert sizes["lstm-same-size"] == pytest.approx(sizes["conv-lstm"], rel=0.03)
    assert sizes["lstm-wide"] > 20 * sizes["conv-lstm"]


@pytest.mark.parametrize("make", [partial(convolutional, 4), partial(fully_connected, 5)])
def test_beyond_the_film_it_reads_its_own_answers(make) -> None:
    torch.manual_seed(0)
    model, frames = make(), films("test", 2, seed=0).frames
    told = model(frames[:, :4], 3)
    assert told.shape == (2, 6, 1, 32, 32)
    torch.testing.assert_close(told[:, :4], model(frames[:, :4]))
    longer = frames[:, :4]
    for step in range(3):
        answer = model(longer)[:, -1:]
        torch.testing.assert_close(told[:, 3 + step : 4 + step], answer)
        longer = torch.cat([longer, torch.sigmoid(answer)], dim=1)
    with pytest.raises(ValueError, match="ahead is 0; allowed is 1 or more"):
        model(frames, 0)


def test_a_patch_is_four_by_four_pixels_and_comes_back_to_its_place() -> None:
    model, frames = convolutional(), torch.rand(2, 3, 1, 32, 32)
    patches = model.read(frames)
    assert patches.shape == (2, 3, 16, 8, 8)
    assert torch.equal(patches[1, 2, :, 3, 5], frames[1, 2, 0, 12:16, 20:24].flatten())
    assert torch.equal(model.write(patches), frames)


def test_the_error_is_summed_over_pixels_and_averaged_over_films() -> None:
    frames = films("test", 5, seed=0).frames
    expected = [
        sum(((frames[f, GIVEN - 1] - frames[f, GIVEN + k]) ** 2).sum().item() for f in range(5)) / 5
        for k in range(AHEAD)
    ]
    assert errors_ahead(copied, frames) == pytest.approx(expected, rel=1e-5)
    assert errors_ahead(lambda given: frames[:, GIVEN:], frames) == [0.0] * AHEAD


def test_training_changes_the_model_and_a_checkpoint_brings_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(next_frames, "PROBE", 20)
    assert train_predictor(convolutional(4), 0.0, seed=0) == 0
    path = tmp_path / "new" / "conv_lstm.safetensors"
    run = try_predictor("conv-lstm", path, cpu_seconds=0.2)
    assert run.films >= 8 and run.films % 8 == 0
    torch.manual_seed(0)
    fresh, trained = convolutional(), load_predictor(path)
    frames = films("test", 20, seed=1).frames
    assert any(
        not torch.allclose(a, b, atol=1e-3)
        for a, b in zip(fresh.parameters(), trained.parameters(), strict=True)
    )
    assert errors_ahead(partial(ink_ahead, trained), frames) == pytest.approx(run.errors, rel=1e-5)
    found = {r.id: r.value for r in frame_results([run])}
    assert len(found) == 3 + 2 * AHEAD
    assert found["conv-lstm-copy-ahead-2"] == pytest.approx(errors_ahead(copied, frames)[1], abs=1e-3)
    assert found["conv-lstm-conv-lstm-ahead-6"] == pytest.approx(run.errors[5], abs=1e-3)


def test_all_networks_are_recorded_after_the_same_training_time() -> None:
    assert {result(f"conv-lstm-{name}-cpu-seconds").value for name in NETWORKS} == {next_frames.SECONDS}


def test_the_shipped_network_is_as_wrong_as_recorded_and_better_than_one_of_its_size() -> None:
    frames = films("test", next_frames.PROBE, seed=1).frames
    measured = {
        "conv-lstm": errors_ahead(partial(ink_ahead, load_predictor()), frames),
        "copy": errors_ahead(copied, frames),
    }
    for k in range(1, AHEAD + 1):
        recorded = {n: result(f"conv-lstm-{n}-ahead-{k}").value for n in ("copy", *NETWORKS)}
        assert recorded["conv-lstm"] < min(recorded["copy"], recorded["lstm-same-size"])
        for name, errors in measured.items():
            assert recorded[name] == pytest.approx(errors[k - 1], rel=1e-3)
