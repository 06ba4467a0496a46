"""The memory of the differentiable neural computer: it knows which rows are free, and in what order it wrote.

At each step, on what the controller asks, it frees, writes and reads:

    ψ    = Π_r (1 − f_r w_r,t−1)                           what the reading heads do not give free
    u    = (u_t−1 + w_t−1 − u_t−1 ⊙ w_t−1) ⊙ ψ             usage of each row
    a_φj = (1 − u_φj) Π_{i<j} u_φi                         allocation, φ from the least used row on
    w    = g_w (g_a a + (1 − g_a) content(M_t−1, k, β))    where to write
    M    = M_t−1 ⊙ (1 − w eᵀ) + w vᵀ                       erase, then add
    L_ij = (1 − w_i − w_j) L_t−1,ij + w_i p_t−1,j          row i was written right after row j; L_ii = 0
    p    = (1 − Σ w) p_t−1 + w                             precedence: the row written last
    w_r  = π_r1 Lᵀ w_r,t−1 + π_r2 content(M, k_r, β_r) + π_r3 L w_r,t−1     back, by content, or forth

w_r are the weights of reading head r, w those of the one writing head. The product in a leaves out row φ_j
itself: with it a full memory and an empty one would look alike. Sorting passes no gradient; the usages that
are sorted do.

A controller, an LSTM, asks for all that. It sees the input and what was read at the step before.

(Graves et al. 2016, Methods. Writing and content are those of the neural Turing machine.)
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from course_lib.memory.turing_machine import content_weights, read, write
from course_lib.recurrent.layer import check_inputs
from course_lib.recurrent.lstm import LSTM


class Orders(NamedTuple):
    """What a controller asks of the memory at one step."""

    write_key: Float[Tensor, "batch size"]  # k
    write_strength: Float[Tensor, "batch"]  # β, 0 or more
    erase: Float[Tensor, "batch size"]  # e, 0 to 1
    value: Float[Tensor, "batch size"]  # v
    allocation_gate: Float[Tensor, "batch"]  # g_a, 0 (write by content) to 1 (to a free row)
    write_gate: Float[Tensor, "batch"]  # g_w, 0 (write nothing) to 1
    free_gates: Float[Tensor, "batch heads"]  # f, 0 to 1: give free what was read last
    read_keys: Float[Tensor, "batch heads size"]  # k_r
    read_strengths: Float[Tensor, "batch heads"]  # β_r, 0 or more
    read_modes: Float[Tensor, "batch heads 3"]  # π: back, content, forth; with sum 1


class DNCMemory(NamedTuple):
    """A memory between two steps. All weights lie in 0 to 1."""

    rows: Float[Tensor, "batch rows size"]  # M
    usage: Float[Tensor, "batch rows"]  # u
    link: Float[Tensor, "batch rows rows"]  # L
    precedence: Float[Tensor, "batch rows"]  # p; its sum is 1 at most
    write_weights: Float[Tensor, "batch rows"]  # w; their sum is 1 at most
    read_weights: Float[Tensor, "batch heads rows"]  # w_r; the sum of each head's is 1 at most


def empty_memory(batch: int, rows: int, size: int, heads: int) -> DNCMemory:
    """Return a memory that nothing was written to or read from: all zeros.

    Args:
        batch: memories.
        rows: of each.
        size: features of a row.
        heads: that read.

    Raises:
        ValueError: a number is below 1.
    """
    for name, number in (("batch", batch), ("rows", rows), ("size", size), ("heads", heads)):
        if number < 1:
            raise ValueError(f"{name} is {number}; allowed is 1 or more")
    nowhere = torch.zeros(batch, rows)
    return DNCMemory(
        torch.zeros(batch, rows, size),
        nowhere,
        torch.zeros(batch, rows, rows),
        nowhere,
        nowhere,
        torch.zeros(batch, heads, rows),
    )


def step(memory: DNCMemory, orders: Orders) -> tuple[Float[Tensor, "batch heads size"], DNCMemory]:
    """Free, write and read once.

    Args:
        memory: before; left unchanged.
        orders: what the controller asks.

    Returns:
        what each head read, and the memory after.
    """
    usage = usage_after(memory, orders.free_gates)
    by_content = content_weights(memory.rows, orders.write_key, orders.write_strength)
    gate = orders.allocation_gate.unsqueeze(-1)
    written = gate * allocation(usage) + (1 - gate) * by_content
    written = orders.write_gate.unsqueeze(-1) * written
    rows = write(memory.rows, written, orders.erase, orders.value)
    link = link_after(memory.link, memory.precedence, written)
    precedence = (1 - written.sum(dim=-1, keepdim=True)) * memory.precedence + written
    looked = read_weights(rows, link, memory.read_weights, orders)
    return read(rows.unsqueeze(1), looked), DNCMemory(rows, usage, link, precedence, written, looked)


def usage_after(memory: DNCMemory, free_gates: Float[Tensor, "batch heads"]) -> Float[Tensor, "batch rows"]:
    """Return how much each row is in use: since the last step it was written to, and perhaps given free."""
    kept = (1 - free_gates.unsqueeze(-1) * memory.read_weights).prod(dim=1)
    return (memory.usage + memory.write_weights - memory.usage * memory.write_weights) * kept


def allocation(usage: Float[Tensor, "batch rows"]) -> Float[Tensor, "batch rows"]:
    """Return where there is room: (1 − u_φj) Π_{i<j} u_φi.

    Args:
        usage: 0 (free) to 1.

    Returns:
        weights; their sum is 1 if a row is free, and 0 if all are in full use.
    """
    order = usage.argsort(dim=-1, stable=True)
    ordered = usage.gather(-1, order)
    fuller = functional.pad(ordered.cumprod(dim=-1)[..., :-1], (1, 0), value=1.0)  # the product before each
    return torch.zeros_like(usage).scatter(-1, order, (1 - ordered) * fuller)


def link_after(
    link: Float[Tensor, "batch rows rows"],
    precedence: Float[Tensor, "batch rows"],
    written: Float[Tensor, "batch rows"],
) -> Float[Tensor, "batch rows rows"]:
    """Return L: what is written now follows what was written last, and loses the links that it had.

    Args:
        link: L_{t−1}; from a row (second axis) to the one written after it.
        precedence: p_{t−1}.
        written: w.

    Returns:
        links; rows and columns each have a sum of 1 at most, the diagonal is 0.
    """
    to, of = written.unsqueeze(-1), written.unsqueeze(-2)
    link = (1 - to - of) * link + to * precedence.unsqueeze(-2)
    return link * (1 - torch.eye(link.shape[-1], dtype=link.dtype, device=link.device))


def read_weights(
    rows: Float[Tensor, "batch rows size"],
    link: Float[Tensor, "batch rows rows"],
    before: Float[Tensor, "batch heads rows"],
    orders: Orders,
) -> Float[Tensor, "batch heads rows"]:
    """Return where each head reads: what was written before its last row, or after, or is like its key.

    Args:
        rows: M.
        link: L.
        before: w_r,t−1.
        orders: keys, strengths and modes of the heads.
    """
    back = torch.einsum("bij,bhi->bhj", link, before)
    by_content = content_weights(rows.unsqueeze(1), orders.read_keys, orders.read_strengths)
    forth = torch.einsum("bij,bhj->bhi", link, before)
    return torch.einsum("bhm,mbhr->bhr", orders.read_modes, torch.stack([back, by_content, forth]))


class Track(NamedTuple):
    """What a computer's memory did at each step, and what was left."""

    write_weights: Float[Tensor, "batch time rows"]
    read_weights: Float[Tensor, "batch time heads rows"]
    erased: Float[Tensor, "batch time size"]  # e
    added: Float[Tensor, "batch time size"]  # v
    read_modes: Float[Tensor, "batch time heads 3"]
    memory: DNCMemory  # after the last step


