"""What a layer costs as sequences grow: time, memory at its peak, and layers until far words meet."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from statistics import median

import torch
from torch import Tensor, nn

from course_lib.attention.multihead import MultiHeadAttention

Layer = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Cost:
    """What one layer takes for one sentence, forward and backward.

    Args:
        layer: "RNN", "CNN" or "self-attention".
        length: positions of the sentence.
        seconds: processor time, median.
        peak_bytes: most memory that its tensors took at once, beyond the input and the weights.
    """

    layer: str
    length: int
    seconds: float
    peak_bytes: int


def peak_memory(work: Callable[[], object]) -> int:
    """Return the most bytes of tensors that were alive at once, those made before not counted."""
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # otherwise each use of the profiler is told on stderr
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
    ) as profile:
        work()
    events = profile.profiler.kineto_results.events()  # type: ignore[union-attr]
    changes = sorted((event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]")
    return max(accumulate((nbytes for _, nbytes in changes), initial=0))


def cost_over_length(
    lengths: tuple[int, ...] = (16, 64, 256, 1024), size: int = 64, rounds: int = 3
) -> list[Cost]:
    """Time and peak memory of three layers that let positions meet, over the sentence's length n.

    A layer costs O(n d²) for a recurrent, O(k n d²) for a convolutional layer of width k = 3, and
    O(n² d) for self-attention (Vaswani et al. 2017, table 1); n² weights take O(n²) memory.
    The RNN is a tanh network, the attention has 4 heads.
    """
    torch.manual_seed(0)
    layers = _layers(size)
    costs = []
    for length in lengths:
        x = torch.randn(1, length, size, requires_grad=True)
        for name, layer in layers.items():

            def work(layer: Layer = layer, x: Tensor = x) -> None:
                layer(x).sum().backward()

            work()
            seconds = []
            for _ in range(rounds):
                start = time.process_time()
                work()
                seconds.append(time.process_time() - start)
            costs.append(Cost(name, length, median(seconds), peak_memory(work)))
    return costs


def layers_to_meet(length: int) -> dict[str, int]:
    """Return how many layers of a kind it takes until the last output depends on the first word.

    Whether it does is read off the gradient, which is exactly 0 without a path. Convolutions have width 3
    and see one word to each side; those that are dilated see 1, 2, 4, … words away, layer by layer.

    Args:
        length: words, 2 or more.

    Raises:
        ValueError: fewer.
    """
    if length < 2:
        raise ValueError(f"length is {length}; allowed is 2 or more")
    reached = {}
    for name, kind, widening in (
        ("RNN", "RNN", 1),
        ("CNN", "CNN", 1),
        ("CNN, dilated", "CNN", 2),
        ("self-attention", "self-attention", 1),
    ):
        torch.manual_seed(0)
        x, stack, met = torch.randn(1, length, 8, requires_grad=True), list[Layer](), False
        while not met:
            stack.append(_layers(8, widening ** len(stack))[kind])
            last = reduce(lambda words, layer: layer(words), stack, x)[0, -1]
            met = bool(torch.autograd.grad(last.sum(), x)[0][0, 0].any())
        reached[name] = len(stack)
    return reached


def _layers(size: int, dilation: int = 1) -> dict[str, Layer]:
    """New layers for (1, words, size), of which only the convolution is dilated."""
    recurrent = nn.RNN(size, size, batch_first=True)
    convolution = nn.Conv1d(size, size, kernel_size=3, padding=dilation, dilation=dilation)
    attention = MultiHeadAttention(size, heads=4)
    return {
        "RNN": lambda x: recurrent(x)[0],
        "CNN": lambda x: convolution(x.transpose(1, 2)).transpose(1, 2),
        "self-attention": lambda x: attention(x, x, x, None)[0],
    }
