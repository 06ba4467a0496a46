"""Sequence to sequence with deep LSTMs and a reversed source (Sutskever, Vinyals and Le 2014)."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.seq2seq.decoders import Step
from course_lib.seq2seq.encoder import read_padded
from course_lib.seq2seq.model import Seq2Seq


class LSTMState(NamedTuple):
    """State and cell of every layer; batch first, so that a search can re-order it."""

    hidden: Float[Tensor, "batch layers hidden"]
    cell: Float[Tensor, "batch layers hidden"]


def reverse(
    source: Int[Tensor, "batch source"], lengths: Int[Tensor, "batch"]
) -> Int[Tensor, "batch source"]:
    """Turn each sentence around and leave its padding at the end."""
    position = torch.arange(source.shape[1], device=source.device).expand_as(source)
    backwards = lengths.unsqueeze(1) - 1 - position
    return source.gather(1, torch.where(backwards < 0, position, backwards))


class Sutskever(Seq2Seq):
    """One deep LSTM reads the source backwards; its last states start another one, which writes.

    All that the writer knows of the source is those states (sections 2 and 3.3). Read backwards, the first
    source words lie close to the first target words.

    Args:
        vocabulary_size: number of tokens, both languages together.
        embedding_size: features of an embedded token.
        hidden_size: features of a state.
        layers: LSTMs on top of each other, in the encoder and in the decoder.
        pad_id: the token that fills short sentences.
        dropout: share of features that training drops, between layers too.
    """

    def __init__(
        self,
        vocabulary_size: int,
        embedding_size: int,
        hidden_size: int,
        layers: int,
        pad_id: int = 0,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(vocabulary_size, embedding_size, pad_id, dropout)
        self.config = {
            "family": "sutskever",
            "vocabulary_size": vocabulary_size,
            "embedding_size": embedding_size,
            "hidden_size": hidden_size,
            "layers": layers,
        }
        between = dropout if layers > 1 else 0.0
        self.encoder = nn.LSTM(embedding_size, hidden_size, layers, batch_first=True, dropout=between)
        self.decoder = nn.LSTM(embedding_size, hidden_size, layers, batch_first=True, dropout=between)
        self.to_embedding = nn.Linear(hidden_size, embedding_size)

    def readout(self, evidence: Tensor) -> Tensor:
        """Map a decoder state to the size of a word vector."""
        return self.to_embedding(evidence)

    def start(self, source: Int[Tensor, "batch source"]) -> LSTMState:
        """Read source tokens backwards; return the last states."""
        lengths = self.lengths(source)
        _, (hidden, cell) = read_padded(self.encoder, self.embed(reverse(source, lengths)), lengths)
        return LSTMState(hidden.transpose(0, 1), cell.transpose(0, 1))

    def _write(
        self, embedded: Float[Tensor, "batch target embedding"], state: LSTMState
    ) -> tuple[Float[Tensor, "batch target hidden"], LSTMState]:
        first = (state.hidden.transpose(0, 1).contiguous(), state.cell.transpose(0, 1).contiguous())
        outputs, (hidden, cell) = self.decoder(embedded, first)
        return outputs, LSTMState(hidden.transpose(0, 1), cell.transpose(0, 1))

    def step(self, tokens: Int[Tensor, "batch"], state: LSTMState) -> Step:
        """Take the previous target token of each sentence."""
        outputs, state = self._write(self.embed(tokens).unsqueeze(1), state)
        return Step(outputs.squeeze(1), state, None)

    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> tuple[Float[Tensor, "batch target vocabulary"], None]:
        """Predict each next token from the true ones before it; see `Seq2Seq.forward`."""
        outputs, _ = self._write(self.embed(target), self.start(source))
        return self.logits(outputs), None