class DifferentiableNeuralComputer(nn.Module):
    """A controller with the memory.

    Each call starts with an empty memory; nothing is kept from one call to the next.

    Args:
        input_size: features of an input.
        output_size: features of an output.
        hidden_size: features of the controller's state.
        rows: of the memory; no weight depends on them.
        size: features of a row.
        heads: that read.

    Raises:
        ValueError: a number below 1.
    """

    def __init__(
        self, input_size: int, output_size: int, hidden_size: int, rows: int, size: int, heads: int = 1
    ) -> None:
        super().__init__()
        numbers = {"output_size": output_size, "rows": rows, "size": size, "heads": heads}
        for name, number in numbers.items():
            if number < 1:
                raise ValueError(f"{name} is {number}; allowed is 1 or more")
        self.input_size, self.rows, self.size, self.heads = input_size, rows, size, heads
        self.controller = LSTM(input_size + heads * size, hidden_size)
        self.parts = [size, 1, size, size, 1, 1, heads, heads * size, heads, heads * 3]  # of what is asked
        self.asks = nn.Linear(hidden_size, sum(self.parts))
        self.output = nn.Linear(hidden_size + heads * size, output_size)

    def orders(self, hidden: Float[Tensor, "batch hidden"]) -> Orders:
        """Return what the controller asks of the memory."""
        key, strength, erase, value, allocate, do_write, free, keys, strengths, modes = self.asks(
            hidden
        ).split(self.parts, dim=-1)
        return Orders(
            key,
            1 + functional.softplus(strength.squeeze(-1)),
            torch.sigmoid(erase),
            value,
            torch.sigmoid(allocate.squeeze(-1)),
            torch.sigmoid(do_write.squeeze(-1)),
            torch.sigmoid(free),
            keys.unflatten(-1, (self.heads, self.size)),
            1 + functional.softplus(strengths),
            modes.unflatten(-1, (self.heads, 3)).softmax(dim=-1),
        )

    def forward(
        self, inputs: Float[Tensor, "batch time input"]
    ) -> tuple[Float[Tensor, "batch time output"], Track]:
        """Return the output at each step, before any squashing, and what the memory did.

        Raises:
            ValueError: the inputs have another size or no steps.
        """
        check_inputs(inputs, self.input_size, None)
        empty = empty_memory(len(inputs), self.rows, self.size, self.heads)
        memory = DNCMemory(*(part.to(inputs) for part in empty))
        state = self.controller.zero_state(len(inputs))
        found = inputs.new_zeros(len(inputs), self.heads * self.size)
        outputs, steps = [], []
        for x in inputs.unbind(1):
            state = self.controller.step(self.controller.project(torch.cat([x, found], dim=-1)), state)
            orders = self.orders(state[0])
            looked, memory = step(memory, orders)
            found = looked.flatten(1)
            outputs.append(self.output(torch.cat([state[0], found], dim=-1)))
            done = (memory.write_weights, memory.read_weights, orders.erase, orders.value, orders.read_modes)
            steps.append(done)
        writes, reads, erases, values, modes = (torch.stack(part, dim=1) for part in zip(*steps, strict=True))
        return torch.stack(outputs, dim=1), Track(writes, reads, erases, values, modes, memory)
