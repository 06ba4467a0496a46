"""Bahdanau's decoder with another question to the source.

Bahdanau        e_ij = vᵀ tanh(W s_{i-1} + U h_j)
fixed           e_ij = vᵀ tanh(W s_0 + U h_j)               the same row of weights at every step
with the word   e_ij = vᵀ tanh(W [s_{i-1}; y_{i-1}] + U h_j)
location-aware  e_ij = vᵀ tanh(W s_{i-1} + U h_j + F f_ij),  f_i = K ∗ α_{i-1}
"""

import torch
from torch import Tensor

from course_lib.attention import AdditiveAttention, LocationAwareAttention
from course_lib.seq2seq.decoders import BahdanauDecoder, DecoderState, Step
from course_lib.seq2seq.encoder import Encoded


class FixedLookDecoder(BahdanauDecoder):
    """Every step looks as the first one does: what is lost without an α for every step?"""

    def start(self, source: Encoded) -> DecoderState:
        """Return the state before the first token; s_0 stays with it as the question."""
        state = super().start(source)
        return state._replace(feed=state.hidden)

    def look(self, embedded: Tensor, state: DecoderState) -> tuple[Tensor, Tensor]:
        """Return the context and the weights; s_0 asks."""
        return self.attention(state.feed, state.source.states, state.source.keep, state.projected)


class WordAwareDecoder(BahdanauDecoder):
    """A third order beside Bahdanau's and Luong's: look before the step, the last word in the question."""

    def __init__(self, embedding_size: int, hidden_size: int) -> None:
        attention = AdditiveAttention(hidden_size + embedding_size, hidden_size, hidden_size)
        super().__init__(embedding_size, hidden_size, attention)

    def look(self, embedded: Tensor, state: DecoderState) -> tuple[Tensor, Tensor]:
        """Return the context and the weights; s_{i-1} and y_{i-1} ask together."""
        query = torch.cat([state.hidden, embedded], dim=-1)
        return self.attention(query, state.source.states, state.source.keep, state.projected)


class LocationAwareDecoder(BahdanauDecoder):
    """The decoder remembers where it looked last, so that it can go on from there (Chorowski et al. 2015)."""

    attention: LocationAwareAttention

    def __init__(self, embedding_size: int, hidden_size: int) -> None:
        super().__init__(
            embedding_size, hidden_size, LocationAwareAttention(hidden_size, hidden_size, hidden_size)
        )

    def start(self, source: Encoded) -> DecoderState:
        """Return the state before the first token; nothing has been looked at, α_0 = 0."""
        return super().start(source)._replace(feed=torch.zeros_like(source.states[..., 0]))

    def look(self, embedded: Tensor, state: DecoderState) -> tuple[Tensor, Tensor]:
        """Return the context and the weights; s_{i-1} asks, and α_{i-1} says where it stood."""
        projected = state.projected + self.attention.locate(state.feed)
        return self.attention(state.hidden, state.source.states, state.source.keep, projected)

    def forward(self, embedded: Tensor, state: DecoderState) -> Step:
        """Take the previous token y_{i-1}; return the evidence for y_i, and where it looked."""
        step = super().forward(embedded, state)
        return step._replace(state=step.state._replace(feed=step.weights))
