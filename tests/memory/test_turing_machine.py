import math

import pytest
import torch

from course_lib.memory.turing_machine import (
    BOUND,
    Head,
    NeuralTuringMachine,
    content_weights,
    interpolate,
    read,
    sharpen,
    shift,
    write,
    written,
)


def machine(rows=5, reach=1):
    torch.manual_seed(0)
    model = NeuralTuringMachine(2, 3, 4, rows=rows, size=3, reach=reach).double()
    for weight in model.parameters():
        torch.nn.init.normal_(weight)
    return model


def inputs(batch=2, time=4):
    return torch.randn(batch, time, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def softplus(x):
    return math.log(1 + math.exp(x))


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def share(values):
    return [value / sum(values) for value in values]


def weights_by_loops(head, hidden, memory, before):
    """One head's move, number by number; memory a list of rows, before a list of weights."""
    told = [max(-BOUND, min(BOUND, float(v))) for v in head.orders.weight @ hidden + head.orders.bias]
    size, rows = len(memory[0]), len(memory)
    key, (strength, gate), kernel, power = told[:size], told[size : size + 2], told[size + 2 : -1], told[-1]

    def cosine(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))

    content = share([math.exp(softplus(strength) * cosine(key, row)) for row in memory])
    g = sigmoid(gate)
    mixed = [g * c + (1 - g) * b for c, b in zip(content, before, strict=True)]
    s, reach = share([math.exp(v) for v in kernel]), len(kernel) // 2
    shifted = [
        sum(
            mixed[j] * s[by + reach]
            for j in range(rows)
            for by in range(-reach, reach + 1)
            if (j + by) % rows == i
        )
        for i in range(rows)
    ]
    return share([(w + 1e-8) ** (1 + softplus(power)) for w in shifted])


@torch.no_grad()
def machine_by_loops(model, sequence):
    """Outputs and final tape for one sequence, number by number; torch's own LSTM cell as controller."""
    layer = model.controller
    cell = torch.nn.LSTMCell(model.input_size + model.size, layer.hidden_size).double()

    def reordered(blocks):  # ours: i, f, o, g; torch's: i, f, g, o
        i, f, o, g = blocks.chunk(4)
        return torch.cat([i, f, g, o])

    with torch.no_grad():
        cell.weight_ih.copy_(reordered(layer.W_x.weight))
        cell.weight_hh.copy_(reordered(layer.W_h.weight))
        cell.bias_ih.copy_(reordered(layer.W_x.bias))
        cell.bias_hh.zero_()
    rows, size = model.rows, model.size
    memory = [[1e-6] * size for _ in range(rows)]
    reading = writing = [1.0] + [0.0] * (rows - 1)
    found = [0.0] * size
    h = c = torch.zeros(1, layer.hidden_size, dtype=torch.float64)
    outputs = []
    for x in sequence.tolist():
        h, c = cell(torch.tensor([x + found], dtype=torch.float64), (h, c))
        reading = weights_by_loops(model.reader, h[0], memory, reading)
        writing = weights_by_loops(model.writer, h[0], memory, writing)
        found = [sum(w * row[k] for w, row in zip(reading, memory, strict=True)) for k in range(size)]
        told = model.writer.content.weight @ h[0] + model.writer.content.bias
        told = [max(-BOUND, min(BOUND, float(v))) for v in told]
        for i in range(rows):
            for k in range(size):
                kept = memory[i][k] * (1 - writing[i] * sigmoid(told[k]))
                memory[i][k] = kept + writing[i] * told[size + k]
        seen = torch.cat([h[0], torch.tensor(found, dtype=torch.float64)])
        outputs.append(model.output.weight @ seen + model.output.bias)
    return torch.stack(outputs), torch.tensor(memory, dtype=torch.float64)


