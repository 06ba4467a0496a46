"""The task of bending: its targets against plain shifts, and a deformable layer that solves it by design."""

import pytest
import torch
from torch import nn

from course_experiments.vision.deformable import (
    FARTHEST,
    bend,
    clothes,
    deformable,
    error_left,
    fixed_grid,
    learn,
    where_it_looks,
)
from course_lib.vision import measured_field


def test_a_target_is_the_picture_where_the_arrows_point(monkeypatch):
    pictures = torch.rand(1, 1, 9, 9)
    monkeypatch.setattr(torch, "rand", lambda *shape, generator: torch.full(shape, 0.75))  # all arrows are +½
    task = bend(pictures, torch.Generator())
    assert torch.equal(task.inputs[:, :1], pictures) and (task.inputs[:, 1:] == 0.5).all()
    assert FARTHEST * 0.5 == 2
    torch.testing.assert_close(task.targets[:, :, :7, :7], pictures[:, :, 2:, 2:])
    assert task.targets[:, :, 7:].count_nonzero() == 0  # outside lies 0


def test_arrows_differ_and_change_smoothly():
    arrows = bend(torch.rand(2, 1, 28, 28), torch.Generator().manual_seed(0)).inputs[:, 1:]
    assert arrows.abs().max() <= 1 and not torch.equal(arrows[0], arrows[1])
    assert arrows.diff(dim=-1).abs().max() <= 2 / 9 + 1e-6  # from −1 to 1 takes nine pixels at least


def test_one_deformable_layer_can_bend_exactly_as_told():
    layer = deformable()
    with torch.no_grad():
        for weight in layer.parameters():
            weight.zero_()
        layer.kernel.weight[0, 0, 1, 1] = 1  # look at the picture's middle tap …
        layer.offsets.weight[8, 1, 1, 1] = FARTHEST  # … which goes where the arrow says: tap 4, y then x
        layer.offsets.weight[9, 2, 1, 1] = FARTHEST
    assert error_left(layer, "test") < 1e-8
    task = bend(clothes("test")[:3], torch.Generator().manual_seed(0))
    tails, heads, looks = where_it_looks(layer, task, 2, every=9)
    assert tails[:2].tolist() == [[4, 4], [4, 13]]
    torch.testing.assert_close(looks, heads)
    expected = task.inputs[2, 1:, 4, 13] * FARTHEST + torch.tensor([4.0, 13.0])
    torch.testing.assert_close(heads[1], expected)


def test_handing_the_picture_through_leaves_the_whole_error():
    class Through(nn.Module):
        def forward(self, inputs):
            return inputs[:, :1]

    assert error_left(Through(), "test") == pytest.approx(1)


def test_the_fixed_grid_sees_as_far_as_an_arrow_points():
    torch.manual_seed(0)
    net = fixed_grid()
    field = measured_field(net, torch.rand(8, 3, 15, 15), (7, 7))
    assert field.sum() == (2 * FARTHEST + 1) ** 2


def test_training_goes_down_and_is_the_same_for_the_same_seed():
    runs = []
    for _ in range(2):
        torch.manual_seed(0)
        runs.append(list(learn(deformable(), 12, 1e-2, seed=1)))
    assert runs[0] == runs[1] and runs[0][-1] < runs[0][0]
    assert clothes("test").max() == 1
