"""Recurrent layers on top of each other, and in both directions.

layer 1 reads x_1 … x_T; layer l reads the outputs of layer l − 1
in both directions: h_t = [h→_t ; h←_t], and the layer above reads both (Schuster and Paliwal 1997)
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.recurrent.layer import RecurrentLayer, State, check_inputs, check_state


class Stacked(nn.Module):
    """Several recurrent layers that act as one.

    Args:
        make: (input_size, hidden_size) -> a layer, for example `LSTM`.
        input_size: features of an input.
        hidden_size: features of a state, in each layer and direction.
        layers: how many.
        bidirectional: read from the right as well; outputs have 2 · hidden_size features.
        dropout: share of a layer's outputs that training hides from the layer above.

    Raises:
        ValueError: there are no layers.
    """

    def __init__(
        self,
        make: Callable[[int, int], RecurrentLayer],
        input_size: int,
        hidden_size: int,
        layers: int = 1,
        bidirectional: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if layers < 1:
            raise ValueError(f"layers is {layers}; allowed is 1 or more")
        self.directions = 2 if bidirectional else 1
        sizes = [input_size] + [self.directions * hidden_size] * (layers - 1)
        rnns = [make(size, hidden_size) for size in sizes for _ in range(self.directions)]
        self.input_size, self.hidden_size, self.parts = input_size, hidden_size, rnns[0].parts
        self.rnns = nn.ModuleList(rnns)
        self.dropout = nn.Dropout(dropout)

    def zero_state(self, batch: int) -> State:
        """Return zeros, each (layers · directions, batch, hidden)."""
        like = next(self.parameters())
        shape = len(self.rnns), batch, self.hidden_size
        return tuple(like.new_zeros(shape) for _ in range(self.parts))

    def forward(
        self,
        inputs: Float[Tensor, "batch time input"],
        state: State | None = None,
        lengths: Int[Tensor, "batch"] | None = None,
    ) -> tuple[Float[Tensor, "batch time features"], State]:
        """Read sequences.

        Args:
            inputs: x_1 … x_T.
            state: where to start, each (layers · directions, batch, hidden), ordered layer by layer, left to
                right before right to left; None is zeros.
            lengths: real steps of each sequence, 1 to time; None means all. What stands behind is not read.

        Returns:
            the top layer's outputs, zero behind a sequence's end, and the state after each sequence: its last
            real step from the left, its first from the right.

        Raises:
            ValueError: the inputs have another size or no steps, a state another shape, a length is outside 1
                to time.
            TypeError: the state is not a tuple, or the lengths are no whole numbers.
        """
        check_inputs(inputs, self.input_size, lengths)
        if state is None:
            state = self.zero_state(len(inputs))
        check_state(state, self.parts, (len(self.rnns), len(inputs), self.hidden_size))
        starts = list(zip(*(part.unbind(0) for part in state), strict=True))
        ends, outputs = [], inputs
        for first in range(0, len(self.rnns), self.directions):
            below = outputs if first == 0 else self.dropout(outputs)
            outputs, end = self.rnns[first](below, starts[first], lengths)
            ends.append(end)
            if self.directions == 2:
                backwards, end = self.rnns[first + 1](turned(below, lengths), starts[first + 1], lengths)
                outputs = torch.cat([outputs, turned(backwards, lengths)], dim=-1)
                ends.append(end)
        return outputs, tuple(torch.stack(part) for part in zip(*ends, strict=True))


def turned(
    sequences: Float[Tensor, "batch time size"], lengths: Int[Tensor, "batch"] | None = None
) -> Float[Tensor, "batch time size"]:
    """Return each sequence from its last real step to its first; what stands behind its end stays there."""
    if lengths is None:
        return sequences.flip(1)
    steps = torch.arange(sequences.shape[1], device=sequences.device)
    ends = lengths.unsqueeze(1)
    places = torch.where(steps < ends, ends - 1 - steps, steps)
    return sequences.take_along_dim(places.unsqueeze(-1), dim=1)
