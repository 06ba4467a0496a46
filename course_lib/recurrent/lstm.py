"""Long short-term memory.

    a          = W_x x_t + W_h h_{t−1} + b            split in four: a_i, a_f, a_o, a_g
    i, f, o, g = σ(a_i), σ(a_f), σ(a_o), tanh(a_g)
    c_t        = f ⊙ c_{t−1} + i ⊙ g
    h_t        = o ⊙ tanh(c_t)

Hochreiter and Schmidhuber 1997, with the forget gate of Gers, Schmidhuber and Cummins 2000.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_lib.recurrent.layer import GatedLayer, State


class LSTMGates(NamedTuple):
    """What a step computes: each (batch, hidden), or (batch, time, hidden) when watched."""

    input: Tensor  # i, 0 to 1
    forget: Tensor  # f, 0 to 1
    output: Tensor  # o, 0 to 1
    candidate: Tensor  # g, −1 to 1
    cell: Tensor  # c_t
    hidden: Tensor  # h_t, −1 to 1


class LSTM(GatedLayer):
    """A layer with a memory c that gates write, keep and read. Its state is (h, c).

    The forget gate's bias starts at 1: a layer that keeps its memory lets gradients through from the
    beginning (Gers, Schmidhuber and Cummins 2000; Jozefowicz, Zaremba and Sutskever 2015).

    Args:
        input_size: features of an input.
        hidden_size: features of h, and of c.
    """

    parts = 2

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__(input_size, hidden_size, blocks=4)
        nn.init.ones_(self.W_x.bias[hidden_size : 2 * hidden_size])

    def gates(self, projected: Tensor, state: State) -> LSTMGates:
        """Return i, f, o, g, c_t and h_t."""
        h, c = state
        a_ifo, a_g = (projected + self.W_h(h)).split([3 * self.hidden_size, self.hidden_size], dim=-1)
        i, f, o = torch.sigmoid(a_ifo).chunk(3, dim=-1)
        g = torch.tanh(a_g)
        c = f * c + i * g
        return LSTMGates(i, f, o, g, c, hidden=o * torch.tanh(c))

    def step(self, projected: Tensor, state: State) -> State:
        """Return h_t and c_t."""
        gates = self.gates(projected, state)
        return gates.hidden, gates.cell


def step_per_gate(layer: LSTM, x: Tensor, state: State) -> State:
    """Return h_t and c_t, each gate by matrices of its own: i = σ(W_xi x_t + W_hi h_{t−1} + b_i), and so on.

    The same numbers as the layer's step, from the same weights; four small products instead of a large one.

    Args:
        layer: whose weights to use.
        x: x_t, (batch, input).
        state: h_{t−1} and c_{t−1}.
    """
    h, c = state
    W_xi, W_xf, W_xo, W_xg = layer.W_x.weight.chunk(4)
    W_hi, W_hf, W_ho, W_hg = layer.W_h.weight.chunk(4)
    b_i, b_f, b_o, b_g = layer.W_x.bias.chunk(4)
    i = torch.sigmoid(x @ W_xi.T + h @ W_hi.T + b_i)
    f = torch.sigmoid(x @ W_xf.T + h @ W_hf.T + b_f)
    o = torch.sigmoid(x @ W_xo.T + h @ W_ho.T + b_o)
    g = torch.tanh(x @ W_xg.T + h @ W_hg.T + b_g)
    c = f * c + i * g
    return o * torch.tanh(c), c
