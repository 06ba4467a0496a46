"""Recurrent networks with more than one clock: a short way to the distant past.

    delays (skip in time)   h_t = tanh(W_x x_t + W_h h_{t−1} + Σ_d W_d h_{t−d} + b)
    clockwork               unit group g, with period 2^g, moves only when t is a multiple of it
    hierarchical            a slow network reads the fast one's state once at the end of each word

El Hihi and Bengio 1996; Koutník et al. 2014; Schmidhuber 1992 for the idea of the last.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.recurrent.layer import RecurrentLayer, State, check_inputs


class DelayedRNN(RecurrentLayer):
    """A vanilla network with skip connections from states some steps back; before the first step they are 0.

    A gradient over n steps goes through about n / d nonlinearities on a path of delay d. Its state is
    (h_t, h_{t−1}, …, h_{t−d+1}) for the longest delay d.

    Args:
        input_size: features of an input.
        hidden_size: features of a state.
        delays: steps back, each 2 or more.

    Raises:
        ValueError: a delay is below 2.
    """

    def __init__(self, input_size: int, hidden_size: int, delays: tuple[int, ...] = (4, 16)) -> None:
        super().__init__(input_size, hidden_size)
        if not delays or min(delays) < 2:
            raise ValueError(f"delays are {delays}; allowed are some, each 2 or more")
        self.delays, self.parts = delays, max(delays)
        matrices = [nn.Linear(hidden_size, hidden_size, bias=False) for _ in delays]
        for W in matrices:
            nn.init.xavier_uniform_(W.weight)
        self.W_d = nn.ModuleList(matrices)

    def step(self, projected: Tensor, state: State) -> State:
        """Return h_t and the states before it that a later step needs."""
        a = projected + self.W_h(state[0])
        for delay, W in zip(self.delays, self.W_d, strict=True):
            a = a + W(state[delay - 1])
        return (torch.tanh(a), *state[:-1])


class ClockworkRNN(RecurrentLayer):
    """A vanilla network in groups of units; group g moves every 2^g steps and reads groups as slow or slower.

    Its state is (h, n) with n the place in the slowest clock's period, so that reading goes on in the same
    rhythm.

    Args:
        input_size: features of an input.
        hidden_size: features of a state; a multiple of `groups`.
        groups: how many clocks.

    Raises:
        ValueError: the groups do not divide the state.
    """

    parts = 2
    mask: Bool[Tensor, "hidden hidden"]
    period: Tensor

    def __init__(self, input_size: int, hidden_size: int, groups: int = 4) -> None:
        super().__init__(input_size, hidden_size)
        if groups < 1 or hidden_size % groups:
            raise ValueError(
                f"groups is {groups}; allowed are divisors of hidden_size, which is {hidden_size}"
            )
        group = torch.arange(groups).repeat_interleave(hidden_size // groups)
        self.register_buffer("mask", group.unsqueeze(0) >= group.unsqueeze(1))  # (to, from): block triangular
        self.register_buffer("period", 2**group)

    def step(self, projected: Tensor, state: State) -> State:
        """Return h_t, in which only the groups whose turn it is have moved, and t."""
        h, taken = state
        moved = torch.tanh(projected + nn.functional.linear(h, self.W_h.weight * self.mask))
        # Counted round: a small float knows no whole number far above the slowest clock's period.
        return torch.where(taken % self.period == 0, moved, h), (taken + 1) % self.period[-1]


class HierarchicalRNN(nn.Module):
    """A fast network reads characters; a slow one reads the fast one's state at the end of each word.

        s_k = slow(h_t, s_{k−1})    at the last character t of word k
        h_t = fast([x_t ; s_k])     k the last word that has ended before t

    Args:
        fast: reads input and slow state side by side; its state begins with h.
        slow: reads fast states; its state begins with s.

    Raises:
        ValueError: the sizes of the two do not fit.
    """

    def __init__(self, fast: RecurrentLayer, slow: RecurrentLayer) -> None:
        super().__init__()
        if slow.input_size != fast.hidden_size:
            raise ValueError(
                f"slow reads {slow.input_size} features; allowed is {fast.hidden_size}, as fast gives"
            )
        if fast.input_size <= slow.hidden_size:
            raise ValueError(f"fast reads {fast.input_size} features; allowed is above {slow.hidden_size}")
        self.fast, self.slow = fast, slow

    def forward(
        self, inputs: Float[Tensor, "batch time input"], ends: Bool[Tensor, "batch time"]
    ) -> tuple[Float[Tensor, "batch time fast"], Float[Tensor, "batch time slow"]]:
        """Read characters.

        Args:
            inputs: x_1 … x_T.
            ends: True at the last character of a word.

        Returns:
            the fast state and the slow state after each character.

        Raises:
            ValueError: the inputs have another size or no steps, or `ends` is not one boolean a step.
        """
        check_inputs(inputs, self.fast.input_size - self.slow.hidden_size, None)
        if ends.dtype != torch.bool or ends.shape != inputs.shape[:2]:
            raise ValueError(
                f"ends has dtype {ends.dtype} and shape {tuple(ends.shape)}; "
                f"allowed is torch.bool and {tuple(inputs.shape[:2])}"
            )
        batch = len(inputs)
        fast, slow = self.fast.zero_state(batch), self.slow.zero_state(batch)
        tracks = []
        for x, end in zip(inputs.unbind(1), ends.unbind(1), strict=True):
            fast = self.fast.step(self.fast.project(torch.cat([x, slow[0]], dim=-1)), fast)
            moved = self.slow.step(self.slow.project(fast[0]), slow)
            slow = tuple(
                torch.where(end.unsqueeze(1), new, old) for new, old in zip(moved, slow, strict=True)
            )
            tracks.append((fast[0], slow[0]))
        quick, steady = zip(*tracks, strict=True)
        return torch.stack(quick, dim=1), torch.stack(steady, dim=1)
