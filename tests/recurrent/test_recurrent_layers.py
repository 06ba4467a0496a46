"""RNN, LSTM and GRU against torch's, which compute the same in fused code."""

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from course_lib.recurrent.conversion import from_torch, slide_order
from course_lib.recurrent.gru import GRU, PaperGRU
from course_lib.recurrent.layer import RecurrentLayer
from course_lib.recurrent.lstm import LSTM
from course_lib.recurrent.lstm_variants import CoupledLSTM, PeepholeLSTM
from course_lib.recurrent.rnn import RNN
from course_lib.recurrent.stacked import Stacked, turned

TORCH = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}
ALL = [RNN, LSTM, PeepholeLSTM, CoupledLSTM, GRU, PaperGRU]
LENGTHS = torch.tensor([4, 7, 1, 7])


def make(kind, layers, bidirectional):
    torch.manual_seed(0)
    theirs = TORCH[kind](3, 5, layers, batch_first=True, bidirectional=bidirectional).double()
    inputs = torch.randn(4, 7, 3, dtype=torch.float64, requires_grad=True)
    shape = (layers * (2 if bidirectional else 1), 4, 5)
    state = tuple(
        torch.randn(shape, dtype=torch.float64, requires_grad=True) for _ in range(1 + (kind == "lstm"))
    )
    return theirs, from_torch(theirs), inputs, state


def run_torch(theirs, inputs, state, lengths):
    start = state if len(state) == 2 else state[0]
    if lengths is None:
        outputs, last = theirs(inputs, start)
    else:
        packed = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
        outputs, last = theirs(packed, start)
        outputs, _ = pad_packed_sequence(outputs, batch_first=True)
    return outputs, last if isinstance(last, tuple) else (last,)


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["full", "padded"])
@pytest.mark.parametrize(("layers", "bidirectional"), [(1, False), (3, False), (2, True)])
@pytest.mark.parametrize("kind", TORCH)
def test_equals_torch_in_outputs_last_states_and_gradients(kind, layers, bidirectional, lengths):
    theirs, ours, inputs, state = make(kind, layers, bidirectional)
    expected, expected_last = run_torch(theirs, inputs, state, lengths)
    outputs, last = ours(inputs, state, lengths)
    torch.testing.assert_close(outputs, expected)
    torch.testing.assert_close(last, expected_last)

    weighing = torch.randn_like(outputs)
    wanted = [inputs, *state]

    def loss(out, end):
        return (out * weighing).sum() + sum(part.square().sum() for part in end)

    found = torch.autograd.grad(loss(outputs, last), wanted, retain_graph=True)
    torch.testing.assert_close(
        found, torch.autograd.grad(loss(expected, expected_last), wanted, retain_graph=True)
    )

    loss(outputs, last).backward()
    loss(expected, expected_last).backward()
    for rnn, (W_x, W_h, b_x, b_h) in zip(ours.rnns, theirs.all_weights, strict=True):
        order = slide_order if kind == "lstm" else lambda weight: weight
        torch.testing.assert_close(rnn.W_x.weight.grad, order(W_x.grad))
        torch.testing.assert_close(rnn.W_h.weight.grad, order(W_h.grad))
        torch.testing.assert_close(rnn.W_x.bias.grad, order(b_x.grad))
        if kind == "gru":
            torch.testing.assert_close(rnn.b_h.grad, b_h.grad.chunk(3)[2])


@pytest.mark.parametrize("kind", TORCH)
def test_without_a_state_both_start_at_zero(kind):
    theirs, ours, inputs, _ = make(kind, 2, True)
    torch.testing.assert_close(ours(inputs)[0], theirs(inputs)[0])


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("layer", ALL)
def test_what_stands_behind_the_end_changes_nothing_even_if_it_is_nan(layer, bidirectional):
    torch.manual_seed(0)
    model = Stacked(layer, 3, 4, layers=2, bidirectional=bidirectional).double()
    inputs = torch.randn(4, 7, 3, dtype=torch.float64)
    inputs[torch.arange(7) >= LENGTHS.unsqueeze(1)] = float("nan")
    outputs, last = model(inputs.requires_grad_(), None, LENGTHS)
    for i, length in enumerate(LENGTHS):
        alone, end = model(inputs[i : i + 1, :length])
        torch.testing.assert_close(outputs[i : i + 1, :length], alone)
        assert outputs[i, length:].count_nonzero() == 0
        torch.testing.assert_close(tuple(part[:, i : i + 1] for part in last), end)
    outputs.sum().backward()
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


@pytest.mark.parametrize("layer", ALL)
def test_reading_in_two_parts_is_reading_at_once(layer):
    torch.manual_seed(0)
    model = Stacked(layer, 3, 4, layers=2)
    inputs = torch.randn(2, 9, 3)
    whole, end = model(inputs)
    first, between = model(inputs[:, :4])
    second, last = model(inputs[:, 4:], between)
    torch.testing.assert_close(torch.cat([first, second], dim=1), whole)
    torch.testing.assert_close(last, end)


