"""A start that is learned: h_0 is a weight like any other, and the gradient goes back to it."""

from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.recurrent.layer import RecurrentLayer, State
from course_lib.recurrent.stacked import Stacked


class LearnedInitialState(nn.Module):
    """A layer, or several, that starts each sequence at a learned state, the same for all sequences.

    The start begins at zeros, where it changes nothing.

    Args:
        layer: that reads.
    """

    def __init__(self, layer: RecurrentLayer | Stacked) -> None:
        super().__init__()
        self.layer = layer
        self.start = nn.ParameterList(layer.zero_state(1))

    def zero_state(self, batch: int) -> State:
        """Return the learned start, once for each sequence. The batch is the last but one axis."""
        return tuple(part.expand(*part.shape[:-2], batch, -1) for part in self.start)

    def forward(
        self,
        inputs: Float[Tensor, "batch time input"],
        state: State | None = None,
        lengths: Int[Tensor, "batch"] | None = None,
    ) -> tuple[Float[Tensor, "batch time features"], State]:
        """Read sequences as the layer does; without a state, from the learned start."""
        return self.layer(inputs, self.zero_state(len(inputs)) if state is None else state, lengths)
