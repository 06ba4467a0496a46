import pytest
import torch

from course_lib.recurrent.gru import GRU
from course_lib.recurrent.initial_state import LearnedInitialState
from course_lib.recurrent.lstm import LSTM
from course_lib.recurrent.multiplicative import MultiplicativeRNN
from course_lib.recurrent.rnn import RNN
from course_lib.recurrent.stacked import Stacked


def test_enough_factors_make_any_matrix_for_each_character():
    """V · hidden factors: each character keeps a block of its own."""
    torch.manual_seed(0)
    characters, hidden = 3, 4
    matrices = torch.randn(characters, hidden, hidden, dtype=torch.float64)
    model = MultiplicativeRNN(characters, hidden, characters * hidden).double()
    with torch.no_grad():
        model.W_h.weight.copy_(matrices.flatten(0, 1))
        model.W_fx.weight.copy_(torch.eye(characters).repeat_interleave(hidden, dim=0))
        model.W_hf.weight.copy_(torch.eye(hidden).repeat(1, characters))
    one_hot = torch.eye(characters, dtype=torch.float64)
    torch.testing.assert_close(model.transition(one_hot), matrices)

    text = torch.tensor([[0, 2, 1, 1, 0], [2, 2, 0, 1, 2]])
    outputs, _ = model(one_hot[text])
    for sentence in range(2):
        h = torch.zeros(hidden, dtype=torch.float64)
        for t, character in enumerate(text[sentence]):
            h = torch.tanh(matrices[character] @ h + model.W_x.weight[:, character] + model.W_x.bias)
            torch.testing.assert_close(outputs[sentence, t], h)


def test_few_factors_share_a_matrix_of_their_rank():
    torch.manual_seed(0)
    model = MultiplicativeRNN(5, 8, factors=2)
    assert torch.linalg.matrix_rank(model.transition(torch.eye(5))).tolist() == [2] * 5


def test_a_character_moves_two_states_differently_which_a_vanilla_network_cannot():
    """In front of tanh, a vanilla network adds the same for a character whatever the state."""
    torch.manual_seed(0)
    multiplicative, vanilla = MultiplicativeRNN(3, 4).double(), RNN(3, 4).double()
    states = torch.randn(2, 4, dtype=torch.float64)

    def effect(model, state):  # of character 1 in place of character 0
        reached = [model.step(model.project(x), (state,))[0].atanh() for x in torch.eye(3).double()[:2]]
        return reached[1] - reached[0]

    torch.testing.assert_close(effect(vanilla, states[0]), effect(vanilla, states[1]))
    assert (effect(multiplicative, states[0]) - effect(multiplicative, states[1])).abs().min() > 1e-3


def test_gradients_of_the_multiplicative_network():
    torch.manual_seed(0)
    model = MultiplicativeRNN(2, 3, 4).double()
    names = [name for name, _ in model.named_parameters()]
    x = torch.randn(2, 3, 2, dtype=torch.float64)

    def run(*weights):
        return torch.func.functional_call(model, dict(zip(names, weights, strict=True)), (x,))[0]

    assert torch.autograd.gradcheck(run, tuple(w.detach().requires_grad_() for w in model.parameters()))


def test_factors_are_one_or_more():
    with pytest.raises(ValueError, match="factors is 0; allowed is 1 or more"):
        MultiplicativeRNN(2, 3, 0)


@pytest.mark.parametrize(
    "make", [lambda: LSTM(3, 4), lambda: Stacked(GRU, 3, 4, layers=2, bidirectional=True)]
)
def test_a_learned_start_begins_as_zeros_gets_a_gradient_and_serves_any_batch(make):
    torch.manual_seed(0)
    layer = make().double()
    model, inputs = LearnedInitialState(layer).double(), torch.randn(5, 6, 3, dtype=torch.float64)
    torch.testing.assert_close(model(inputs), layer(inputs))
    lengths = torch.tensor([1, 6, 3, 2, 2])
    torch.testing.assert_close(model(inputs, None, lengths), layer(inputs, None, lengths))
    outputs, last = model(inputs)
    outputs.sum().backward()
    with torch.no_grad():
        for part in model.start:
            assert part.grad.shape == part.shape and (part.grad != 0).all()
            part.normal_()
    assert not torch.allclose(model(inputs)[0], outputs)
    torch.testing.assert_close(model(inputs, last), layer(inputs, last))  # a given state comes first


def test_the_gradient_of_a_learned_start_is_the_sum_over_the_batch():
    torch.manual_seed(0)
    layer = RNN(3, 4).double()
    model, inputs = LearnedInitialState(layer).double(), torch.randn(5, 6, 3, dtype=torch.float64)
    model(inputs)[0].sum().backward()
    start = torch.zeros(5, 4, dtype=torch.float64, requires_grad=True)
    layer(inputs, (start,))[0].sum().backward()
    torch.testing.assert_close(model.start[0].grad[0], start.grad.sum(dim=0))
