"""Two relatives of the LSTM: gates that see the memory, and gates that share one decision."""

import torch
from torch import Tensor, nn

from course_lib.recurrent.layer import GatedLayer, State
from course_lib.recurrent.lstm import LSTM, LSTMGates


class PeepholeLSTM(LSTM):
    """An LSTM whose gates see the memory, each unit its own cell.

        i, f = σ(a_i + p_i ⊙ c_{t−1}), σ(a_f + p_f ⊙ c_{t−1})
        c_t  = f ⊙ c_{t−1} + i ⊙ g
        o    = σ(a_o + p_o ⊙ c_t)
        h_t  = o ⊙ tanh(c_t)

    The peepholes p start at 0, where the layer is an LSTM. (Gers and Schmidhuber 2000; the form is that of
    Graves 2013, equations 7 to 11. Some figures draw a full matrix in place of each p.)

    Args:
        input_size: features of an input.
        hidden_size: features of h, and of c.
    """

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__(input_size, hidden_size)
        self.p_i = nn.Parameter(torch.zeros(hidden_size))
        self.p_f = nn.Parameter(torch.zeros(hidden_size))
        self.p_o = nn.Parameter(torch.zeros(hidden_size))

    def gates(self, projected: Tensor, state: State) -> LSTMGates:
        """Return i, f, o, g, c_t and h_t."""
        h, c = state
        a_i, a_f, a_o, a_g = (projected + self.W_h(h)).chunk(4, dim=-1)
        i, f, g = torch.sigmoid(a_i + self.p_i * c), torch.sigmoid(a_f + self.p_f * c), torch.tanh(a_g)
        c = f * c + i * g
        o = torch.sigmoid(a_o + self.p_o * c)
        return LSTMGates(i, f, o, g, c, hidden=o * torch.tanh(c))


class CoupledLSTM(GatedLayer):
    """An LSTM that writes only where it forgets: i = 1 − f. Its state is (h, c).

        a       = W_x x_t + W_h h_{t−1} + b           split in three: a_f, a_o, a_g
        f, o, g = σ(a_f), σ(a_o), tanh(a_g)
        c_t     = f ⊙ c_{t−1} + (1 − f) ⊙ g
        h_t     = o ⊙ tanh(c_t)

    A cell is a weighted mean of what came before, so it stays within −1 and 1: such a layer cannot count.
    (Greff et al. 2017, section 3, the variant CIFG.)

    Args:
        input_size: features of an input.
        hidden_size: features of h, and of c.
    """

    parts = 2

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__(input_size, hidden_size, blocks=3)
        nn.init.ones_(self.W_x.bias[:hidden_size])  # keep at first, as the LSTM does

    def gates(self, projected: Tensor, state: State) -> LSTMGates:
        """Return 1 − f, f, o, g, c_t and h_t."""
        h, c = state
        a_f, a_o, a_g = (projected + self.W_h(h)).chunk(3, dim=-1)
        f, o, g = torch.sigmoid(a_f), torch.sigmoid(a_o), torch.tanh(a_g)
        c = f * c + (1 - f) * g
        return LSTMGates(1 - f, f, o, g, c, hidden=o * torch.tanh(c))

    def step(self, projected: Tensor, state: State) -> State:
        """Return h_t and c_t."""
        gates = self.gates(projected, state)
        return gates.hidden, gates.cell
