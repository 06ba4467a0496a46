import math

import pytest
import torch

from course_lib.memory.dnc import (
    DifferentiableNeuralComputer,
    Orders,
    allocation,
    empty_memory,
    link_after,
    step,
)

BACK, CONTENT, FORTH = range(3)
ROWS = SIZE = 4


def ask(value=(0, 0, 0, 0), write_gate=0.0, free=0.0, key=(1, 0, 0, 0), mode=CONTENT):
    """Orders for one head that reads sharply, and for writing to a free row."""
    return Orders(
        write_key=torch.ones(1, SIZE),
        write_strength=torch.ones(1),
        erase=torch.ones(1, SIZE),
        value=torch.tensor([value], dtype=torch.float),
        allocation_gate=torch.ones(1),
        write_gate=torch.tensor([write_gate]),
        free_gates=torch.tensor([[free]]),
        read_keys=torch.tensor([[key]], dtype=torch.float),
        read_strengths=torch.full((1, 1), 1000.0),
        read_modes=torch.eye(3)[mode].reshape(1, 1, 3),
    )


def one_hot(place):
    return tuple(int(i == place) for i in range(SIZE))


def written(places):
    """A memory after one-hot vectors were written, each to a free row."""
    memory = empty_memory(1, ROWS, SIZE, 1)
    for place in places:
        _, memory = step(memory, ask(one_hot(place), write_gate=1.0, key=(1, 1, 1, 1)))
    return memory


def random_orders(heads=2, batch=2):
    def normal(*shape):
        return torch.randn(batch, *shape, dtype=torch.float64)

    return Orders(
        normal(3),
        normal().exp(),
        normal(3).sigmoid(),
        normal(3),
        normal().sigmoid(),
        normal().sigmoid(),
        normal(heads).sigmoid(),
        normal(heads, 3),
        normal(heads).exp(),
        normal(heads, 3).softmax(dim=-1),
    )


def double(memory):
    return type(memory)(*(part.double() for part in memory))


def loop_step(state, orders):
    """One step for one memory, number by number; state and orders hold lists."""
    M, u, L, p, w, reading = state
    N, W, R = len(M), len(M[0]), len(reading)

    def content(rows, key, strength):
        def cosine(row):
            norms = math.hypot(*row) * math.hypot(*key)
            return sum(a * b for a, b in zip(row, key, strict=True)) / norms if norms else 0.0

        powers = [math.exp(strength * cosine(row)) for row in rows]
        return [power / sum(powers) for power in powers]

    kept = [math.prod(1 - orders.free_gates[r] * reading[r][i] for r in range(R)) for i in range(N)]
    u = [(u[i] + w[i] - u[i] * w[i]) * kept[i] for i in range(N)]
    room, product = [0.0] * N, 1.0
    for i in sorted(range(N), key=lambda i: u[i]):
        room[i] = (1 - u[i]) * product
        product *= u[i]
    alike = content(M, orders.write_key, orders.write_strength)
    g = orders.allocation_gate
    w = [orders.write_gate * (g * room[i] + (1 - g) * alike[i]) for i in range(N)]
    M = [
        [M[i][k] * (1 - w[i] * orders.erase[k]) + w[i] * orders.value[k] for k in range(W)] for i in range(N)
    ]
    L = [[(1 - w[i] - w[j]) * L[i][j] + w[i] * p[j] if i != j else 0.0 for j in range(N)] for i in range(N)]
    p = [(1 - sum(w)) * p[i] + w[i] for i in range(N)]
    looked = []
    for r in range(R):
        alike = content(M, orders.read_keys[r], orders.read_strengths[r])
        back, by_content, forth = orders.read_modes[r]
        looked.append(
            [
                back * sum(L[j][i] * reading[r][j] for j in range(N))
                + by_content * alike[i]
                + forth * sum(L[i][j] * reading[r][j] for j in range(N))
                for i in range(N)
            ]
        )
    found = [[sum(looked[r][i] * M[i][k] for i in range(N)) for k in range(W)] for r in range(R)]
    return found, (M, u, L, p, w, looked)


