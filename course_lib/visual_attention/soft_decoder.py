"""Show, Attend and Tell with soft attention: before each word, a new mean of the picture's places.

    α_t = softmax_i f_att(a_i, h_{t−1})
    β_t = σ(f_β(h_{t−1}))                              how much the picture counts for this word
    ẑ_t = β_t Σ_i α_ti a_i
    h_t = LSTM([E y_{t−1}; ẑ_t], h_{t−1})
    p(y_t) ∝ exp(L_o (E y_{t−1} + L_h h_t + L_z ẑ_t))   deep output

Xu et al. 2015, sections 3.1.2 and 4.2; f_att is a layer of tanh and a vector. For hard attention the mean is
replaced by one place (`hard`).

Why may a mean stand for a draw? ẑ_t is the expected context, E[β_t a_z] for z ~ α_t. The output before its
softmax is linear in it. A softmax of expected scores is the normalised weighted geometric mean of the
softmaxes at each place (Baldi and Sadowski 2014), and that comes near their mean.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.attention import AdditiveAttention, weighted_mean
from course_lib.visual_attention.steps import CaptionState, CaptionStep, Real


class SoftAttentionDecoder(nn.Module):
    """Look at all places, at some more than at others.

    Args:
        features: D, of an annotation vector.
        embedding_size: of a word.
        hidden_size: of the LSTM.
        attention_size: width of f_att.
    """

    def __init__(self, features: int, embedding_size: int, hidden_size: int, attention_size: int) -> None:
        super().__init__()
        self.first_hidden = nn.Linear(features, hidden_size)
        self.first_cell = nn.Linear(features, hidden_size)
        self.attention = AdditiveAttention(hidden_size, features, attention_size)
        self.gate = nn.Linear(hidden_size, 1)
        self.cell = nn.LSTMCell(embedding_size + features, hidden_size)
        self.L_h = nn.Linear(hidden_size, embedding_size)
        self.L_z = nn.Linear(features, embedding_size, bias=False)

    def start(self, annotations: Float[Tensor, "batch places features"]) -> CaptionState:
        """Return the state before the first word, from the mean of the annotation vectors."""
        mean = annotations.mean(dim=1)
        return CaptionState(
            torch.tanh(self.first_hidden(mean)),
            torch.tanh(self.first_cell(mean)),
            annotations,
            self.attention.project(annotations),
        )

    def weights(self, state: CaptionState) -> Float[Tensor, "batch places"]:
        """Return α_t."""
        return self.attention.score(state.hidden, state.projected).softmax(dim=-1)

    def forward(self, embedded: Float[Tensor, "batch embedding"], state: CaptionState) -> CaptionStep:
        """Look, then take the previous word."""
        weights = self.weights(state)
        context = weighted_mean(weights, state.annotations)
        return self.after(context, embedded, state)._replace(weights=weights)

    def after(
        self,
        context: Float[Tensor, "batch features"],
        embedded: Float[Tensor, "batch embedding"],
        state: CaptionState,
    ) -> CaptionStep:
        """Return what follows from what was seen, before the gate."""
        context = torch.sigmoid(self.gate(state.hidden)) * context
        hidden, cell = self.cell(torch.cat([embedded, context], dim=-1), (state.hidden, state.cell))
        return CaptionStep(state._replace(hidden=hidden, cell=cell), context)

    def evidence(
        self,
        embedded: Float[Tensor, "*batch embedding"],
        hidden: Float[Tensor, "*batch hidden"],
        context: Float[Tensor, "*batch features"],
    ) -> Float[Tensor, "*batch embedding"]:
        """Return what the choice of the next word rests on: E y_{t−1} + L_h h_t + L_z ẑ_t.

        No step needs it of another, so one product computes it for all words of a caption.
        """
        return embedded + self.L_h(hidden) + self.L_z(context)


def doubly_stochastic_penalty(weights: Float[Tensor, "batch time places"], real: Real) -> Float[Tensor, ""]:
    """Return what asks each place to be looked at: mean over captions of Σ_i (1 − Σ_t α_ti)².

    Each row of α sums to 1 by its softmax; this asks the columns to do so, too (Xu et al. 2015, equation 14).

    Args:
        weights: α.
        real: False at padding, which is no look.
    """
    looked = (weights * real.unsqueeze(2)).sum(dim=1)
    return (1 - looked).square().sum(dim=1).mean()
