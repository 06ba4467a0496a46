"""Jordan's network: what comes back is the output, not the hidden state.

    h_t = tanh(W_x x_t + W_y y_{t−1} + b)
    y_t = softmax(W_o h_t + c)

The past is seen through the outputs alone: what they do not show is forgotten. In training the true outputs
can stand in their place (teacher forcing); then no step waits for another.

Jordan 1986, without his trace of older outputs. In Elman's network (1990) the hidden state comes back: `RNN`.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.recurrent.layer import check_inputs


class JordanNetwork(nn.Module):
    """A network that reads its own last output.

    Args:
        input_size: features of an input.
        hidden_size: features of a hidden state.
        classes: possible outputs.
    """

    def __init__(self, input_size: int, hidden_size: int, classes: int) -> None:
        super().__init__()
        self.W_x = nn.Linear(input_size, hidden_size)
        self.W_y = nn.Linear(classes, hidden_size, bias=False)
        self.W_o = nn.Linear(hidden_size, classes)

    def forward(
        self,
        inputs: Float[Tensor, "batch time input"],
        given: Float[Tensor, "_ _ _"] | None = None,
    ) -> Float[Tensor, "batch time classes"]:
        """Return log y_1 … log y_T; y_0 is all zeros.

        Args:
            inputs: x_1 … x_T.
            given: outputs (batch, time, classes) to read in place of the network's own, as the true ones.

        Raises:
            ValueError: the inputs have another size or no steps, or `given` has another shape.
        """
        check_inputs(inputs, self.W_x.in_features, None)
        batch, time, _ = inputs.shape
        classes = self.W_o.out_features
        if given is not None and given.shape != (batch, time, classes):
            allowed = (batch, time, classes)
            raise ValueError(f"given has shape {tuple(given.shape)}; allowed is {allowed}")
        before, outputs = inputs.new_zeros(batch, classes), []
        for t, projected in enumerate(self.W_x(inputs).unbind(1)):
            h = torch.tanh(projected + self.W_y(before))
            outputs.append(self.W_o(h).log_softmax(dim=1))
            before = outputs[-1].exp() if given is None else given[:, t]
        return torch.stack(outputs, dim=1)