def test_allocation_takes_the_least_used_row():
    """Sorted usages 0.1, 0.5, 0.9: 0.9, then 0.5 · 0.1, then 0.1 · 0.5 · 0.1."""
    weights = allocation(torch.tensor([[0.5, 0.1, 0.9]]).double())
    assert weights[0].tolist() == pytest.approx([0.05, 0.9, 0.005])
    assert allocation(torch.tensor([[1.0, 0, 1]]))[0].tolist() == [0, 1, 0]
    assert allocation(torch.zeros(1, 3))[0].tolist() == [1, 0, 0]  # of equal ones the first
    assert allocation(torch.ones(1, 3))[0].tolist() == [0, 0, 0]  # no room


def test_each_write_goes_to_a_row_of_its_own():
    memory = written([2, 0, 3])
    assert memory.rows[0].tolist() == [list(one_hot(2)), list(one_hot(0)), list(one_hot(3)), [0, 0, 0, 0]]
    assert memory.precedence[0].tolist() == [0, 0, 1, 0]
    expected = torch.zeros(ROWS, ROWS)
    expected[1, 0] = expected[2, 1] = 1  # row 1 after row 0, row 2 after row 1
    assert torch.equal(memory.link[0], expected)


def test_reading_forth_and_back_follows_the_order_of_writing():
    order = [2, 0, 3, 1]
    memory = written(order)
    found, memory = step(memory, ask(key=one_hot(2)))
    heard = [found.argmax().item()]
    for mode in (FORTH, FORTH, FORTH, BACK, BACK, BACK):
        found, memory = step(memory, ask(mode=mode))
        torch.testing.assert_close(found.max(), torch.tensor(1.0))
        heard.append(found.argmax().item())
    assert heard == [2, 0, 3, 1, 3, 0, 2]
    found, _ = step(memory, ask(mode=BACK))  # nothing was written before the first
    assert found.count_nonzero() == 0


def test_what_was_read_and_freed_is_written_over_first():
    memory = written([0, 1, 2, 3])
    _, memory = step(memory, ask(key=one_hot(2)))
    _, kept = step(memory, ask(write_gate=1.0, value=(5, 5, 5, 5), free=0.0))
    assert torch.equal(kept.rows[0], torch.eye(4))  # full: there is nowhere to write to
    _, freed = step(memory, ask(write_gate=1.0, value=(5, 5, 5, 5), free=1.0))
    expected = torch.eye(4)
    expected[2] = 5
    torch.testing.assert_close(freed.rows[0], expected)


def test_a_closed_gate_writes_nothing():
    memory = written([1, 2])
    _, after = step(memory, ask(value=(5, 5, 5, 5), write_gate=0.0))
    assert torch.equal(after.rows, memory.rows) and torch.equal(after.link, memory.link)
    assert torch.equal(after.precedence, memory.precedence)


def test_links_stay_links():
    torch.manual_seed(0)
    memory = double(empty_memory(2, 5, 3, 2))
    for _ in range(30):
        _, memory = step(memory, random_orders())
        assert (memory.link >= 0).all() and memory.link.diagonal(dim1=1, dim2=2).count_nonzero() == 0
        for sums in (
            memory.link.sum(1),
            memory.link.sum(2),
            memory.precedence.sum(1),
            memory.read_weights.sum(2),
        ):
            assert (sums <= 1 + 1e-12).all()
        assert ((memory.usage >= 0) & (memory.usage <= 1 + 1e-12)).all()
    assert memory.link.sum() > 0.1


def test_a_row_that_is_written_again_loses_its_old_links():
    link, last = torch.zeros(1, 3, 3), torch.tensor([[0.0, 0, 1]])
    link[0, 1, 0] = link[0, 2, 1] = 1  # 0, then 1, then 2
    again = link_after(link, last, torch.tensor([[0.0, 1, 0]]))
    expected = torch.zeros(3, 3)
    expected[1, 2] = 1
    assert torch.equal(again[0], expected)


def test_a_batch_with_heads_is_what_loops_over_numbers_give():
    torch.manual_seed(0)
    memory = double(empty_memory(2, 5, 3, 2))
    states = [tuple(part[i].tolist() for part in memory) for i in range(2)]
    for _ in range(6):
        orders = random_orders()
        found, memory = step(memory, orders)
        for i in range(2):
            expected, states[i] = loop_step(states[i], Orders(*(part[i].tolist() for part in orders)))
            torch.testing.assert_close(found[i], torch.tensor(expected, dtype=torch.float64))
            for part, value in zip(memory, states[i], strict=True):
                torch.testing.assert_close(part[i], torch.tensor(value, dtype=torch.float64))


