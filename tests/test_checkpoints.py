"""Weights in whole numbers: how much is lost, and what is not."""

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from course_lib.checkpoints import CheckpointError, load_model, read_checkpoint, save_checkpoint


def model() -> nn.Module:
    torch.manual_seed(0)
    layers = nn.Sequential(
        nn.Embedding(5, 8, padding_idx=0), nn.Conv1d(8, 4, 3), nn.LayerNorm(4), nn.Linear(4, 2)
    )
    with torch.no_grad():
        layers[3].weight[0] *= 1e-4  # a row of its own size keeps its own precision
    return layers


def test_every_weight_is_within_half_a_step_of_its_row(tmp_path):
    original, path = model(), tmp_path / "m.safetensors"
    save_checkpoint(path, original, {"a": 1}, int8=True)
    config, stored = read_checkpoint(path)
    assert config == {"a": 1}
    assert stored.keys() == original.state_dict().keys()
    for name, weight in original.state_dict().items():
        if weight.dim() == 1:
            assert torch.equal(stored[name], weight.half().float())
        for row, found in zip(
            weight.reshape(len(weight), -1), stored[name].reshape(len(weight), -1), strict=True
        ):
            step = row.abs().max() / 127
            assert (row - found).abs().max() <= 0.5001 * step + 1e-4 * row.abs().max()
    assert torch.equal(stored["0.weight"][0], torch.zeros(8))  # the row of zeros
    half = tmp_path / "half.safetensors"
    save_checkpoint(half, nn.Linear(400, 400), {})
    whole = tmp_path / "whole.safetensors"
    save_checkpoint(whole, nn.Linear(400, 400), {}, int8=True)
    assert whole.stat().st_size < 0.52 * half.stat().st_size


def test_a_row_is_all_that_one_output_is_made_of(tmp_path):
    path = tmp_path / "m.safetensors"
    save_checkpoint(path, nn.Conv2d(3, 5, 2), {}, int8=True)
    stored = load_file(path)
    assert stored["weight"].dtype == torch.int8
    assert stored["weight:scale"].numel() == 5


def test_a_second_round_loses_nothing(tmp_path):
    once, twice = tmp_path / "1.safetensors", tmp_path / "2.safetensors"
    save_checkpoint(once, model(), {}, int8=True)
    loaded, _ = load_model(once, lambda config: model())
    save_checkpoint(twice, loaded, {}, int8=True)
    _, first = read_checkpoint(once)
    _, second = read_checkpoint(twice)
    for name, weight in first.items():
        torch.testing.assert_close(second[name], weight, rtol=1e-6, atol=0)


def test_a_model_with_other_weights_is_refused(tmp_path):
    path = tmp_path / "m.safetensors"
    save_checkpoint(path, nn.Linear(3, 2), {}, int8=True)
    with pytest.raises(CheckpointError, match="holds another model"):
        load_model(path, lambda config: nn.Linear(2, 2))


def test_weights_that_lie_in_memory_channels_last_come_back(tmp_path):
    layer = torch.nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
    save_checkpoint(tmp_path / "it.safetensors", layer, {}, int8=True)
    _, weights = read_checkpoint(tmp_path / "it.safetensors")
    torch.testing.assert_close(weights["weight"], layer.weight.detach(), atol=0.002, rtol=0)
