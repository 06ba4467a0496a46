import math

import pytest
import torch
from torch.nn import functional as F

from course_lib.recurrent.lstm import LSTM
from course_lib.recurrent.problems import ManyToMany, ManyToOne, OneToMany, step_loss
from course_lib.recurrent.rnn import RNN
from course_lib.recurrent.stacked import Stacked

LENGTHS = torch.tensor([4, 6, 1])


def make(bidirectional):
    torch.manual_seed(0)
    layers = Stacked(LSTM, 3, 5, layers=2, bidirectional=bidirectional).double()
    return layers, torch.randn(3, 6, 3, dtype=torch.float64)


@pytest.mark.parametrize("bidirectional", [False, True])
def test_many_to_one_answers_from_the_last_real_step(bidirectional):
    layers, inputs = make(bidirectional)
    model = ManyToOne(layers, 7).double()
    logits = model(inputs, LENGTHS)
    assert logits.shape == (3, 7)
    for i, length in enumerate(LENGTHS):
        states, _ = layers(inputs[i : i + 1, :length])
        ends = [states[0, -1, :5]] + ([states[0, 0, 5:]] if bidirectional else [])
        torch.testing.assert_close(logits[i], model.head(torch.cat(ends)))


@pytest.mark.parametrize("bidirectional", [False, True])
def test_many_to_many_answers_at_each_step_as_if_alone(bidirectional):
    layers, inputs = make(bidirectional)
    model = ManyToMany(layers, 7).double()
    logits = model(inputs, LENGTHS)
    assert logits.shape == (3, 6, 7)
    for i, length in enumerate(LENGTHS):
        alone = model(inputs[i : i + 1, :length], length.unsqueeze(0))
        torch.testing.assert_close(logits[i, :length], alone[0])


def test_the_loss_counts_real_steps_only_and_each_once():
    torch.manual_seed(0)
    logits, targets = torch.randn(3, 6, 4, requires_grad=True), torch.randint(4, (3, 6))
    loss = step_loss(logits, targets, LENGTHS)
    steps = [(i, t) for i, length in enumerate(LENGTHS.tolist()) for t in range(length)]
    costs = [-logits[i, t].log_softmax(-1)[targets[i, t]] for i, t in steps]
    torch.testing.assert_close(loss, sum(costs) / 11)
    loss.backward()
    for i, length in enumerate(LENGTHS):
        assert logits.grad[i, length:].count_nonzero() == 0
    spoiled = targets.clone()
    spoiled[0, 4:], spoiled[2, 1:] = -1, 99  # behind the end anything may stand
    torch.testing.assert_close(step_loss(logits, spoiled, LENGTHS), loss)


def test_a_uniform_guess_has_as_much_perplexity_as_there_are_classes():
    loss = step_loss(torch.zeros(3, 6, 9), torch.randint(9, (3, 6)), LENGTHS)
    assert math.exp(loss) == pytest.approx(9)


def test_one_to_many_reads_the_answer_before_and_never_the_one_asked():
    torch.manual_seed(0)
    model = OneToMany(3, RNN(5, 4), 5).double()
    inputs, targets = torch.randn(2, 3, dtype=torch.float64), torch.randint(5, (2, 6))
    logits = model(inputs, targets)
    assert logits.shape == (2, 6, 5)
    changed = targets.clone()
    changed[:, 3] = (changed[:, 3] + 1) % 5
    differs = (model(inputs, changed) - logits).abs().amax(dim=(0, 2)) > 0
    assert differs.tolist() == [False] * 4 + [True] * 2
    h = torch.tanh(model.start(inputs))
    read = F.one_hot(torch.zeros(2, dtype=torch.long), 5).double()
    for t in range(6):
        h = torch.tanh(model.layer.W_x(read) + model.layer.W_h(h))
        torch.testing.assert_close(logits[:, t], model.head(h))
        read = F.one_hot(targets[:, t], 5).double()


def test_one_to_many_generates_what_it_would_say_to_its_own_answers():
    torch.manual_seed(0)
    model = OneToMany(3, RNN(5, 4), 5)
    inputs = torch.randn(2, 3)
    answers = model.generate(inputs, 8)
    assert answers.shape == (2, 8)
    torch.testing.assert_close(model(inputs, answers).argmax(dim=-1), answers)