def test_gradients_are_those_of_finite_differences():
    torch.manual_seed(0)
    _, memory = step(double(empty_memory(1, 4, 3, 2)), random_orders(batch=1))
    memory = type(memory)(*(part.detach() for part in memory))
    orders = [random_orders(batch=1) for _ in range(2)]

    def run(*values):
        half = len(values) // 2
        _, between = step(memory, Orders(*values[:half]))
        found, after = step(between, Orders(*values[half:]))
        return found, after.link

    values = [part.detach().requires_grad_() for order in orders for part in order]
    assert torch.autograd.gradcheck(run, values)


def computer(heads=2):
    torch.manual_seed(0)
    return DifferentiableNeuralComputer(3, 2, 4, rows=5, size=3, heads=heads).double()


@torch.no_grad()
def test_a_computer_asks_reads_and_answers_step_by_step():
    """By loops: an LSTM by its formulas, then `loop_step` for one memory."""
    model = computer()
    x = torch.randn(1, 4, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    outputs, track = model(x)
    state = tuple(part[0].tolist() for part in empty_memory(1, 5, 3, 2))
    h, c, found = torch.zeros(4).double(), torch.zeros(4).double(), torch.zeros(6).double()
    layer, softplus = model.controller, torch.nn.functional.softplus
    for t in range(4):
        seen = torch.cat([x[0, t], found])
        i, f, o, g = (layer.W_x.weight @ seen + layer.W_x.bias + layer.W_h.weight @ h).split(4)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        said = model.asks.weight @ h + model.asks.bias
        orders = Orders(
            said[0:3],
            1 + softplus(said[3]),
            torch.sigmoid(said[4:7]),
            said[7:10],
            torch.sigmoid(said[10]),
            torch.sigmoid(said[11]),
            torch.sigmoid(said[12:14]),
            said[14:20].view(2, 3),
            1 + softplus(said[20:22]),
            said[22:28].view(2, 3).softmax(dim=1),
        )
        assert len(said) == 28
        found, state = loop_step(state, Orders(*(part.tolist() for part in orders)))
        found = torch.tensor(found, dtype=torch.float64).flatten()
        answer = model.output.weight @ torch.cat([h, found]) + model.output.bias
        torch.testing.assert_close(outputs[0, t], answer)
        torch.testing.assert_close(track.write_weights[0, t], torch.tensor(state[4]).double())
        torch.testing.assert_close(track.read_weights[0, t], torch.tensor(state[5]).double())
        torch.testing.assert_close(track.read_modes[0, t], orders.read_modes)


def test_a_computer_keeps_nothing_and_any_number_of_rows_fits():
    model, x = computer(), torch.ones(2, 3, 3).double()
    first = model(x)[0]
    model(-x)
    torch.testing.assert_close(model(x)[0], first, rtol=0, atol=0)
    model.rows = 9
    assert model(x)[1].write_weights.shape == (2, 3, 9)


def test_gradients_through_a_computer_are_those_of_finite_differences():
    model = computer(heads=1)
    names = [name for name, _ in model.named_parameters()]
    x = torch.randn(1, 2, 3, generator=torch.Generator().manual_seed(2), dtype=torch.float64)

    def run(*values):
        return torch.func.functional_call(model, dict(zip(names, values, strict=True)), (x,))[0]

    assert torch.autograd.gradcheck(
        run, tuple(w.detach().requires_grad_() for w in model.parameters()), fast_mode=True
    )


def test_what_is_no_computer_is_named():
    with pytest.raises(ValueError, match="heads is 0; allowed is 1 or more"):
        DifferentiableNeuralComputer(3, 2, 4, rows=5, size=3, heads=0)
    with pytest.raises(ValueError, match=r"inputs have shape \(1, 2, 4\); allowed is \(batch, time, 3\)"):
        computer()(torch.zeros(1, 2, 4).double())


def test_what_is_no_memory_is_named():
    with pytest.raises(ValueError, match="rows is 0; allowed is 1 or more"):
        empty_memory(1, 0, 3, 1)
