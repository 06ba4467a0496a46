import torch
from torch import nn

from course_lib.recurrent.attentive import AttentiveRNN


def make():
    torch.manual_seed(0)
    return AttentiveRNN(3, 4).double(), torch.randn(2, 6, 3, dtype=torch.float64)


def test_equals_a_loop_by_hand():
    model, inputs = make()
    states, weights = model(inputs)
    W, b, U = model.W.weight, model.W.bias, model.U.weight
    A, B, v = model.attention.W.weight, model.attention.U.weight, model.attention.v.weight[0]
    for sentence in range(2):
        past = []
        for t in range(6):
            context = torch.zeros(4, dtype=torch.float64)
            if past:
                scores = [v @ torch.tanh(A @ past[-1] + B @ h) for h in past]
                exponentials = torch.stack(scores).exp()
                alpha = exponentials / exponentials.sum()
                context = sum(a * h for a, h in zip(alpha, past, strict=True))
                torch.testing.assert_close(weights[sentence, t, :t], alpha)
            past.append(torch.tanh(W @ inputs[sentence, t] + b + U @ context))
        torch.testing.assert_close(states[sentence], torch.stack(past))


def test_with_equal_weights_the_context_is_the_mean_of_the_past():
    model, inputs = make()
    nn.init.zeros_(model.attention.v.weight)
    states, weights = model(inputs)
    for t in range(1, 6):
        mean = states[:, :t].mean(dim=1)
        torch.testing.assert_close(states[:, t], torch.tanh(model.W(inputs[:, t]) + model.U(mean)))
        torch.testing.assert_close(weights[:, t, :t], torch.full((2, t), 1 / t, dtype=torch.float64))


def test_two_steps_are_those_of_torch_rnn():
    model, inputs = make()
    rnn = nn.RNN(3, 4, batch_first=True).double()
    with torch.no_grad():
        rnn.weight_ih_l0.copy_(model.W.weight)
        rnn.weight_hh_l0.copy_(model.U.weight)
        rnn.bias_ih_l0.copy_(model.W.bias)
        rnn.bias_hh_l0.zero_()
    torch.testing.assert_close(model(inputs[:, :2])[0], rnn(inputs[:, :2])[0])


def test_neither_itself_nor_the_future_is_seen():
    model, inputs = make()
    inputs.requires_grad_()
    states, weights = model(inputs)
    assert weights.triu().count_nonzero() == 0
    torch.testing.assert_close(weights.sum(-1)[:, 1:], torch.ones(2, 5, dtype=torch.float64))
    states[:, 3].sum().backward()
    assert inputs.grad[:, 4:].count_nonzero() == 0
    assert (inputs.grad[:, :4] != 0).all()