def test_one_addressing_step_by_hand():
    """Rows (1, 0), (0, 1), (−1, 0), key (2, 0): cosines 1, 0, −1; β = ln 2 makes weights 4/7, 2/7, 1/7."""
    memory = torch.tensor([[1.0, 0], [0, 1], [-1, 0]]).double()
    content = content_weights(memory, torch.tensor([2.0, 0]).double(), torch.tensor(2.0).double().log())
    assert content.tolist() == pytest.approx([4 / 7, 2 / 7, 1 / 7])
    mixed = interpolate(content, torch.tensor([0.0, 0, 1]).double(), torch.tensor(0.25).double())
    assert mixed.tolist() == pytest.approx([4 / 28, 2 / 28, 22 / 28])
    # A quarter moves one row back, three quarters one row on; the last row's next is the first.
    moved = shift(mixed, torch.tensor([0.25, 0, 0.75]).double())
    assert moved.tolist() == pytest.approx([(2 + 66) / 112, (22 + 12) / 112, (4 + 6) / 112])
    sharp = sharpen(moved, torch.tensor(2.0).double())
    assert sharp.tolist() == pytest.approx([68**2 / 5880, 34**2 / 5880, 10**2 / 5880], rel=1e-5)


@pytest.mark.parametrize("by", [-2, -1, 0, 1, 2])
def test_a_shift_by_one_hot_is_a_roll_in_its_direction(by):
    weights = torch.rand(3, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    kernel = torch.zeros(3, 5, dtype=torch.float64)
    kernel[:, by + 2] = 1
    torch.testing.assert_close(shift(weights, kernel), weights.roll(by, dims=1))


def test_a_great_strength_finds_the_best_row_alone_and_none_finds_all():
    torch.manual_seed(0)
    memory, key = torch.randn(20, 6, 3).double(), torch.randn(20, 3).double()
    best = torch.cosine_similarity(key.unsqueeze(1), memory, dim=-1).argmax(dim=1)
    sharp = content_weights(memory, key, torch.full((20,), 1e9).double())
    torch.testing.assert_close(sharp, torch.nn.functional.one_hot(best, 6).double())
    flat = content_weights(memory, key, torch.zeros(20).double())
    torch.testing.assert_close(flat, torch.full((20, 6), 1 / 6).double())


def test_sharpening_keeps_at_one_and_picks_the_largest_at_a_great_power():
    weights = torch.tensor([[0.1, 0.6, 0.3], [0.5, 0.2, 0.3]]).double()
    torch.testing.assert_close(sharpen(weights, torch.ones(2).double()), weights, atol=1e-6, rtol=0)
    largest = sharpen(weights, torch.full((2,), 1e4).double())
    torch.testing.assert_close(largest, torch.tensor([[0.0, 1, 0], [1, 0, 0]]).double())
    # In single precision 0.001 to this power is 0, for all rows; what remains is their ratio.
    flat = sharpen(torch.full((1, 1000), 0.001), torch.tensor([BOUND]))
    torch.testing.assert_close(flat, torch.full((1, 1000), 0.001))


def test_writing_erases_and_then_adds():
    memory = torch.tensor([[1.0, 2], [3, 4]])
    one, e, a = torch.tensor([0.0, 1]), torch.tensor([1.0, 0.5]), torch.tensor([10.0, 20])
    assert write(memory, one, e, a).tolist() == [[1, 2], [10, 22]]
    assert write(memory, one / 2, e, a).tolist() == [[1, 2], [6.5, 13]]
    assert read(memory, torch.tensor([0.25, 0.75])).tolist() == [2.5, 3.5]


@pytest.mark.parametrize("value", [0.0, 1e-6, 3.0])
def test_a_blank_or_constant_tape_gives_finite_weights_and_gradients(value):
    torch.manual_seed(0)
    head = Head(4, 3, reach=1)
    memory = torch.full((2, 5, 3), value, requires_grad=True)
    before = torch.eye(5)[:2].requires_grad_()
    weights = head(torch.randn(2, 4), memory, before)
    torch.testing.assert_close(weights.sum(dim=1), torch.ones(2))
    weights.square().sum().backward()
    gradients = [memory.grad, before.grad, *(w.grad for w in head.parameters())]
    assert all(gradient.isfinite().all() for gradient in gradients)


def test_what_a_head_is_told_is_bounded():
    head = Head(4, 3, reach=1)
    told = head.told(1e6 * torch.randn(8, 4, generator=torch.Generator().manual_seed(0)))
    assert told.abs().max() == BOUND
    weights = head(torch.full((1, 4), 1e6), torch.randn(1, 5, 3), torch.eye(5)[:1])
    assert weights.isfinite().all()


@pytest.mark.parametrize("reach", [0, 1, 2])
def test_a_machine_is_what_loops_over_numbers_give(reach):
    model, x = machine(reach=reach), inputs()
    outputs, tape = model(x)
    for i in range(2):
        expected, memory = machine_by_loops(model, x[i])
        torch.testing.assert_close(outputs[i], expected)
        torch.testing.assert_close(tape.memory[i], memory)


def test_the_tape_tells_what_the_heads_did():
    outputs, tape = machine()(inputs())
    assert outputs.shape == (2, 4, 3)
    ones = torch.ones(2, 4, dtype=torch.float64)
    for weights in (tape.read_weights, tape.write_weights):
        torch.testing.assert_close(weights.sum(dim=-1), ones)
    # The first step reads a blank tape.
    torch.testing.assert_close(tape.read[:, 0], torch.full((2, 3), 1e-6, dtype=torch.float64))


def test_the_tape_can_be_written_again_step_by_step():
    model = machine()
    tape = model(inputs())[1]
    for i in range(2):
        tapes = written(tape.write_weights[i], tape.erased[i], tape.added[i])
        torch.testing.assert_close(tapes[-1], tape.memory[i])
        for t in range(4):  # what a shorter run leaves
            torch.testing.assert_close(tapes[t], model(inputs()[:, : t + 1])[1].memory[i])


def test_a_sequence_longer_than_the_tape_goes_round():
    """A head that always moves on by one writes row 0 again after the last."""
    weights = torch.eye(3).roll(1, dims=1).repeat(2, 1)[:4]
    tapes = written(weights, torch.ones(4, 2), torch.arange(8.0).view(4, 2), blank=0.0)
    assert tapes[2].tolist() == [[4, 5], [0, 1], [2, 3]]
    assert tapes[3].tolist() == [[4, 5], [6, 7], [2, 3]]


def test_gradients_are_those_of_finite_differences():
    model = machine(rows=4)
    names = [name for name, _ in model.named_parameters()]

    def run(x, *values):
        outputs, tape = torch.func.functional_call(model, dict(zip(names, values, strict=True)), (x,))
        return outputs, tape.memory

    weights = [weight.detach().requires_grad_() for weight in model.parameters()]
    assert torch.autograd.gradcheck(run, (inputs(1, 3).requires_grad_(), *weights), fast_mode=True)


def test_nothing_is_carried_from_call_to_call():
    model, x = machine(), inputs()
    first = model(x)[0]
    model(x + 1)
    torch.testing.assert_close(model(x)[0], first, atol=0, rtol=0)


def test_what_makes_no_machine_is_named():
    with pytest.raises(ValueError, match="reach is 2; allowed is 0 to 1 for 4 rows"):
        NeuralTuringMachine(2, 3, 4, rows=4, size=3, reach=2)
    with pytest.raises(ValueError, match="size is 0; allowed is 1 or more"):
        NeuralTuringMachine(2, 3, 4, rows=4, size=0)
    with pytest.raises(ValueError, match=r"inputs have shape \(2, 4, 5\); allowed is \(batch, time, 2\)"):
        machine()(torch.zeros(2, 4, 5, dtype=torch.float64))
    for shifts in (2, 5):
        with pytest.raises(ValueError, match=f"kernel has {shifts} shifts; allowed are odd numbers up to 4"):
            shift(torch.ones(1, 4), torch.ones(1, shifts))
