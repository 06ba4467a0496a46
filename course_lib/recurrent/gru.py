"""The gated recurrent unit, in two forms that differ in when the past is reset.

                 before: version 3, as published         after: version 1, cuDNN, torch
    r, z = σ(W x_t + U h_{t−1} + b)              the same
    n    = tanh(W_n x_t + U_n (r ⊙ h_{t−1}) + b_n)    tanh(W_n x_t + b_n + r ⊙ (U_n h_{t−1} + b_h))
    h_t  = z ⊙ h_{t−1} + (1 − z) ⊙ n             the same

Reset before the matrix must wait for r. Reset after it acts on what comes out of the matrix, so that one
product U h_{t−1} serves r, z and n. Some texts write z for what is 1 − z here.

Cho et al. 2014 (arXiv 1406.1078), equations 5 to 8; version 1 resets after the matrix, version 3 before it.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from course_lib.recurrent.layer import GatedLayer, State


class GRUGates(NamedTuple):
    """What a step computes: each (batch, hidden), or (batch, time, hidden) when watched."""

    reset: Tensor  # r, 0 (ignore the past) to 1
    update: Tensor  # z, 0 (take the candidate) to 1 (keep the state)
    candidate: Tensor  # n, −1 to 1
    hidden: Tensor  # h_t, −1 to 1


class GRU(GatedLayer):
    """The form of the paper's first version and of cuDNN: reset after the matrix. Its state is (h,).

    Args:
        input_size: features of an input.
        hidden_size: features of a state.
    """

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__(input_size, hidden_size, blocks=3)
        self.b_h = nn.Parameter(torch.zeros(hidden_size))  # a bias of its own, since r scales it

    def gates(self, projected: Tensor, state: State) -> GRUGates:
        """Return r, z, n and h_t."""
        (h,) = state
        x_r, x_z, x_n = projected.chunk(3, dim=-1)
        h_r, h_z, h_n = self.W_h(h).chunk(3, dim=-1)
        r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        n = torch.tanh(x_n + r * (h_n + self.b_h))
        return GRUGates(r, z, n, hidden=z * h + (1 - z) * n)

    def step(self, projected: Tensor, state: State) -> State:
        """Return h_t."""
        return (self.gates(projected, state).hidden,)


class PaperGRU(GatedLayer):
    """The form of the paper as published: reset before the matrix. Its state is (h,).

    Args:
        input_size: features of an input.
        hidden_size: features of a state.
    """

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__(input_size, hidden_size, blocks=3)

    def gates(self, projected: Tensor, state: State) -> GRUGates:
        """Return r, z, n and h_t."""
        (h,) = state
        x_r, x_z, x_n = projected.chunk(3, dim=-1)
        U_r, U_z, U_n = self.W_h.weight.chunk(3)
        r, z = torch.sigmoid(x_r + h @ U_r.T), torch.sigmoid(x_z + h @ U_z.T)
        n = torch.tanh(x_n + (r * h) @ U_n.T)
        return GRUGates(r, z, n, hidden=z * h + (1 - z) * n)

    def step(self, projected: Tensor, state: State) -> State:
        """Return h_t."""
        return (self.gates(projected, state).hidden,)