@pytest.mark.parametrize("layer", ALL)
def test_gradients_are_those_of_finite_differences(layer):
    torch.manual_seed(0)
    model = layer(2, 3).double()
    for weight in model.parameters():  # peepholes and biases too
        nn.init.normal_(weight, std=0.5)
    inputs = torch.randn(2, 4, 2, dtype=torch.float64, requires_grad=True)
    state = tuple(torch.randn(2, 3, dtype=torch.float64, requires_grad=True) for _ in range(model.parts))
    names = [name for name, _ in model.named_parameters()]

    def run(inputs, *rest):
        values = dict(zip(names, rest[model.parts :], strict=True))
        return torch.func.functional_call(model, values, (inputs, rest[: model.parts]))[0]

    weights = [weight.detach().requires_grad_() for weight in model.parameters()]
    assert torch.autograd.gradcheck(run, (inputs, *state, *weights))


def test_weights_start_by_the_rule_of_xavier_block_by_block():
    torch.manual_seed(0)
    model = LSTM(300, 100)
    for weight, inputs in ((model.W_x.weight, 300), (model.W_h.weight, 100)):
        for block in weight.chunk(4):
            bound = (6 / (inputs + 100)) ** 0.5
            assert block.abs().max() <= bound
            torch.testing.assert_close(block.std(), torch.tensor(bound / 3**0.5), rtol=0.03, atol=0)


def test_dropout_acts_between_layers_and_only_in_training():
    torch.manual_seed(0)
    model = Stacked(RNN, 3, 50, layers=2, dropout=0.5)
    inputs = torch.randn(2, 5, 3)
    assert not torch.equal(model(inputs)[0], model(inputs)[0])
    assert (model(inputs)[0] != 0).all()  # what the top layer shows is whole
    model.eval()
    torch.testing.assert_close(model(inputs)[0], model(inputs)[0])


def test_turning_twice_changes_nothing_and_turns_within_the_length():
    sequence = torch.arange(1.0, 6).reshape(1, 5, 1)
    lengths = torch.tensor([3])
    assert turned(sequence, lengths).flatten().tolist() == [3, 2, 1, 4, 5]
    assert turned(sequence).flatten().tolist() == [5, 4, 3, 2, 1]
    torch.testing.assert_close(turned(turned(sequence, lengths), lengths), sequence)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("wrap", [lambda: LSTM(3, 4), lambda: Stacked(LSTM, 3, 4)], ids=["one", "stacked"])
def test_what_does_not_fit_is_refused_by_name(wrap):
    model = wrap()
    inputs = torch.randn(2, 5, 3)
    with pytest.raises(ValueError, match=r"inputs have shape \(2, 5, 4\); allowed is \(batch, time, 3\)"):
        model(torch.randn(2, 5, 4))
    with pytest.raises(ValueError, match=r"inputs have shape \(5, 3\)"):
        model(torch.randn(5, 3))
    with pytest.raises(ValueError, match="0 steps"):
        model(torch.randn(2, 0, 3))
    with pytest.raises(ValueError, match=r"lengths are \[5, 0\]; allowed are 1 to 5"):
        model(inputs, None, torch.tensor([5, 0]))
    with pytest.raises(ValueError, match=r"lengths are \[6, 1\]; allowed are 1 to 5"):
        model(inputs, None, torch.tensor([6, 1]))
    with pytest.raises(ValueError, match=r"lengths have shape \(3,\); allowed is \(2,\)"):
        model(inputs, None, torch.tensor([1, 1, 1]))
    h, c = model.zero_state(2)
    with pytest.raises(ValueError, match=r"state has shapes .* allowed is 2 time\(s\)"):
        model(inputs, (h,))
    with pytest.raises(ValueError, match="state has shapes"):
        model(inputs, (h, c[..., :3]))
    with pytest.raises(TypeError, match="state is a Tensor; allowed is a tuple of 2"):
        model(inputs, h)


def test_sizes_without_meaning_are_refused():
    with pytest.raises(ValueError, match="hidden_size is 0; allowed is 1 or more"):
        RNN(3, 0)
    with pytest.raises(ValueError, match="input_size is -1"):
        GRU(-1, 3)
    with pytest.raises(ValueError, match="layers is 0; allowed is 1 or more"):
        Stacked(RNN, 3, 4, layers=0)
    with pytest.raises(ValueError, match="tanh RNN, LSTM and GRU, batch first"):
        from_torch(nn.RNN(3, 4, nonlinearity="relu", batch_first=True))
    with pytest.raises(NotImplementedError):
        RecurrentLayer(2, 3)(torch.zeros(1, 1, 2))
