"""Dropout acts where the docstrings say, and nowhere else.

A dropout that doubles instead of dropping makes its places visible: the result is compared with a formula, or
with torch's own layers, that double there.
"""

import pytest
import torch
from torch import nn
from torch.nn import functional

from course_lib.recurrent.language_model import LanguageModel
from course_lib.recurrent.tcn import TCN


@pytest.fixture(autouse=True)
def doubled(monkeypatch):
    for kind in (nn.Dropout, nn.Dropout1d):
        monkeypatch.setattr(kind, "forward", lambda self, x: 2 * x if self.p > 0 else x)
    torch.manual_seed(0)


def test_a_language_model_drops_between_its_layers_and_below_the_softmax() -> None:
    model = LanguageModel(7, 5, "lstm", embedding_size=4, layers=2, dropout=0.5).double()
    tokens = torch.tensor([[1, 2, 3, 6], [0, 0, 5, 4]])
    outputs = model.embedding(tokens)  # not dropped
    for i, rnn in enumerate(model.layers.rnns):
        outputs = rnn(2 * outputs if i else outputs)[0]
    torch.testing.assert_close(model(tokens)[0], model.head(2 * outputs))


def test_a_temporal_network_drops_after_each_convolution_and_leaves_the_way_around() -> None:
    model = TCN(3, 4, blocks=2, kernel_size=3, dropout=0.5).double()
    inputs = torch.randn(2, 9, 3, dtype=torch.float64)
    x = inputs.transpose(1, 2)
    for i, block in enumerate(model.blocks):
        inner = x
        for convolution in (block.transform[0].conv, block.transform[3].conv):
            padded = functional.pad(inner, (2 * 2**i, 0))
            inner = 2 * functional.conv1d(padded, convolution.weight, convolution.bias, dilation=2**i).clamp(
                min=0
            )
        x = (block.around(x) + inner).clamp(min=0)
    torch.testing.assert_close(model(inputs), x.transpose(1, 2))


def test_a_temporal_network_hides_whole_channels(monkeypatch) -> None:
    monkeypatch.undo()
    block = TCN(3, 64, blocks=1, dropout=0.5).train().blocks[0]
    hidden = block.transform[2](torch.ones(1, 64, 20))
    assert all(len(set(channel.tolist())) == 1 for channel in hidden[0])  # all steps, or none
    assert 0 < (hidden == 0).float().mean() < 1


def test_the_convolutions_of_a_temporal_network_have_a_norm_of_their_own() -> None:
    """Weight norm (Salimans and Kingma 2016): w = g v / ‖v‖, so scaling v changes nothing, and g scales w."""
    model = TCN(3, 4, blocks=2)
    for block in model.blocks:
        for convolution in (block.transform[0].conv, block.transform[3].conv):
            before = convolution.weight.detach().clone()
            norm, direction = convolution.parametrizations.weight.parameters()
            with torch.no_grad():
                direction.mul_(3)
                torch.testing.assert_close(convolution.weight, before)
                norm.mul_(2)
            torch.testing.assert_close(convolution.weight, 2 * before)
