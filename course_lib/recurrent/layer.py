"""What every recurrent layer does: the same step again and again, with the same weights.

    s_t = step(W_x x_t + b, s_{t−1}),    t = 1 … T

A state s is a tuple of tensors; its first one, h, is what the layer shows. W_x x_t + b needs no state, so
one product computes it for all steps before the loop.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.attention.masks import has_numbers, keep_lengths

State = tuple[Tensor, ...]  # each (batch, hidden)


class RecurrentLayer(nn.Module):
    """One layer that reads from left to right; a subclass says what a step is.

    Weights start by Xavier's rule, block by block (Glorot and Bengio 2010, equation 16); biases start at 0.

    Args:
        input_size: features of an input.
        hidden_size: features of a state.
        blocks: parts of `hidden_size` features that a step computes from the input and the state.

    Raises:
        ValueError: a size is below 1.
    """

    parts = 1  # tensors of a state

    def __init__(self, input_size: int, hidden_size: int, blocks: int = 1) -> None:
        super().__init__()
        for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
            if size < 1:
                raise ValueError(f"{name} is {size}; allowed is 1 or more")
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.W_x = nn.Linear(input_size, blocks * hidden_size)
        self.W_h = nn.Linear(hidden_size, blocks * hidden_size, bias=False)
        with torch.no_grad():
            for block in (*self.W_x.weight.chunk(blocks), *self.W_h.weight.chunk(blocks)):
                nn.init.xavier_uniform_(block)
            self.W_x.bias.zero_()

    def step(self, projected: Float[Tensor, "batch features"], state: State) -> State:
        """Return s_t.

        Args:
            projected: what `project` made of x_t.
            state: s_{t−1}.
        """
        raise NotImplementedError

    def zero_state(self, batch: int) -> State:
        """Return the state of a layer that has read nothing: zeros, each (batch, hidden)."""
        return tuple(self.W_x.weight.new_zeros(batch, self.hidden_size) for _ in range(self.parts))

    def project(self, inputs: Float[Tensor, "*batch input"]) -> Float[Tensor, "*batch features"]:
        """Return what a step needs of its input, W_x x + b, for any number of steps at once."""
        return self.W_x(inputs)

    def unroll(self, inputs: Float[Tensor, "batch time input"], state: State) -> list[State]:
        """Return s_1 … s_T."""
        states = []
        for projected in self.project(inputs.transpose(0, 1)).unbind(0):
            state = self.step(projected, state)
            states.append(state)
        return states

    def forward(
        self,
        inputs: Float[Tensor, "batch time input"],
        state: State | None = None,
        lengths: Int[Tensor, "batch"] | None = None,
    ) -> tuple[Float[Tensor, "batch time hidden"], State]:
        """Read sequences.

        Args:
            inputs: x_1 … x_T.
            state: s_0; None is zeros.
            lengths: real steps of each sequence, 1 to time; None means all. What stands behind is not read.

        Returns:
            h_1 … h_T, zero behind a sequence's end, and each sequence's state after its last real step.

        Raises:
            ValueError: the inputs have another size or no steps, a state another shape, a length is outside 1
                to time.
            TypeError: the state is not a tuple, or the lengths are no whole numbers.
        """
        check_inputs(inputs, self.input_size, lengths)
        batch, time, _ = inputs.shape
        if state is None:
            state = self.zero_state(batch)
        check_state(state, self.parts, (batch, self.hidden_size))
        if lengths is None:
            states = self.unroll(inputs, state)
            return torch.stack([h for h, *_ in states], dim=1), states[-1]
        padding = ~keep_lengths(lengths, time).unsqueeze(-1)
        inputs = inputs.masked_fill(padding, 0)  # behind the end anything may stand, even NaN
        states = self.unroll(inputs, state)
        tracks = [torch.stack(track, dim=1) for track in zip(*states, strict=True)]
        last = tuple(track[torch.arange(batch, device=lengths.device), lengths - 1] for track in tracks)
        return tracks[0].masked_fill(padding, 0), last


class GatedLayer(RecurrentLayer):
    """A recurrent layer with gates that can be looked at; a subclass computes them."""

    def gates(self, projected: Tensor, state: State) -> tuple[Tensor, ...]:
        """Return all that one step computes, as a named tuple: each (batch, hidden).

        Args:
            projected: what `project` made of x_t.
            state: s_{t−1}.
        """
        raise NotImplementedError

    @torch.no_grad()
    def watch(
        self, inputs: Float[Tensor, "batch time input"], state: State | None = None
    ) -> tuple[Float[Tensor, "batch time hidden"], ...]:
        """Return all that each step computed, as the named tuple of `gates`: each (batch, time, hidden).

        Args:
            inputs: x_1 … x_T.
            state: s_0; None is zeros.

        Raises:
            ValueError: as `forward`.
        """
        check_inputs(inputs, self.input_size, None)
        if state is None:
            state = self.zero_state(len(inputs))
        check_state(state, self.parts, (len(inputs), self.hidden_size))
        seen = []
        for projected in self.project(inputs).unbind(1):
            seen.append(self.gates(projected, state))
            state = self.step(projected, state)
        return type(seen[0])(*(torch.stack(track, dim=1) for track in zip(*seen, strict=True)))


def check_inputs(inputs: Tensor, input_size: int, lengths: Tensor | None) -> None:
    """Raise ValueError unless inputs are (batch, time, input_size) and each length is 1 to time."""
    if inputs.dim() != 3 or inputs.shape[-1] != input_size:
        raise ValueError(f"inputs have shape {tuple(inputs.shape)}; allowed is (batch, time, {input_size})")
    batch, time, _ = inputs.shape
    if time < 1:
        raise ValueError("inputs have 0 steps; allowed is 1 or more")
    if lengths is not None:
        check_lengths(lengths, batch, time)


def check_lengths(lengths: Tensor, batch: int, time: int) -> None:
    """Raise TypeError or ValueError unless there is a whole number from 1 to time for each sequence."""
    if not isinstance(lengths, Tensor) or lengths.is_floating_point() or lengths.dtype == torch.bool:
        came = (
            f"a tensor of {lengths.dtype}" if isinstance(lengths, Tensor) else f"a {type(lengths).__name__}"
        )
        raise TypeError(f"lengths are {came}; allowed is a tensor of whole numbers")
    if tuple(lengths.shape) != (batch,):
        raise ValueError(f"lengths have shape {tuple(lengths.shape)}; allowed is ({batch},), one a sequence")
    if batch and has_numbers(lengths) and (lengths.min() < 1 or lengths.max() > time):
        raise ValueError(f"lengths are {lengths.tolist()}; allowed are 1 to {time}, the steps of the inputs")


def check_state(state: State, parts: int, shape: tuple[int, ...]) -> None:
    """Raise TypeError or ValueError unless a state is a tuple of `parts` tensors of that shape."""
    if not isinstance(state, tuple):
        raise TypeError(f"state is a {type(state).__name__}; allowed is a tuple of {parts} tensor(s)")
    shapes = [tuple(part.shape) for part in state]
    if shapes != [shape] * parts:
        raise ValueError(f"state has shapes {shapes}; allowed is {parts} time(s) {shape}")
