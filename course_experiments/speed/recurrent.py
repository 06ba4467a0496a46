"""Recurrent layers, beside torch's."""

import torch
from torch import Tensor, nn

from course_experiments.speed.harness import Benchmark, check_same, side_by_side
from course_lib.recurrent import from_torch


def recurrent_layer(
    kind: type[nn.RNN | nn.LSTM | nn.GRU], batch: int = 64, steps: int = 35, size: int = 256, rounds: int = 9
) -> Benchmark:
    """One layer forward and backward, the same weights in both.

    Args:
        kind: `nn.RNN`, `nn.LSTM` or `nn.GRU`.
        batch, steps, size, rounds: size of the work; inputs have as many features as states.
    """
    torch.manual_seed(0)
    theirs = kind(size, size, batch_first=True)
    ours = from_torch(theirs)
    x = torch.randn(batch, steps, size, requires_grad=True)

    def run(model: nn.Module) -> Tensor:
        outputs, _ = model(x)
        outputs.sum().backward()
        return outputs

    name = f"{kind.__name__}, forward and backward, batch {batch}, {steps} steps, hidden {size}"
    check_same(name, run(ours), run(theirs))
    times = side_by_side(lambda: run(ours), lambda: run(theirs), rounds)
    return Benchmark(name, f"nn.{kind.__name__}", *times, target=1.5)
