"""A reader of lines: convolutions look at strokes, a bidirectional LSTM at their neighbours, CTC aligns.

    picture (40, width) → convolutions and pooling → a column of features every 4 pixels
    → h_t = [h→_t ; h←_t] → softmax(W h_t + b): one label, or the blank, at every column

Shi, Bai and Yao 2017, section 2; with CTC for handwriting, Graves et al. 2009.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from course_lib.attention import keep_lengths
from course_lib.seq2seq.encoder import read_padded

STRIDE = 4  # pixels from one column of features to the next
ROWS = 2  # of features, that pooling leaves of the 40 pixels of a line's height
POOLS = ((2, 2), (2, 2), (2, 1), (2, 1))  # height and width, behind each convolution


class Steps(NamedTuple):
    """What a network with CTC says at every step."""

    logits: Float[Tensor, "batch time classes"]
    lengths: Int[Tensor, "batch"]  # steps of each sequence


class LineReader(nn.Module):
    """Reads pictures of lines.

    Args:
        classes: labels and the blank.
        channels: of the four convolutions.
        hidden_size: features of an LSTM's state, in one direction.
        dropout: share of features that training hides below and above the LSTMs.
    """

    def __init__(self, classes: int, channels: Sequence[int], hidden_size: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.config: dict[str, Any] = {
            "classes": classes,
            "channels": channels,
            "hidden_size": hidden_size,
        }
        self.convolutions = nn.ModuleList(
            nn.Conv2d(before, after, 3, padding=1, bias=False)
            for before, after in zip((1, *channels), channels, strict=False)
        )
        self.norms = nn.ModuleList(nn.BatchNorm2d(width) for width in channels)
        self.rnn = nn.LSTM(ROWS * channels[-1], hidden_size, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(2 * hidden_size, classes)

    def forward(self, pictures: Float[Tensor, "batch 40 width"], widths: Int[Tensor, "batch"]) -> Steps:
        """Read lines; what stands behind a line's end changes nothing.

        Args:
            pictures: ink, 0 to 1.
            widths: of each line in pixels, `STRIDE` or more.

        Raises:
            ValueError: a width is out of its range.
        """
        columns, widths = self.look(pictures, widths)
        states, _ = read_padded(self.rnn, self.dropout(columns), widths)
        return Steps(self.head(self.dropout(states)), widths)

    def look(
        self, pictures: Float[Tensor, "batch 40 width"], widths: Int[Tensor, "batch"]
    ) -> tuple[Float[Tensor, "batch time features"], Int[Tensor, "batch"]]:
        """Return the columns of features that the LSTM reads, and how many there are; see `forward`."""
        if ((widths < STRIDE) | (widths > pictures.shape[2])).any():
            raise ValueError(f"widths are {widths.tolist()}; allowed are {STRIDE} to {pictures.shape[2]}")
        # With the channels of a pixel side by side a step of training takes two thirds of the time.
        seen = pictures[:, None].to(memory_format=torch.channels_last)
        for convolve, norm, pool in zip(self.convolutions, self.norms, POOLS, strict=True):
            largest = functional.max_pool2d(norm(convolve(seen)), pool)
            seen = largest.relu()  # as if ReLU came first, on fewer numbers
            widths = widths // pool[1]
            seen = seen * keep_lengths(widths, seen.shape[3])[:, None, None]
        return seen.flatten(1, 2).transpose(1, 2), widths
