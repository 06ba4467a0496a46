"""Networks with a memory, beside formulations in plain torch with the same weights."""

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from course_experiments.speed.harness import Benchmark, check_same, side_by_side, training_step
from course_lib.memory.dnc import DifferentiableNeuralComputer
from course_lib.memory.dynamic import DynamicMemoryNetwork
from course_lib.memory.end_to_end import MemoryNetwork, position_weights
from course_lib.memory.turing_machine import BLANK, BOUND, SMALLEST, NeuralTuringMachine
from course_lib.recurrent.gru import GRU
from course_lib.recurrent.lstm import LSTM

WORDS = 40


def stories(batch: int, sentences: int, words: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return stories of random words, questions and answers; no text is shorter than another.

    Stories say the same few things again and again, as those of bAbI do.
    """
    said = torch.randint(1, WORDS, (120, words))
    told = said[torch.randint(120, (batch, sentences))]
    return told, torch.randint(1, WORDS, (batch, 4)), torch.randint(1, WORDS, (batch,))


def memory_network(batch: int = 32, sentences: int = 50, words: int = 7, rounds: int = 9) -> Benchmark:
    """A training step of the end-to-end memory network, 3 hops, size 20, position and temporal encoding."""
    torch.manual_seed(0)
    ours = MemoryNetwork(WORDS, 20)
    told, asked, wanted = stories(batch, sentences, words)
    tables = [table.get_parameter("weight") for table in (*ours.A, ours.W)]
    times = [table.get_parameter("weight") for table in (*ours.T_A, ours.T_C[-1])]
    places = [position_weights(torch.tensor(length), length, 20).float() for length in (words, 4)]

    def theirs() -> Tensor:
        u = (functional.embedding(asked, tables[0]) * places[1]).sum(dim=1)
        memories = [
            (functional.embedding(told, table) * places[0]).sum(dim=2) + time[:sentences]
            for table, time in zip(tables, times, strict=True)
        ]
        for m, c in pairwise(memories):
            p = torch.bmm(m, u.unsqueeze(2)).squeeze(2).softmax(dim=1)
            u = u + torch.bmm(p.unsqueeze(1), c).squeeze(1)
        return u @ tables[-1].T

    name = f"memory network, training step, batch {batch}, {sentences} sentences of {words} words, 3 hops"
    check_same(name, ours(told, asked)[0], theirs())
    weights = list(ours.parameters())
    step = training_step(weights, lambda: functional.cross_entropy(ours(told, asked)[0], wanted))
    other = training_step(weights, lambda: functional.cross_entropy(theirs(), wanted))
    taken = side_by_side(step, other, rounds)
    return Benchmark(name, "plain torch, each word looked up anew", *taken, target=1.5)


@torch.no_grad()
def lstm_cell(ours: LSTM) -> nn.LSTMCell:
    """Return torch's cell with the weights of ours; its blocks are i, f, g, o."""
    theirs = nn.LSTMCell(ours.input_size, ours.hidden_size)

    def sorted_blocks(weight: Tensor) -> Tensor:
        i, f, o, g = weight.chunk(4)
        return torch.cat([i, f, g, o])

    theirs.weight_ih.copy_(sorted_blocks(ours.W_x.weight))
    theirs.weight_hh.copy_(sorted_blocks(ours.W_h.weight))
    theirs.bias_ih.copy_(sorted_blocks(ours.W_x.bias))
    theirs.bias_hh.zero_()
    return theirs


class PlainMachine(nn.Module):
    """The neural Turing machine with nn.LSTMCell, and shifts as one gather."""

    def __init__(self, ours: NeuralTuringMachine) -> None:
        super().__init__()
        self.ours = ours
        self.cell = lstm_cell(ours.controller)

    def address(self, head: nn.Module, hidden: Tensor, memory: Tensor, before: Tensor) -> Tensor:
        """Return where a head looks."""
        size, rows = memory.shape[2], memory.shape[1]
        said = head.get_submodule("orders")(hidden).clamp(-BOUND, BOUND)
        key, beta, gate, kernel, power = said.split([size, 1, 1, 3, 1], dim=1)
        alike = functional.cosine_similarity(key.unsqueeze(1), memory, dim=2)
        content = (functional.softplus(beta) * alike).softmax(dim=1)
        mixed = before.lerp(content, torch.sigmoid(gate))
        places = (torch.arange(rows).unsqueeze(1) - torch.arange(-1, 2)) % rows
        moved = torch.bmm(mixed[:, places], kernel.softmax(dim=1).unsqueeze(2)).squeeze(2)
        sharp = (moved + SMALLEST) ** (1 + functional.softplus(power))
        return sharp / sharp.sum(dim=1, keepdim=True)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the outputs."""
        batch, rows, size = len(inputs), self.ours.rows, self.ours.size
        memory, found = inputs.new_full((batch, rows, size), BLANK), inputs.new_zeros(batch, size)
        reading = writing = functional.one_hot(torch.zeros(batch, dtype=torch.long), rows).float()
        state = None
        outputs = []
        for x in inputs.unbind(1):
            state = self.cell(torch.cat([x, found], dim=1), state)
            hidden = state[0]
            reading = self.address(self.ours.reader, hidden, memory, reading)
            writing = self.address(self.ours.writer, hidden, memory, writing)
            found = torch.bmm(reading.unsqueeze(1), memory).squeeze(1)
            erase, add = self.ours.writer.content(hidden).clamp(-BOUND, BOUND).chunk(2, dim=1)
            memory = memory - memory * torch.bmm(writing.unsqueeze(2), torch.sigmoid(erase).unsqueeze(1))
            memory = memory + torch.bmm(writing.unsqueeze(2), add.unsqueeze(1))
            outputs.append(self.ours.output(torch.cat([hidden, found], dim=1)))
        return torch.stack(outputs, dim=1)


def turing_machine(batch: int = 16, steps: int = 21, rows: int = 32, rounds: int = 9) -> Benchmark:
    """Forward and backward of the neural Turing machine, 64 units, rows of 16 numbers."""
    torch.manual_seed(0)
    ours = NeuralTuringMachine(9, 8, 64, rows, 16)
    theirs = PlainMachine(ours)
    x = torch.rand(batch, steps, 9)

    def run(answer: Callable[[Tensor], Tensor]) -> Tensor:
        outputs = answer(x)
        outputs.square().sum().backward()
        return outputs

    name = f"neural Turing machine, forward and backward, batch {batch}, {steps} steps, {rows} rows"
    check_same(name, run(lambda x: ours(x)[0]), run(theirs))
    taken = side_by_side(lambda: run(lambda x: ours(x)[0]), lambda: run(theirs), rounds)
    return Benchmark(name, "plain torch with nn.LSTMCell", *taken, target=1.5)


class PlainComputer(nn.Module):
    """The differentiable neural computer with nn.LSTMCell, one head that reads, and batched products."""

    def __init__(self, ours: DifferentiableNeuralComputer) -> None:
        super().__init__()
        self.ours, self.cell = ours, lstm_cell(ours.controller)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the outputs."""
        batch, rows, size = len(inputs), self.ours.rows, self.ours.size
        memory = inputs.new_zeros(batch, rows, size)
        link, off_diagonal = inputs.new_zeros(batch, rows, rows), 1 - torch.eye(rows)
        usage = precedence = writing = reading = inputs.new_zeros(batch, rows)
        found, state, outputs = inputs.new_zeros(batch, size), None, []
        for x in inputs.unbind(1):
            state = self.cell(torch.cat([x, found], dim=1), state)
            asked = self.ours.asks(state[0]).split(self.ours.parts, dim=1)
            write_key, beta, erase, value, allocate, strength, free, read_key, read_beta, modes = asked
            usage = (usage + writing - usage * writing) * (1 - torch.sigmoid(free) * reading)
            ordered, order = usage.sort(dim=1, stable=True)
            before = torch.cat([torch.ones(batch, 1), ordered[:, :-1]], dim=1).cumprod(dim=1)
            room = torch.zeros_like(usage).scatter(1, order, (1 - ordered) * before)
            alike = functional.cosine_similarity(write_key.unsqueeze(1), memory, dim=2)
            content = ((1 + functional.softplus(beta)) * alike).softmax(dim=1)
            writing = torch.sigmoid(strength) * content.lerp(room, torch.sigmoid(allocate))
            wiped = torch.bmm(writing.unsqueeze(2), torch.sigmoid(erase).unsqueeze(1))
            memory = memory - memory * wiped + torch.bmm(writing.unsqueeze(2), value.unsqueeze(1))
            kept = 1 - writing.unsqueeze(2) - writing.unsqueeze(1)
            link = (kept * link + torch.bmm(writing.unsqueeze(2), precedence.unsqueeze(1))) * off_diagonal
            precedence = (1 - writing.sum(dim=1, keepdim=True)) * precedence + writing
            alike = functional.cosine_similarity(read_key.unsqueeze(1), memory, dim=2)
            content = ((1 + functional.softplus(read_beta)) * alike).softmax(dim=1)
            back = torch.bmm(reading.unsqueeze(1), link).squeeze(1)
            forth = torch.bmm(link, reading.unsqueeze(2)).squeeze(2)
            shares = modes.softmax(dim=1)
            reading = shares[:, :1] * back + shares[:, 1:2] * content + shares[:, 2:] * forth
            found = torch.bmm(reading.unsqueeze(1), memory).squeeze(1)
            outputs.append(self.ours.output(torch.cat([state[0], found], dim=1)))
        return torch.stack(outputs, dim=1)


def neural_computer(batch: int = 16, steps: int = 20, rows: int = 16, rounds: int = 9) -> Benchmark:
    """Forward and backward of the differentiable neural computer, 64 units, rows of 16 numbers."""
    torch.manual_seed(0)
    ours = DifferentiableNeuralComputer(10, 8, 64, rows, 16)
    theirs = PlainComputer(ours)
    x = torch.rand(batch, steps, 10)

    def run(answer: Callable[[Tensor], Tensor]) -> Tensor:
        outputs = answer(x)
        outputs.square().sum().backward()
        return outputs

    name = f"differentiable neural computer, forward and backward, batch {batch}, {steps} steps, {rows} rows"
    check_same(name, run(lambda x: ours(x)[0]), run(theirs))
    taken = side_by_side(lambda: run(lambda x: ours(x)[0]), lambda: run(theirs), rounds)
    return Benchmark(name, "plain torch with nn.LSTMCell", *taken, target=1.5)


@torch.no_grad()
def copy_gru(ours: GRU, theirs: nn.GRU | nn.GRUCell) -> None:
    """Give torch's layer the weights of ours."""
    weight_ih, weight_hh, bias_ih, bias_hh = theirs.parameters()
    weight_ih.copy_(ours.W_x.weight)
    weight_hh.copy_(ours.W_h.weight)
    bias_ih.copy_(ours.W_x.bias)
    bias_hh.copy_(torch.cat([torch.zeros(2 * ours.hidden_size), ours.b_h]))


def dynamic_network(batch: int = 32, sentences: int = 10, words: int = 6, rounds: int = 9) -> Benchmark:
    """A training step of the dynamic memory network, size 40, 2 passes, beside one with torch's GRUs."""
    torch.manual_seed(0)
    ours = DynamicMemoryNetwork(WORDS, 40, passes=2)
    told, asked, wanted = stories(batch, sentences, words)
    layers = {name: nn.GRU(40, 40, batch_first=True) for name in ("input", "question")}
    cells = {name: nn.GRUCell(40, 40) for name in ("episode", "memory")}
    cells["answer"] = nn.GRUCell(WORDS + 40, 40)
    for name, theirs in (*layers.items(), *cells.items()):
        copy_gru(ours.get_submodule(name), theirs)  # type: ignore[arg-type]

    def plain() -> Tensor:
        states, _ = layers["input"](ours.words(told.flip(1).flatten(1)))
        facts = states[:, words - 1 :: words]  # the oldest first
        q = layers["question"](ours.words(asked))[1][0]
        m = q
        asks = q.unsqueeze(1).expand_as(facts)
        for _ in range(2):
            knows = m.unsqueeze(1).expand_as(facts)
            likes = torch.stack([(facts * ours.W(x).unsqueeze(1)).sum(dim=2) for x in (q, m)], dim=2)
            z = [facts, knows, asks, facts * asks, facts * knows, (facts - asks).abs(), (facts - knows).abs()]
            gates = torch.sigmoid(ours.gate(torch.cat([*z, likes], dim=2)))
            h = torch.zeros_like(q)
            for fact, gate in zip(facts.unbind(1), gates.unbind(1), strict=True):
                h = torch.lerp(h, cells["episode"](fact, h), gate)
            m = cells["memory"](h, m)
        return ours.W_a(cells["answer"](torch.cat([torch.zeros(batch, WORDS), q], dim=1), m))

    name = f"dynamic memory network, training step, batch {batch}, {sentences} sentences of {words} words"
    check_same(name, ours(told, asked)[0], plain())
    weights = list(ours.parameters())
    step = training_step(weights, lambda: functional.cross_entropy(ours(told, asked)[0], wanted))
    other = training_step(weights, lambda: functional.cross_entropy(plain(), wanted))
    taken = side_by_side(step, other, rounds)
    return Benchmark(name, "plain torch with nn.GRU and nn.GRUCell", *taken, target=1.5)
