"""Google's neural machine translation system, in small (Wu et al. 2016, section 3).

Deep stacks of LSTMs learn only if the signal can pass: from the third layer on each adds to what it reads.
Only the bottom layer of the encoder reads in both directions: layer 2 waits for it, and from there on the
layers work in a pipeline. One
attention, asked by the bottom decoder layer of the step before, feeds every decoder layer.

    x^ℓ = LSTM_ℓ(x^{ℓ-1}) + x^{ℓ-1}      ℓ ≥ 3                   c_i = attention(s^1_{i-1}, h_1 … h_S)
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention import AdditiveAttention, keep_lengths
from course_lib.seq2seq.decoders import Step
from course_lib.seq2seq.encoder import read_padded
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
        self.bottom = nn.LSTMCell(embedding_size + hidden_size, hidden_size)
        self.above = nn.ModuleList(
            nn.LSTM(2 * hidden_size, hidden_size, batch_first=True) for _ in range(layers - 1)
        )
        self.to_embedding = nn.Linear(2 * hidden_size, embedding_size)

    def readout(self, evidence: Tensor) -> Tensor:
        """Map the top state and the context to the size of a word vector."""
        return self.to_embedding(evidence)

    def start(self, source: Int[Tensor, "batch source"]) -> GNMTState:
        """Read source tokens (padding after the last one); return the state before the first target token."""
        lengths = self.lengths(source)
        x, _ = read_padded(self.both_ways, self.embed(source), lengths)
        for layer, lstm in enumerate(self.encoder, start=1):
            # Padding stands after the sentence: a network that reads from the left meets it too late.
            out = lstm(self.dropout(x))[0]
            x = x + out if layer >= RESIDUAL_FROM else out
        hidden = x.new_zeros(len(x), 1 + len(self.above), x.shape[-1])
        keep = keep_lengths(lengths, source.shape[1])
        return GNMTState(hidden, hidden, x, keep, self.attention.project(x))

    def _write(
        self, embedded: Float[Tensor, "batch target embedding"], state: GNMTState
    ) -> tuple[Float[Tensor, "batch target evidence"], GNMTState, Float[Tensor, "batch target source"]]:
        h, c = state.hidden[:, 0], state.cell[:, 0]
        out, contexts, weights = [], [], []
        for word in embedded.unbind(dim=1):
            context, looked = self.attention(h, state.source, state.keep, state.projected)
            h, c = self.bottom(torch.cat([word, context], dim=-1), (h, c))
            out.append(h)
            contexts.append(context)
            weights.append(looked)
        # Only the bottom layer waits for the attention: each layer above takes the whole sentence at once.
        x, context = torch.stack(out, dim=1), torch.stack(contexts, dim=1)
        hidden, cell = [h], [c]
        for layer, lstm in enumerate(self.above, start=1):
            before = (state.hidden[:, layer].unsqueeze(0), state.cell[:, layer].unsqueeze(0))
            above, (h, c) = lstm(torch.cat([self.dropout(x), context], dim=-1), before)
            hidden.append(h.squeeze(0))
            cell.append(c.squeeze(0))
            x = x + above if layer >= RESIDUAL_FROM else above
        state = state._replace(hidden=torch.stack(hidden, dim=1), cell=torch.stack(cell, dim=1))
        return torch.cat([x, context], dim=-1), state, torch.stack(weights, dim=1)

    def step(self, tokens: Int[Tensor, "batch"], state: GNMTState) -> Step:
        """Take the previous target token of each sentence."""
        evidence, state, weights = self._write(self.embed(tokens).unsqueeze(1), state)
        return Step(evidence.squeeze(1), state, weights.squeeze(1))

    def forward(
        self, source: Int[Tensor, "batch source"], target: Int[Tensor, "batch target"]
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Float[Tensor, "batch target source"]]:
        """Predict each next token from the true ones before it; see `Seq2Seq.forward`."""
        evidence, _, weights = self._write(self.embed(target), self.start(source))
        return self.logits(evidence), weights
