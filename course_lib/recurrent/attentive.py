"""A simple recurrent network with self-attention.

    h̃_t = Σ_{i<t} α_ti h_i,    α_t = softmax_i(vᵀ tanh(A h_{t−1} + B h_i))
    h_t = tanh(W x_t + U h̃_t + b)

The last state asks; its own past answers. With all the weight on i = t − 1 this is Elman's network (1990).
The score is that of Bahdanau, Cho and Bengio 2015, appendix A.1.2.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.attention.scores import AdditiveAttention
from course_lib.recurrent.layer import check_inputs


class AttentiveRNN(nn.Module):
    """A tanh network that sees a weighted sum of all its past states, not only the last.

    Args:
        input_size: features of an input.
        hidden_size: features of a state.
    """

    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.W = nn.Linear(input_size, hidden_size)
        self.U = nn.Linear(hidden_size, hidden_size, bias=False)
        self.attention = AdditiveAttention(hidden_size, hidden_size, hidden_size)

    def forward(
        self, inputs: Float[Tensor, "batch time input"]
    ) -> tuple[Float[Tensor, "batch time hidden"], Float[Tensor, "batch time time"]]:
        """Return the states, and how each looked at those before it.

        Returns:
            states in [−1, 1], and weights in [0, 1]. Row t has weight only on positions before t and sums
            to 1; the first row has no past and is all 0.

        Raises:
            ValueError: the inputs have another size or no steps.
        """
        check_inputs(inputs, self.W.in_features, None)
        batch, time, _ = inputs.shape
        states: list[Tensor] = []
        rows = []
        for x in inputs.unbind(1):
            if states:
                past = torch.stack(states, dim=1)
                keep = torch.ones(past.shape[:2], dtype=torch.bool, device=past.device)
                context, row = self.attention(states[-1], past, keep)
            else:
                context, row = x.new_zeros(batch, self.U.in_features), x.new_zeros(batch, 0)
            rows.append(nn.functional.pad(row, (0, time - len(states))))
            states.append(torch.tanh(self.W(x) + self.U(context)))
        return torch.stack(states, dim=1), torch.stack(rows, dim=1)
