"""Show and Tell: the picture is seen once, before the first word (Vinyals et al. 2015, equations 10 to 12).

x_{−1} = CNN(I)
x_t = W_e S_t
p_{t+1} = LSTM(x_t)
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from course_lib.visual_attention.steps import CaptionState, CaptionStep

COARSE = 4  # places along a side of what the picture is shrunk to before it becomes one vector


class ShowAndTellDecoder(nn.Module):
    """No attention: one vector for the whole picture.

    Args:
        grid: annotation vectors along a side of the picture.
        features: of an annotation vector.
        embedding_size: features of a word, and of the picture.
        hidden_size: of the LSTM.

    Raises:
        ValueError: the grid can't be shrunk to 4×4.
    """

    def __init__(self, grid: int, features: int, embedding_size: int, hidden_size: int) -> None:
        super().__init__()
        if grid % COARSE:
            raise ValueError(f"grid is {grid}; allowed are multiples of {COARSE}")
        self.grid = grid
        self.see = nn.Linear(COARSE**2 * features, embedding_size)
        self.cell = nn.LSTMCell(embedding_size, hidden_size)
        self.readout = nn.Linear(hidden_size, embedding_size)

    def start(self, annotations: Float[Tensor, "batch places features"]) -> CaptionState:
        """Return the state after the picture, before the first word."""
        maps = annotations.transpose(1, 2).unflatten(2, (self.grid, self.grid))
        seen = self.see(functional.avg_pool2d(maps, self.grid // COARSE).flatten(1))
        nothing = seen.new_zeros(len(seen), self.cell.hidden_size)
        hidden, cell = self.cell(seen, (nothing, nothing))
        return CaptionState(hidden, cell, annotations, annotations[..., :0])

    def forward(self, embedded: Float[Tensor, "batch embedding"], state: CaptionState) -> CaptionStep:
        """Take the previous word."""
        hidden, cell = self.cell(embedded, (state.hidden, state.cell))
        return CaptionStep(state._replace(hidden=hidden, cell=cell), hidden[..., :0])

    def evidence(
        self,
        embedded: Float[Tensor, "*batch embedding"],
        hidden: Float[Tensor, "*batch hidden"],
        context: Float[Tensor, "*batch 0"],
    ) -> Float[Tensor, "*batch embedding"]:
        """Return what the choice of the next word rests on: the state alone."""
        return torch.tanh(self.readout(hidden))
