"""Two models that write down digits said in a row: one with CTC, one with attention, and the same ears."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.applications.speller import Ears, Heard, Speller, hear, log_spectrogram
from course_lib.checkpoints import FOLDER, load_model
from course_lib.data.batches import Batch, neighbours, pad
from course_lib.data.special import BEGIN, END, PAD, SPECIAL
from course_lib.data.spoken_strings import SpokenString
from course_lib.seq2seq.ctc import BLANK, ctc_loss
from course_lib.seq2seq.encoder import BidirectionalEncoder
from course_lib.seq2seq.line_reader import Steps

DIGITS = tuple("0123456789")
TOKENS = (*SPECIAL, *DIGITS)  # of the model with attention
LABELS = ("∅", *DIGITS)  # of the model with CTC, the blank first
SHIPPED = {kind: FOLDER / f"digit_strings_{kind}.safetensors" for kind in ("ctc", "attention")}


class StringListener(Ears):
    """Says at every four frames which digit is heard, or the blank.

    Args:
        embedding_size: features of a state of the lower GRU; even.
        hidden_size: features of a state of the upper GRU; even.
        dropout: share of features that training drops.
    """

    def __init__(self, embedding_size: int, hidden_size: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.config = {"embedding_size": embedding_size, "hidden_size": hidden_size}
        self.dropout = nn.Dropout(dropout)
        self.encoder = BidirectionalEncoder(embedding_size, hidden_size)
        self.grow_ears(embedding_size)
        self.head = nn.Linear(hidden_size, len(LABELS))

    def forward(self, source: Heard) -> Steps:
        """Listen."""
        encoded = self.annotate(source)
        return Steps(self.head(self.dropout(encoded.states)), encoded.keep.sum(dim=1))


class StringBatch(NamedTuple):
    """Strings of similar length."""

    heard: Heard
    labels: Int[Tensor, "batch labels"]  # of CTC; the blank behind the end
    lengths: Int[Tensor, "batch"]  # digits of each string
    tokens: Int[Tensor, "batch tokens"]  # of attention: from <s> to </s>


def stack(strings: Sequence[SpokenString]) -> StringBatch:
    """Put strings into one batch."""
    return StringBatch(
        hear([log_spectrogram(string.wave) for string in strings]),
        pad([[1 + digit for digit in string.digits] for string in strings], BLANK),
        torch.tensor([len(string.digits) for string in strings]),
        pad([[BEGIN, *(len(SPECIAL) + digit for digit in s.digits), END] for s in strings], PAD),
    )


def string_batches(strings: Sequence[SpokenString], size: int, seed: int | None = None) -> Iterator[StringBatch]:
    """Yield all strings, `size` at a time; see `neighbours`."""
    for places in neighbours([len(string.wave) for string in strings], size, seed):
        yield stack([strings[i] for i in places])


def ctc_nats(model: StringListener, batch: StringBatch) -> Float[Tensor, ""]:
    """Return the loss in nats a digit."""
    said = model(batch.heard)
    return ctc_loss(said.logits, batch.labels, said.lengths, batch.lengths).sum() / batch.lengths.sum()
