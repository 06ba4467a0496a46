"""The multiplicative recurrent network: each input chooses the matrix that moves the state.

    f_t = (W_fx x_t) ⊙ (W_fh h_{t−1})
    h_t = tanh(W_hf f_t + W_x x_t + b)

so h_t = tanh(W(x_t) h_{t−1} + W_x x_t + b) with W(x) = W_hf diag(W_fx x) W_fh: what an input does depends on
the state that it meets. A full matrix for each of V characters has V · hidden² weights; factors share them.

Sutskever, Martens and Hinton 2011, section 3.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.recurrent.layer import RecurrentLayer, State


class MultiplicativeRNN(RecurrentLayer):
    """A tanh layer whose matrix from state to state depends on the input. Its state is (h,).

    Args:
        input_size: features of an input; for characters, a one-hot vector.
        hidden_size: features of a state.
        factors: features of f; None takes `hidden_size`.

    Raises:
        ValueError: a size is below 1.
    """

    def __init__(self, input_size: int, hidden_size: int, factors: int | None = None) -> None:
        super().__init__(input_size, hidden_size)
        self.factors = hidden_size if factors is None else factors
        if self.factors < 1:
            raise ValueError(f"factors is {factors}; allowed is 1 or more")
        self.W_h = nn.Linear(hidden_size, self.factors, bias=False)  # W_fh
        self.W_fx = nn.Linear(input_size, self.factors, bias=False)
        self.W_hf = nn.Linear(self.factors, hidden_size, bias=False)
        nn.init.xavier_uniform_(self.W_h.weight)
        nn.init.xavier_uniform_(self.W_hf.weight)
        nn.init.normal_(
            self.W_fx.weight
        )  # about 1, so that a one-hot input neither mutes nor floods the state

    def transition(self, x: Float[Tensor, "*batch input"]) -> Float[Tensor, "*batch hidden hidden"]:
        """Return W(x), the matrix by which this input moves the state."""
        return self.W_hf.weight @ (self.W_fx(x).unsqueeze(-1) * self.W_h.weight)

    def project(self, inputs: Float[Tensor, "*batch input"]) -> Float[Tensor, "*batch features"]:
        """Return W_x x + b and W_fx x, side by side."""
        return torch.cat([self.W_x(inputs), self.W_fx(inputs)], dim=-1)

    def step(self, projected: Tensor, state: State) -> State:
        """Return h_t."""
        (h,) = state
        x_h, x_f = projected.split([self.hidden_size, self.factors], dim=-1)
        f = x_f * self.W_h(h)
        return (torch.tanh(self.W_hf(f) + x_h),)
