"""Neural Turing machine: a recurrent network with a tape that it reads and writes at soft places.

A head looks at the tape M, a matrix of N rows, through weights w over the rows. It moves in four steps:

    content        w_c ∝ exp(β cos(k, M_i))                  rows like the key k         (5, 6)
    interpolation  w_g = g w_c + (1 − g) w_{t−1}             or where it was             (7)
    shift          w̃_i = Σ_j w_g,j s_{i−j}                   and some rows on, in a ring (8)
    sharpening     w_i ∝ w̃_i^γ                               without getting blurred     (9)

    read           r = Σ_i w_i M_i                                                       (2)
    write          M_i ← M_i ⊙ (1 − w_i e) + w_i a           erase, then add             (3, 4)

The head's k, β, g, s, γ, e, a come from the controller, an LSTM that sees the input and what was read before.
At each step a head reads what stands on the tape, and then another writes.

The tape starts with the same small number everywhere, and both heads on row 0. Zeros would have no direction
for the cosine, and with the heads nowhere all rows would stay alike for ever.

(Graves, Wayne and Danihelka 2014; equations by their numbers there. The start and the bound on what a head is
told: Collier and Beel 2018.)
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from course_lib.recurrent.layer import check_inputs
from course_lib.recurrent.lstm import LSTM

BOUND = 20.0  # of what a controller tells a head, before it is squashed
BLANK = 1e-6  # on each cell of a new tape
SMALLEST = 1e-8  # ε, added to weights: the power of 0 has no gradient


def content_weights(
    memory: Float[Tensor, "*#batch rows size"],
    key: Float[Tensor, "*batch size"],
    strength: Float[Tensor, "*batch"],
) -> Float[Tensor, "*batch rows"]:
    """Return softmax(β cos(k, M_i)); a row of zeros has cosine 0.

    Args:
        memory: M.
        key: k.
        strength: β, 0 or more; 0 is all rows alike, large is the best row alone.
    """
    cosines = functional.cosine_similarity(key.unsqueeze(-2), memory, dim=-1)
    return (strength.unsqueeze(-1) * cosines).softmax(dim=-1)


def interpolate(
    content: Float[Tensor, "*batch rows"], before: Float[Tensor, "*batch rows"], gate: Float[Tensor, "*batch"]
) -> Float[Tensor, "*batch rows"]:
    """Return g w_c + (1 − g) w_{t−1}.

    Args:
        content: w_c.
        before: w_{t−1}.
        gate: g, 0 (stay) to 1 (go by content).
    """
    gate = gate.unsqueeze(-1)
    return gate * content + (1 - gate) * before


def shift(
    weights: Float[Tensor, "*batch rows"], kernel: Float[Tensor, "*batch shifts"]
) -> Float[Tensor, "*batch rows"]:
    """Return Σ_j w_j s_{i−j}: each weight moves by each shift, in the shift's share; the tape is a ring.

    Args:
        weights: w.
        kernel: s from −R to R, that is 2R + 1 shares; the middle one stays, the last one moves R rows on.

    Raises:
        ValueError: the number of shifts is even, or above that of the rows.
    """
    shifts, rows = kernel.shape[-1], weights.shape[-1]
    if shifts % 2 == 0 or shifts > rows:
        raise ValueError(f"kernel has {shifts} shifts; allowed are odd numbers up to {rows}, the rows")
    reach = shifts // 2
    moved = [weights.roll(by, dims=-1) for by in range(-reach, reach + 1)]
    return torch.einsum("...rs,...s->...r", torch.stack(moved, dim=-1), kernel)


def sharpen(
    weights: Float[Tensor, "*batch rows"], power: Float[Tensor, "*batch"]
) -> Float[Tensor, "*batch rows"]:
    """Return (w_i + ε)^γ / Σ_j (w_j + ε)^γ, by logarithms, so that powers of small weights do not vanish.

    Args:
        weights: 0 or more.
        power: γ, 1 or more.
    """
    return (power.unsqueeze(-1) * (weights + SMALLEST).log()).softmax(dim=-1)


def read(
    memory: Float[Tensor, "*#batch rows size"], weights: Float[Tensor, "*batch rows"]
) -> Float[Tensor, "*batch size"]:
    """Return Σ_i w_i M_i."""
    return torch.einsum("...r,...rs->...s", weights, memory)


def write(
    memory: Float[Tensor, "*batch rows size"],
    weights: Float[Tensor, "*batch rows"],
    erase: Float[Tensor, "*batch size"],
    add: Float[Tensor, "*batch size"],
) -> Float[Tensor, "*batch rows size"]:
    """Return M_i ⊙ (1 − w_i e) + w_i a.

    Args:
        memory: M; left unchanged.
        weights: w.
        erase: e, 0 (keep) to 1 (wipe).
        add: a.
    """
    weights = weights.unsqueeze(-1)
    return memory * (1 - weights * erase.unsqueeze(-2)) + weights * add.unsqueeze(-2)


def written(
    weights: Float[Tensor, "time rows"],
    erased: Float[Tensor, "time size"],
    added: Float[Tensor, "time size"],
    blank: float = BLANK,
) -> Float[Tensor, "time rows size"]:
    """Return the tape after each step of one sequence.

    Args:
        weights: w of the head that writes.
        erased: e.
        added: a.
        blank: what stands in each cell before.
    """
    memory = weights.new_full((weights.shape[1], erased.shape[1]), blank)
    tapes = []
    for w, e, a in zip(weights, erased, added, strict=True):
        memory = write(memory, w, e, a)
        tapes.append(memory)
    return torch.stack(tapes)


class Head(nn.Module):
    """Turns what the controller says into weights over the rows.

    Args:
        hidden_size: features of the controller's state.
        size: features of a row.
        reach: most rows that a shift moves, R.
    """

    def __init__(self, hidden_size: int, size: int, reach: int) -> None:
        super().__init__()
        self.parts = [size, 1, 1, 2 * reach + 1, 1]
        self.orders = nn.Linear(hidden_size, sum(self.parts))

    def forward(
        self,
        hidden: Float[Tensor, "batch hidden"],
        memory: Float[Tensor, "batch rows size"],
        before: Float[Tensor, "batch rows"],
    ) -> Float[Tensor, "batch rows"]:
        """Return w_t; each row of it sums to 1.

        Args:
            hidden: the controller's state.
            memory: the tape.
            before: w_{t−1}.
        """
        key, strength, gate, kernel, power = self.told(hidden).split(self.parts, dim=-1)
        weights = content_weights(memory, key, functional.softplus(strength.squeeze(-1)))
        weights = interpolate(weights, before, torch.sigmoid(gate.squeeze(-1)))
        weights = shift(weights, kernel.softmax(dim=-1))
        return sharpen(weights, 1 + functional.softplus(power.squeeze(-1)))

    def told(self, hidden: Float[Tensor, "batch hidden"]) -> Float[Tensor, "batch orders"]:
        """Return what the controller says, within bounds."""
        return self.orders(hidden).clamp(-BOUND, BOUND)


class WriteHead(Head):
    """A head that also says what to erase and what to add."""

    def __init__(self, hidden_size: int, size: int, reach: int) -> None:
        super().__init__(hidden_size, size, reach)
        self.content = nn.Linear(hidden_size, 2 * size)

    def erase_and_add(
        self, hidden: Float[Tensor, "batch hidden"]
    ) -> tuple[Float[Tensor, "batch size"], Float[Tensor, "batch size"]]:
        """Return e in 0 to 1, and a."""
        erase, add = self.content(hidden).clamp(-BOUND, BOUND).chunk(2, dim=-1)
        return torch.sigmoid(erase), add


class Tape(NamedTuple):
    """What the heads did at each step, and what they left."""

    read_weights: Float[Tensor, "batch time rows"]
    write_weights: Float[Tensor, "batch time rows"]
    read: Float[Tensor, "batch time size"]  # r
    erased: Float[Tensor, "batch time size"]  # e
    added: Float[Tensor, "batch time size"]  # a
    memory: Float[Tensor, "batch rows size"]  # after the last step


class NeuralTuringMachine(nn.Module):
    """A controller with one head that reads and one that writes.

    Each call starts on a new tape; nothing is kept from one call to the next. The tape is a ring: a sequence
    that is longer than the tape is written over its own beginning.

    Args:
        input_size: features of an input.
        output_size: features of an output.
        hidden_size: features of the controller's state.
        rows: of the tape, N; no weight depends on them.
        size: features of a row.
        reach: most rows that a shift moves, R; 0 or more.

    Raises:
        ValueError: a number below 1, a reach below 0, or fewer rows than shifts.
    """

    def __init__(
        self, input_size: int, output_size: int, hidden_size: int, rows: int, size: int, reach: int = 1
    ) -> None:
        super().__init__()
        for name, number in (("output_size", output_size), ("rows", rows), ("size", size)):
            if number < 1:
                raise ValueError(f"{name} is {number}; allowed is 1 or more")
        if not 0 <= reach <= (rows - 1) // 2:
            raise ValueError(f"reach is {reach}; allowed is 0 to {(rows - 1) // 2} for {rows} rows")
        self.input_size, self.rows, self.size = input_size, rows, size
        self.controller = LSTM(input_size + size, hidden_size)
        self.reader = Head(hidden_size, size, reach)
        self.writer = WriteHead(hidden_size, size, reach)
        self.output = nn.Linear(hidden_size + size, output_size)

    def forward(
        self, inputs: Float[Tensor, "batch time input"]
    ) -> tuple[Float[Tensor, "batch time output"], Tape]:
        """Return the output at each step, before any squashing, and what happened on the tape.

        Raises:
            ValueError: the inputs have another size or no steps.
        """
        check_inputs(inputs, self.input_size, None)
        batch = len(inputs)
        memory = inputs.new_full((batch, self.rows, self.size), BLANK)
        found = inputs.new_zeros(batch, self.size)
        start = functional.one_hot(inputs.new_zeros(batch, dtype=torch.long), self.rows).to(inputs.dtype)
        reading, writing = start, start
        state = self.controller.zero_state(batch)
        outputs = []
        steps = []
        for x in inputs.unbind(1):
            state = self.controller.step(self.controller.project(torch.cat([x, found], dim=-1)), state)
            hidden = state[0]
            reading, writing = self.reader(hidden, memory, reading), self.writer(hidden, memory, writing)
            found = read(memory, reading)
            erase, add = self.writer.erase_and_add(hidden)
            memory = write(memory, writing, erase, add)
            outputs.append(self.output(torch.cat([hidden, found], dim=-1)))
            steps.append((reading, writing, found, erase, add))
        reads, writes, founds, erases, adds = (torch.stack(part, dim=1) for part in zip(*steps, strict=True))
        return torch.stack(outputs, dim=1), Tape(reads, writes, founds, erases, adds, memory)
