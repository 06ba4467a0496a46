"""Two models that write down digits said in a row: one with CTC, one with attention, and the same ears."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.applications.speller import Ears, Heard, Speller, hear, log_spectrogram
from course_lib.applications.writing import write
from course_lib.checkpoints import FOLDER, load_model
from course_lib.data.batches import Batch, neighbours, pad
from course_lib.data.special import BEGIN, END, PAD, SPECIAL
from course_lib.data.spoken_strings import SpokenString
from course_lib.decoding.ctc_search import best_path
from course_lib.seq2seq.ctc import BLANK, ctc_loss
from course_lib.seq2seq.encoder import BidirectionalEncoder
from course_lib.seq2seq.line_reader import Steps
from course_lib.training.objectives import next_token_loss

DIGITS = tuple("0123456789")
TOKENS = (*SPECIAL, *DIGITS)  # of the model with attention
LABELS = ("∅", *DIGITS)  # of the model with CTC, the blank first
KINDS = ("ctc", "attention", "location")  # attention by content alone, and by content and location
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
        return Steps(self.head(self.dropout(encoded.states)), encoded.lengths())


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


def string_batches(
    strings: Sequence[SpokenString], size: int, seed: int | None = None
) -> Iterator[StringBatch]:
    """Yield all strings, `size` at a time; see `neighbours`."""
    for places in neighbours([len(string.wave) for string in strings], size, seed):
        yield stack([strings[i] for i in places])


def nats(model: StringListener | Speller, batch: StringBatch) -> Float[Tensor, ""]:
    """Return the loss: in nats a digit with CTC; in nats a token, teacher-forced, with attention."""
    if isinstance(model, StringListener):
        said = model(batch.heard)
        return ctc_loss(said.logits, batch.labels, said.lengths, batch.lengths).sum() / batch.lengths.sum()
    source: Any = batch.heard
    total, tokens = next_token_loss(model, Batch(source, batch.tokens))
    return total / tokens


@torch.no_grad()
def take_down(
    model: StringListener | Speller, strings: Sequence[SpokenString], limit: int = 32
) -> list[tuple[int, ...]]:
    """Return the digits that a model hears: the best path of CTC, the likeliest next token of attention.

    Args:
        model: in eval mode.
        strings: what is said.
        limit: tokens after which the model with attention is stopped.
    """
    found: list[tuple[int, ...]] = []
    for string in strings:
        heard = stack([string]).heard
        if isinstance(model, StringListener):
            found.append(tuple(label - 1 for label in best_path(model(heard).logits[0].log_softmax(dim=1))))
        else:
            written = write(model, heard, TOKENS, limit)[0].text
            found.append(tuple(DIGITS.index(token) for token in written if token in DIGITS))
    return found


def load_string_model(kind: str, path: Path | None = None) -> StringListener | Speller:
    """Return a trained model, in eval mode.

    Args:
        kind: one of `KINDS`.
        path: its checkpoint; None takes the shipped one.

    Raises:
        ValueError: no such kind, or none of it ships.
        CheckpointError: the file is missing or damaged.
    """
    allowed = KINDS if path else SHIPPED
    if kind not in allowed:
        raise ValueError(f"kind is {kind!r}; allowed are {', '.join(map(repr, allowed))}")
    model, _ = load_model(path or SHIPPED[kind], lambda sizes: build(kind, **sizes))
    return model


def build(kind: str, embedding_size: int, hidden_size: int, dropout: float = 0.0) -> StringListener | Speller:
    """Return an untrained model, one of `KINDS`."""
    if kind == "ctc":
        return StringListener(embedding_size, hidden_size, dropout)
    decoder = {"attention": "bahdanau", "location": "bahdanau_location"}[kind]
    return Speller(len(TOKENS), embedding_size, hidden_size, dropout, decoder)
