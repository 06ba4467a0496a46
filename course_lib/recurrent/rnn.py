"""The vanilla recurrent network.

    h_t = tanh(W_x x_t + W_h h_{t−1} + b)

Elman 1990, with tanh.
"""

import torch
from torch import Tensor

from course_lib.recurrent.layer import RecurrentLayer, State


class RNN(RecurrentLayer):
    """A layer whose state is squashed anew at each step.

    Args:
        input_size: features of an input.
        hidden_size: features of a state.
    """

    def step(self, projected: Tensor, state: State) -> State:
        """Return h_t."""
        (h,) = state
        return (torch.tanh(projected + self.W_h(h)),)
