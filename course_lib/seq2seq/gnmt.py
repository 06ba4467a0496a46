"""Google's neural machine translation system, in small (Wu et al. 2016, section 3).

Deep stacks of LSTMs learn only if the signal can pass: from the third layer on each adds to what it reads.
Only the bottom layer of the encoder reads in both directions, so that the others can work in a pipeline. One
attention, asked by the bottom decoder layer of the step before, feeds every decoder layer.

    x^i = LSTM_i(x^{i-1}) + x^{i-1}      i ≥ 3                   c_t = attention(s^1_{t-1}, h_1 … h_S)
"""

from typing import NamedTuple, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from course_lib.attention import AdditiveAttention, keep_lengths
from course_lib.seq2seq.decoders import Step
from course_lib.seq2seq.model import Seq2Seq

RESIDUAL_FROM = 2  # layers 0 and 1 change the size of what they read, or read both directions


class GNMTState(NamedTuple):
    """State and cell of every decoder layer, and the source; batch first."""

    hidden: Float[Tensor, "batch layers hidden"]
    cell: Float[Tensor, "batch layers hidden"]
    source: Float[Tensor, "batch source hidden"]
    keep: Tensor
    projected: Float[Tensor, "batch source attention"]


class GNMT(Seq2Seq):
    """Residual stacks of LSTMs, joined by one attention.

    Args:
        vocabulary_size: number of tokens, both languages together.
        embedding_size: features of an embedded token.
        hidden_size: features of a state; even.
        layers: in the encoder, of which the bottom one reads both ways, and in the decoder; 2 or more.
        pad_id: the token that fills short sentences.
        dropout: share of features that training drops.

    Raises:
        ValueError: `layers` is below 2, or `hidden_size` odd.
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
        if layers < 2 or hidden_size % 2:
            raise ValueError(
                f"layers is {layers}, hidden_size {hidden_size}; allowed are 2 or more layers and even sizes"
            )
        super().__init__(vocabulary_size, embedding_size, pad_id, dropout)
        self.config = {
            "family": "gnmt",
            "vocabulary_size": vocabulary_size,
            "embedding_size": embedding_size,
            "hidden_size": hidden_size,
            "layers": layers,
        }
        self.both_ways = nn.LSTM(embedding_size, hidden_size // 2, batch_first=True, bidirectional=True)
        self.encoder = nn.ModuleList(
            nn.LSTM(hidden_size, hidden_size, batch_first=True) for _ in range(layers - 1)
        )
        self.attention = AdditiveAttention(hidden_size, hidden_size, hidden_size)
        self.decoder = nn.ModuleList(
            nn.LSTMCell((hidden_size if layer else embedding_size) + hidden_size, hidden_size)
            for layer in range(layers)
        )
        self.to_embedding = nn.Linear(2 * hidden_size, embedding_size)

    def readout(self, evidence: Tensor) -> Tensor:
        """Map the top state and the context to the size of a word vector."""
        return self.to_embedding(evidence)

    def start(self, source: Int[Tensor, "batch source"]) -> GNMTState:
        """Read source tokens (padding after the last one); return the state before the first target token."""
        lengths = self.lengths(source)
        packed = pack_padded_sequence(
            self.embed(source), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        outputs, _ = self.both_ways(packed)
        x, _ = pad_packed_sequence(outputs, batch_first=True, total_length=source.shape[1])
        for layer, lstm in enumerate(self.encoder, start=1):
            # Padding stands after the sentence: a network that reads from the left meets it too late.
            out = lstm(self.dropout(x))[0]
            x = x + out if layer >= RESIDUAL_FROM else out
        hidden = x.new_zeros(len(x), len(self.decoder), x.shape[-1])
        keep = keep_lengths(lengths, source.shape[1])
        return GNMTState(hidden, hidden, x, keep, self.attention.project(x))

    def _advance(self, embedded: Float[Tensor, "batch embedding"], state: GNMTState) -> Step:
        context, weights = self.attention(state.hidden[:, 0], state.source, state.keep, state.projected)
        x, hidden, cell = embedded, [], []
        for layer, lstm in enumerate(self.decoder):
            inputs = torch.cat([self.dropout(x) if layer else x, context], dim=-1)
            h, c = cast(nn.LSTMCell, lstm)(inputs, (state.hidden[:, layer], state.cell[:, layer]))
            hidden.append(h)
            cell.append(c)
            x = x + h if layer >= RESIDUAL_FROM else h
        state = state._replace(hidden=torch.stack(hidden, dim=1), cell=torch.stack(cell, dim=1))
        return Step(torch.cat([x, context], dim=-1), state, weights)

    def step(self, tokens: Int[Tensor, "batch"], state: GNMTState) -> Step:
        """Take the previous target token of each sentence."""
        return self._advance(self.embed(tokens), state)

    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch target source"]]:
        """Predict each next token from the true ones before it; see `Seq2Seq.forward`."""
        state, evidence, weights = self.start(source), [], []
        for embedded in self.embed(target).unbind(dim=1):
            step = self._advance(embedded, state)
            state = step.state
            evidence.append(step.evidence)
            weights.append(cast(Tensor, step.weights))
        return self.logits(torch.stack(evidence, dim=1)), torch.stack(weights, dim=1)
