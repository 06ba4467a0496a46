"""DRAW: a picture is painted step by step, each step adding to a canvas.

    x̂_t     = x − σ(c_{t−1})                                  what is still missing
    r_t     = read(x, x̂_t, h^dec_{t−1})
    h^enc_t = LSTM([r_t; h^dec_{t−1}], h^enc_{t−1})
    z_t     ~ N(μ_t, σ_t²),  μ_t = W_μ h^enc_t,  log σ_t = W_σ h^enc_t
    h^dec_t = LSTM(z_t, h^dec_{t−1})
    c_t     = c_{t−1} + write(h^dec_t)

A variational autoencoder with T layers of hidden numbers. Its loss bounds −log p(x) from above, in nats:

    L = −log Bernoulli(x | σ(c_T)) + Σ_t ½ Σ_i (μ_ti² + σ_ti² − log σ_ti² − 1)

The prior of each z_t is N(0, 1), so a new picture is painted by drawing z_t from that, without encoder.

With attention, read and write go through a window of N × N filters that h^dec places (`filter_bank`).
Without, they read and write the whole picture.

Gregor, Danihelka, Graves, Rezende and Wierstra 2015, sections 2 and 3. The constant of the last sum is
printed as T/2 there; it is T/2 for each of the hidden numbers of a step.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn import functional

from course_lib.recurrent.layer import State
from course_lib.recurrent.lstm import LSTM
from course_lib.visual_attention.filter_bank import Window, window

WINDOW = 5  # numbers that place a window


class WholePicture(nn.Module):
    """Reads and writes all of the picture.

    Args:
        hidden_size: of the decoder.
        height, width: of the picture.
    """

    def __init__(self, hidden_size: int, height: int, width: int) -> None:
        super().__init__()
        self.size = height, width
        self.reads = 2 * height * width  # numbers that a look gives
        self.W = nn.Linear(hidden_size, height * width)

    def read(
        self, pictures: Tensor, missing: Tensor, hidden: Float[Tensor, "batch hidden"]
    ) -> tuple[Float[Tensor, "batch reads"], Window | None]:
        """Return picture and what is missing, as they are."""
        return torch.cat([pictures.flatten(1), missing.flatten(1)], dim=1), None

    def write(
        self, hidden: Float[Tensor, "batch hidden"]
    ) -> tuple[Float[Tensor, "batch height width"], Window | None]:
        """Return what is added to the canvas."""
        return self.W(hidden).unflatten(1, self.size), None


class ThroughWindows(nn.Module):
    """Reads through one window and writes through another; the decoder's state places both.

    Args:
        hidden_size: of the decoder.
        height, width: of the picture.
        count: N, filters along each axis of a window.
    """

    def __init__(self, hidden_size: int, height: int, width: int, count: int) -> None:
        super().__init__()
        self.size, self.count = (height, width), count
        self.reads = 2 * count**2
        self.look = nn.Linear(hidden_size, WINDOW)
        self.aim = nn.Linear(hidden_size, WINDOW)
        self.W = nn.Linear(hidden_size, count**2)

    def read(
        self, pictures: Tensor, missing: Tensor, hidden: Float[Tensor, "batch hidden"]
    ) -> tuple[Float[Tensor, "batch reads"], Window | None]:
        """Return a patch of the picture and one of what is missing, and the window."""
        at = window(self.look(hidden), self.count, *self.size)
        return torch.cat([at.read(pictures).flatten(1), at.read(missing).flatten(1)], dim=1), at

    def write(
        self, hidden: Float[Tensor, "batch hidden"]
    ) -> tuple[Float[Tensor, "batch height width"], Window | None]:
        """Return what is added to the canvas, and the window."""
        at = window(self.aim(hidden), self.count, *self.size)
        return at.write(self.W(hidden).unflatten(1, (self.count, self.count))), at


class Painting(NamedTuple):
    """What one run left."""

    canvases: Float[Tensor, "batch steps height width"]  # c_1 … c_T; σ(c) is the chance of ink
    divergences: Float[
        Tensor, "batch steps"
    ]  # of z_t from its prior, in nats; 0 where it was drawn from that
    reads: list[Window | None]  # one a step; None where all was read
    writes: list[Window | None]


class Draw(nn.Module):
    """Paints pictures it sees, or new ones.

    Args:
        height, width: of a picture.
        steps: T, 1 or more.
        hidden_size: of both LSTMs.
        code_size: of z.
        window_size: N; None reads and writes the whole picture.

    Raises:
        ValueError: `steps` is below 1.
    """

    def __init__(
        self,
        height: int,
        width: int,
        steps: int = 10,
        hidden_size: int = 64,
        code_size: int = 10,
        window_size: int | None = 5,
    ) -> None:
        super().__init__()
        if steps < 1:
            raise ValueError(f"steps is {steps}; allowed is 1 or more")
        self.size, self.steps, self.code_size = (height, width), steps, code_size
        self.view = (
            WholePicture(hidden_size, height, width)
            if window_size is None
            else ThroughWindows(hidden_size, height, width, window_size)
        )
        self.encoder = LSTM(self.view.reads + hidden_size, hidden_size)
        self.W_mean = nn.Linear(hidden_size, code_size)
        self.W_deviation = nn.Linear(hidden_size, code_size)
        self.decoder = LSTM(code_size, hidden_size)

    def forward(
        self, pictures: Float[Tensor, "batch height width"], generator: Generator | None = None
    ) -> Painting:
        """Paint pictures after looking at them.

        Args:
            pictures: 0 to 1.
            generator: draws z.

        Raises:
            ValueError: the pictures have another size.
        """
        if tuple(pictures.shape[1:]) != self.size:
            raise ValueError(f"pictures are {tuple(pictures.shape[1:])}; allowed is {self.size}")
        encoded, decoded = (layer.zero_state(len(pictures)) for layer in (self.encoder, self.decoder))
        canvas = torch.zeros_like(pictures)
        canvases, means, log_deviations, reads, writes = [], [], [], [], []
        for _ in range(self.steps):
            missing = pictures - torch.sigmoid(canvas)
            seen, read_at = self.view.read(pictures, missing, decoded[0])
            encoded = self.encoder.step(self.encoder.project(torch.cat([seen, decoded[0]], dim=1)), encoded)
            mean, log_deviation = self.W_mean(encoded[0]), self.W_deviation(encoded[0])
            noise = torch.randn(mean.shape, generator=generator).to(mean)
            decoded, canvas, write_at = self.paint(mean + log_deviation.exp() * noise, decoded, canvas)
            canvases.append(canvas)
            means.append(mean)
            log_deviations.append(log_deviation)
            reads.append(read_at)
            writes.append(write_at)
        divergences = divergence(torch.stack(means, dim=1), torch.stack(log_deviations, dim=1))
        return Painting(torch.stack(canvases, dim=1), divergences, reads, writes)

    def paint(
        self,
        code: Float[Tensor, "batch code"],
        decoded: State,
        canvas: Float[Tensor, "batch height width"],
    ) -> tuple[State, Float[Tensor, "batch height width"], Window | None]:
        """Return the decoder's next state, the next canvas, and where was written.

        Args:
            code: z_t.
            decoded: the decoder's state.
            canvas: c_{t−1}.
        """
        decoded = self.decoder.step(self.decoder.project(code), decoded)
        added, at = self.view.write(decoded[0])
        return decoded, canvas + added, at

    @torch.no_grad()
    def invent(self, count: int, generator: Generator) -> Painting:
        """Paint new pictures, each z_t drawn from its prior.

        Args:
            count: pictures.
            generator: draws z.
        """
        decoded, canvas = self.decoder.zero_state(count), torch.zeros(count, *self.size)
        canvases, writes = [], []
        for _ in range(self.steps):
            code = torch.randn(count, self.code_size, generator=generator)
            decoded, canvas, at = self.paint(code, decoded, canvas)
            canvases.append(canvas)
            writes.append(at)
        nothing: list[Window | None] = [None] * self.steps
        return Painting(torch.stack(canvases, dim=1), torch.zeros(count, self.steps), nothing, writes)


def divergence(
    mean: Float[Tensor, "*batch code"], log_deviation: Float[Tensor, "*batch code"]
) -> Float[Tensor, "*batch"]:
    """Return the divergence of N(μ, σ²) from N(0, 1) in nats, summed over the hidden numbers.

    Args:
        mean: μ.
        log_deviation: log σ.
    """
    return (mean.square() + (2 * log_deviation).exp() - 2 * log_deviation - 1).sum(dim=-1) / 2


def bound(painting: Painting, pictures: Float[Tensor, "batch height width"]) -> Float[Tensor, "batch"]:
    """Return L, the upper bound on −log p(x), in nats.

    Args:
        painting: of these pictures.
        pictures: each pixel 0 or 1.
    """
    last = painting.canvases[:, -1]
    missed = functional.binary_cross_entropy_with_logits(last, pictures, reduction="none")
    return missed.flatten(1).sum(dim=1) + painting.divergences.sum(dim=1)
