"""Three decoders that write a translation one token at a time.

They differ in what they know of the source and when they look:

    Cho       s_i = GRU(s_{i-1}, [y_{i-1}; c])            c: the same summary at every step
    Bahdanau  c_i from s_{i-1};  s_i = GRU(s_{i-1}, [y_{i-1}; c_i])
    Luong     s_i = GRU(s_{i-1}, [y_{i-1}; h̃_{i-1}]);  c_i from s_i;  h̃_i = tanh(W_c [c_i; s_i])

The GRU is torch's cell, which computes what `recurrent.GRU` does. Each step returns the evidence for the next
token; `readout` turns it into features, for one step or for all steps at once.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.attention import AdditiveAttention, Attention
from course_lib.seq2seq.encoder import Encoded


class DecoderState(NamedTuple):
    """All that a decoder carries from one step to the next; batch first, so that a search can re-order it."""

    hidden: Tensor  # s_i: (batch, hidden)
    feed: Tensor  # Cho: the summary c; Luong: h̃_i; Bahdanau: nothing, (batch, 0); see its variants, too
    source: Encoded
    projected: Tensor  # what the attention needs of the encoder states, computed once


class Step(NamedTuple):
    """What one decoder step gives."""

    evidence: Float[Tensor, "batch evidence"]  # all that the choice of the next token rests on
    state: Any  # what the next step needs, batch first
    weights: Float[Tensor, "batch *layers_heads source"] | None  # over the source; None without attention


class Maxout(nn.Module):
    """Two linear maps, the larger of their results in each feature (Goodfellow et al. 2013)."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, 2 * outputs)

    def forward(self, x: Float[Tensor, "*batch inputs"]) -> Float[Tensor, "*batch outputs"]:
        """Return max(W₁x + b₁, W₂x + b₂)."""
        first, second = self.linear(x).chunk(2, dim=-1)
        return torch.maximum(first, second)


class ChoDecoder(nn.Module):
    """No attention: the summary of the source enters every step (Cho et al. 2014, equations 8 and 9).

    c = tanh(V [h→_S ; h←_1])       the paper, whose encoder reads from the left only: tanh(V h_S)
    """

    def __init__(self, embedding_size: int, hidden_size: int) -> None:
        super().__init__()
        self.first = nn.Linear(hidden_size, hidden_size)
        self.summarise = nn.Linear(hidden_size, hidden_size)
        self.cell = nn.GRUCell(embedding_size + hidden_size, hidden_size)
        self.readout = Maxout(hidden_size + embedding_size + hidden_size, embedding_size)

    def start(self, source: Encoded) -> DecoderState:
        """Return the state before the first token."""
        summary = torch.tanh(self.summarise(source.summary))
        return DecoderState(torch.tanh(self.first(source.summary)), summary, source, source.states[..., :0])

    def forward(self, embedded: Float[Tensor, "batch embedding"], state: DecoderState) -> Step:
        """Take the previous token y_{i-1}; return the evidence for y_i."""
        hidden = self.cell(torch.cat([embedded, state.feed], dim=-1), state.hidden)
        evidence = torch.cat([hidden, embedded, state.feed], dim=-1)
        return Step(evidence, state._replace(hidden=hidden), None)


class BahdanauDecoder(nn.Module):
    """Look with the previous state, then step (Bahdanau et al. 2015, appendix A.2.2)."""

    def __init__(
        self, embedding_size: int, hidden_size: int, attention: AdditiveAttention | None = None
    ) -> None:
        super().__init__()
        self.first = nn.Linear(hidden_size, hidden_size)
        self.attention = attention or AdditiveAttention(hidden_size, hidden_size, hidden_size)
        self.cell = nn.GRUCell(embedding_size + hidden_size, hidden_size)
        self.readout = Maxout(hidden_size + embedding_size + hidden_size, embedding_size)

    def start(self, source: Encoded) -> DecoderState:
        """Return the state before the first token."""
        hidden = torch.tanh(self.first(source.summary))
        return DecoderState(hidden, hidden[:, :0], source, self.attention.project(source.states))

    def look(
        self, embedded: Float[Tensor, "batch embedding"], state: DecoderState
    ) -> tuple[Float[Tensor, "batch hidden"], Float[Tensor, "batch source"]]:
        """Return the context and the weights; s_{i-1} asks, and y_{i-1} does not."""
        return self.attention(state.hidden, state.source.states, state.source.keep, state.projected)

    def forward(self, embedded: Float[Tensor, "batch embedding"], state: DecoderState) -> Step:
        """Take the previous token y_{i-1}; return the evidence for y_i, and where it looked."""
        context, weights = self.look(embedded, state)
        hidden = self.cell(torch.cat([embedded, context], dim=-1), state.hidden)
        evidence = torch.cat([hidden, embedded, context], dim=-1)
        return Step(evidence, state._replace(hidden=hidden), weights)


class LuongDecoder(nn.Module):
    """Step, then look with the current state; what was seen feeds the next step.

    Luong, Pham and Manning 2015, sections 3 and 3.3 (input feeding).

    Args:
        embedding_size: features of an embedded token.
        hidden_size: features of a decoder state, of an encoder state and of the attentional vector h̃.
        attention: the score: dot, general or concat.
    """

    def __init__(self, embedding_size: int, hidden_size: int, attention: Attention) -> None:
        super().__init__()
        self.first = nn.Linear(hidden_size, hidden_size)
        self.attention = attention
        self.cell = nn.GRUCell(embedding_size + hidden_size, hidden_size)
        self.W_c = nn.Linear(hidden_size + hidden_size, hidden_size)
        self.readout = nn.Linear(hidden_size, embedding_size)

    def start(self, source: Encoded) -> DecoderState:
        """Return the state before the first token; h̃_0 is zero."""
        hidden = torch.tanh(self.first(source.summary))
        feed = torch.zeros_like(hidden)
        return DecoderState(hidden, feed, source, self.attention.project(source.states))

    def forward(self, embedded: Float[Tensor, "batch embedding"], state: DecoderState) -> Step:
        """Take the previous token y_{i-1}; return the evidence for y_i, and where it looked."""
        hidden = self.cell(torch.cat([embedded, state.feed], dim=-1), state.hidden)
        context, weights = self.attention(hidden, state.source.states, state.source.keep, state.projected)
        attentional = torch.tanh(self.W_c(torch.cat([context, hidden], dim=-1)))
        return Step(attentional, state._replace(hidden=hidden, feed=attentional), weights)
