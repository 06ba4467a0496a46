"""Long short-term memory-network: an LSTM that keeps every state and looks back at all of them.

    e_ti     = vᵀ tanh(W_h h_i + W_x x_t + W_h̃ h̃_{t−1})       i < t          (4)
    α_t      = softmax(e_t)                                                  (5)
    h̃_t, c̃_t = Σ_i α_ti h_i,  Σ_i α_ti c_i                                   (6)
    i, f, o, ĉ = σ, σ, σ, tanh of W · [h̃_t, x_t]                             (7)
    c_t      = f ⊙ c̃_t + i ⊙ ĉ                                               (8)
    h_t      = o ⊙ tanh(c_t)                                                 (9)

Cheng, Dong and Lapata 2016, section 3.1, equations 4 to 9. The h_i are the hidden tape, the c_i the memory
tape. Equations 7 to 9 are an LSTM step from the state (h̃_t, c̃_t) in place of (h_{t−1}, c_{t−1}).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.recurrent.layer import check_inputs


class LSTMN(nn.Module):
    """One layer that links each input to those before it (intra-attention).

    Args:
        input_size: features of an input.
        hidden_size: features of a state, of a memory cell, and of the layer that compares them.
    """

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(input_size, hidden_size)
        self.W_h = nn.Linear(hidden_size, hidden_size, bias=False)
        self.W_x = nn.Linear(input_size, hidden_size)
        self.W_summary = nn.Linear(hidden_size, hidden_size, bias=False)
        self.v = nn.Linear(hidden_size, 1, bias=False)

    def forward(
        self, inputs: Float[Tensor, "batch time input"]
    ) -> tuple[Float[Tensor, "batch time hidden"], Float[Tensor, "batch time time"]]:
        """Return the hidden tape, and how each step looked at the tape before it.

        Returns:
            states in [−1, 1], and weights in [0, 1]. Row t has weight only on positions before t and sums
            to 1; the first row has no past and is all 0.

        Raises:
            ValueError: the inputs have another size or no steps.
        """
        check_inputs(inputs, self.cell.input_size, None)
        batch, time, _ = inputs.shape
        summary = cells = inputs.new_zeros(batch, self.cell.hidden_size)
        asked = self.W_x(inputs)  # the same whatever is on the tapes, so at once
        hiddens: list[Tensor] = []
        memories: list[Tensor] = []
        projected: list[Tensor] = []  # W_h h_i, once a state
        rows = []
        for t in range(time):
            row = inputs.new_zeros(batch, 0)
            if hiddens:
                query = asked[:, t] + self.W_summary(summary)
                scores = self.v(torch.tanh(torch.stack(projected, dim=1) + query.unsqueeze(1)))
                row = scores.squeeze(-1).softmax(dim=-1)
                summary = torch.einsum("bi,bih->bh", row, torch.stack(hiddens, dim=1))
                cells = torch.einsum("bi,bih->bh", row, torch.stack(memories, dim=1))
            hidden, memory = self.cell(inputs[:, t], (summary, cells))
            hiddens.append(hidden)
            memories.append(memory)
            projected.append(self.W_h(hidden))
            rows.append(nn.functional.pad(row, (0, time - t)))
        return torch.stack(hiddens, dim=1), torch.stack(rows, dim=1)
