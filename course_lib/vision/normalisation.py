"""Four normalisations, one function: they differ only in which numbers share a mean and a variance.

    y = γ_c · (x − μ) / √(σ² + ε) + β_c

| name     | mean and variance over          | source                                   |
| batch    | pictures and places             | Ioffe and Szegedy 2015, algorithm 1      |
| layer    | channels and places             | Ba, Kiros and Hinton 2016, section 3     |
| instance | places                          | Ulyanov, Vedaldi and Lempitsky 2016      |
| group    | places and a group of channels  | Wu and He 2018, section 3.1, figure 2    |

Seen as (pictures, groups, channels of a group, places), layer is one group, and instance a group for each
channel; batch alone looks at other pictures. Therefore batch alone needs two modes: in training it takes the
statistics of the batch and keeps a running mean of them, which it takes afterwards.
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.vision.convolution import per_channel

Kind = Literal["batch", "layer", "instance", "group"]
EPSILON = 1e-5  # keeps the division finite where all numbers are equal


class Statistics(NamedTuple):
    """Mean and variance (the mean of squares, not the unbiased one), with length 1 along shared axes."""

    mean: Tensor
    variance: Tensor


def shared_axes(kind: Kind, places: int) -> tuple[int, ...]:
    """Return which axes of (pictures, groups, channels of a group, *places) share their statistics."""
    own = tuple(range(2, 3 + places))
    return (0, *own) if kind == "batch" else own


def normalise(
    inputs: Float[Tensor, "batch channels *places"],
    kind: Kind,
    groups: int = 1,
    known: Statistics | None = None,
) -> tuple[Float[Tensor, "batch channels *places"], Statistics]:
    """Return (x − μ) / √(σ² + ε), and the μ and σ² that were taken.

    Args:
        inputs: pictures, or whatever has channels and places.
        kind: which numbers share their mean and variance.
        groups: of channels, for "group"; the other kinds know theirs.
        known: statistics to take; None computes them from the inputs.

    Raises:
        ValueError: a mean would be of one number, which leaves nothing of it.
    """
    count = {"batch": inputs.shape[1], "layer": 1, "instance": inputs.shape[1], "group": groups}[kind]
    numbers = inputs.unflatten(1, (count, -1))  # (pictures, groups, channels of a group, *places)
    axes = shared_axes(kind, inputs.ndim - 2)
    if known is None:
        mean = numbers.mean(axes, keepdim=True)
        if mean.numel() == numbers.numel():
            raise ValueError(
                f"{kind} normalisation of shape {tuple(inputs.shape)} has one number for each mean; "
                "allowed are two or more"
            )
        known = Statistics(mean, (numbers - mean).square().mean(axes, keepdim=True))
    return ((numbers - known.mean) / (known.variance + EPSILON).sqrt()).flatten(1, 2), known


def shared_with_first(
    kind: Kind, shape: tuple[int, ...], groups: int = 1
) -> Bool[Tensor, "batch channels *places"]:
    """Return which numbers share their statistics with the first: those by which its mean has a gradient.

    Args:
        kind, groups: as of `normalise`.
        shape: (batch, channels, *places).
    """
    inputs = torch.zeros(shape, requires_grad=True)
    _, taken = normalise(inputs, kind, groups)
    (gradient,) = torch.autograd.grad(taken.mean.flatten()[0], inputs)
    return gradient != 0


class Normalisation(nn.Module):
    """One of the four, with a learned scale and shift for each channel.

    Args:
        kind: "batch", "layer", "instance" or "group".
        channels: C.
        groups: parts into which "group" splits the channels.
        momentum: weight of the newest batch in the running statistics of "batch".

    Raises:
        ValueError: another kind, or channels that can't be split so.
    """

    running_mean: Tensor
    running_variance: Tensor

    def __init__(self, kind: Kind, channels: int, groups: int = 1, momentum: float = 0.1) -> None:
        super().__init__()
        if groups < 1 or channels % groups:
            raise ValueError(f"{channels} channels can't be split into {groups} groups")
        self.kind, self.channels, self.groups, self.momentum = kind, channels, groups, momentum
        self.weight = nn.Parameter(torch.ones(channels))  # γ
        self.bias = nn.Parameter(torch.zeros(channels))  # β
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_variance", torch.ones(channels))

    def forward(
        self, inputs: Float[Tensor, "batch channels *places"]
    ) -> Float[Tensor, "batch channels *places"]:
        """Return the inputs normalised, scaled and shifted.

        Raises:
            ValueError: another number of channels, or a mean of one number.
        """
        if inputs.shape[1] != self.channels:
            raise ValueError(f"inputs have {inputs.shape[1]} channels; this layer is for {self.channels}")
        by_running = self.kind == "batch" and not self.training
        normal, taken = normalise(
            inputs, self.kind, self.groups, self.running(inputs) if by_running else None
        )
        if self.kind == "batch" and self.training:
            self.remember(taken, inputs.numel() // self.channels)
        return per_channel(self.weight, inputs) * normal + per_channel(self.bias, inputs)

    def running(self, inputs: Tensor) -> Statistics:
        """Return the running statistics in a shape that fits these inputs."""
        shape = (1, -1, *[1] * (inputs.ndim - 1))
        return Statistics(self.running_mean.reshape(shape), self.running_variance.reshape(shape))

    @torch.no_grad()
    def remember(self, batch: Statistics, count: int) -> None:
        """Move the running statistics a step towards those of a batch; its variance made unbiased."""
        unbiased = batch.variance * count / (count - 1)
        self.running_mean.lerp_(batch.mean.flatten(), self.momentum)
        self.running_variance.lerp_(unbiased.flatten(), self.momentum)
