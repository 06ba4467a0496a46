"""Backpropagation through time by hand, against autograd and against carrying the state."""

import pytest
import torch

from course_lib.recurrent.bptt import Forward, Weights, backward, forward
from course_lib.recurrent.lstm import LSTM
from course_lib.recurrent.truncated import chunks, detached, streams, truncated_losses

EXACT = {"rtol": 0, "atol": 1e-10}


def make(batch=3, time=8, inputs=4, hidden=5, classes=4):
    torch.manual_seed(0)
    shapes = (hidden, inputs), (hidden, hidden), (classes, hidden), (hidden,), (batch, hidden)
    weights = Weights(*(torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes))
    x = torch.randn(batch, time, inputs, dtype=torch.float64)
    return weights, x, torch.randint(classes, (batch, time))


def without_history(seen):
    return Forward(*(part.detach() for part in seen))


def test_every_gradient_equals_autograd():
    weights, x, y = make()
    seen = forward(weights, x, y)
    expected = torch.autograd.grad(seen.loss, weights)
    with torch.no_grad():
        found = backward(Weights(*(w.detach() for w in weights)), x, y, without_history(seen))
    for name, ours, theirs in zip(Weights._fields, found.gradients, expected, strict=True):
        torch.testing.assert_close(ours, theirs, **EXACT, msg=lambda text, name=name: f"{name}: {text}")


def test_the_flow_is_the_gradient_by_each_state():
    weights, x, y = make()
    h, states, loss = weights.h_0, [], 0
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ weights.W_xh.T + h @ weights.W_hh.T + weights.b)
        states.append(h)
        loss = loss + torch.nn.functional.cross_entropy(h @ weights.W_hy.T, y[:, t], reduction="sum")
    expected = torch.stack(torch.autograd.grad(loss, states), dim=1)
    seen = forward(weights, x, y)
    torch.testing.assert_close(seen.loss, loss)
    with torch.no_grad():
        torch.testing.assert_close(backward(weights, x, y, without_history(seen)).flow, expected, **EXACT)


def test_hello_one_step_by_hand():
    """After "h" comes "e", over the alphabet h, e, l, o; one hidden unit."""
    weights = Weights(
        torch.tensor([[0.5, 0.0, 0.0, 0.0]]).double(),
        torch.tensor([[2.0]]).double(),
        torch.tensor([[0.0], [1.0], [0.0], [0.0]]).double(),
        torch.zeros(1).double(),
        torch.zeros(1, 1).double(),
    )
    x, y = torch.eye(4).double()[:1].unsqueeze(0), torch.tensor([[1]])
    seen = forward(weights, x, y)
    h = torch.tensor(0.5).double().tanh()
    p = h.exp() / (h.exp() + 3)
    torch.testing.assert_close(seen.loss, -p.log())
    gradients, flow = backward(weights, x, y, seen)
    torch.testing.assert_close(flow.flatten()[0], p - 1)
    torch.testing.assert_close(gradients.W_xh[0], torch.stack([(p - 1) * (1 - h**2), *3 * [h * 0]]))
    torch.testing.assert_close(gradients.h_0[0, 0], 2 * (p - 1) * (1 - h**2))


def test_a_uniform_guess_costs_the_logarithm_of_the_classes():
    weights, x, y = make(batch=2, time=6, classes=7)
    loss = forward(weights._replace(W_hy=torch.zeros(7, 5, dtype=torch.float64)), x, y).loss
    torch.testing.assert_close(loss, 12 * torch.tensor(7.0).double().log())


def test_streams_lie_side_by_side_and_targets_are_one_step_later():
    parallel = streams(torch.arange(11), 2)
    assert parallel.tolist() == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    read = [(x.tolist(), y.tolist()) for x, y in chunks(parallel, 3)]
    assert read == [([[0, 1, 2], [5, 6, 7]], [[1, 2, 3], [6, 7, 8]]), ([[3], [8]], [[4], [9]])]
    assert len(list(chunks(parallel, 100))) == 1  # a text shorter than a chunk is one chunk


def make_model():
    torch.manual_seed(0)
    layer, head = LSTM(5, 4).double(), torch.nn.Linear(4, 5).double()
    embedding = torch.eye(5, dtype=torch.float64)

    def loss(inputs, targets, state):
        outputs, state = layer(embedding[inputs], state)
        logits = head(outputs).flatten(0, 1)
        return torch.nn.functional.cross_entropy(logits, targets.flatten(), reduction="sum"), state

    return layer, loss, streams(torch.randint(5, (62,)), 3)


@pytest.mark.parametrize("size", [1, 4, 7, 19, 50])
def test_the_state_goes_on_so_the_loss_is_that_of_the_whole_text(size):
    layer, loss, parallel = make_model()
    whole, _ = loss(parallel[:, :-1], parallel[:, 1:], layer.zero_state(3))
    parts = list(truncated_losses(loss, parallel, size, layer.zero_state(3)))
    torch.testing.assert_close(sum(parts), whole)


def test_the_gradient_stops_where_a_chunk_starts():
    layer, loss, parallel = make_model()
    state, expected = layer.zero_state(3), []
    for inputs, targets in chunks(parallel, 6):
        value, state = loss(inputs, targets, tuple(torch.from_numpy(s.detach().numpy()) for s in state))
        expected.append(torch.autograd.grad(value, layer.W_h.weight)[0])
    found = [
        torch.autograd.grad(value, layer.W_h.weight)[0]  # a gradient that went further would fail here
        for value in truncated_losses(loss, parallel, 6, layer.zero_state(3))
    ]
    torch.testing.assert_close(found, expected)
    whole, _ = loss(parallel[:, :-1], parallel[:, 1:], layer.zero_state(3))
    assert not torch.allclose(sum(found), torch.autograd.grad(whole, layer.W_h.weight)[0])


def test_truncation_by_hand_is_truncation_by_autograd():
    weights, x, y = make(time=9)
    with torch.no_grad():
        h, total = weights.h_0, torch.zeros_like(weights.W_hh)
        for start in range(0, 9, 3):
            part = weights._replace(h_0=h)
            seen = forward(part, x[:, start : start + 3], y[:, start : start + 3])
            total += backward(part, x[:, start : start + 3], y[:, start : start + 3], seen).gradients.W_hh
            h = seen.states[:, -1]
    (h,), loss = detached((weights.h_0,)), 0
    for t in range(9):
        if t % 3 == 0:
            h = h.detach()
        h = torch.tanh(x[:, t] @ weights.W_xh.T + h @ weights.W_hh.T + weights.b)
        loss = loss + torch.nn.functional.cross_entropy(h @ weights.W_hy.T, y[:, t], reduction="sum")
    torch.testing.assert_close(total, torch.autograd.grad(loss, weights.W_hh)[0], **EXACT)


def test_a_text_too_short_and_sizes_without_meaning_are_refused():
    with pytest.raises(ValueError, match=r"tokens are 7; 4 stream\(s\) need 8 or more"):
        streams(torch.arange(7), 4)
    with pytest.raises(ValueError, match="batch is 0; allowed is 1 or more"):
        streams(torch.arange(7), 0)
    with pytest.raises(ValueError, match="size is 0; allowed is 1 or more"):
        next(chunks(torch.zeros(2, 5, dtype=torch.long), 0))
