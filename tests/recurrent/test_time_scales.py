import pytest
import torch
from torch import nn

from course_lib.recurrent.gradients import state_gradients
from course_lib.recurrent.lstm import LSTM
from course_lib.recurrent.rnn import RNN
from course_lib.recurrent.stacked import Stacked
from course_lib.recurrent.time_scales import ClockworkRNN, DelayedRNN, HierarchicalRNN


def inputs_of(time=20, size=3):
    torch.manual_seed(1)
    return torch.randn(2, time, size, dtype=torch.float64)


def test_delays_equal_a_loop_over_the_whole_history():
    torch.manual_seed(0)
    model, inputs = DelayedRNN(3, 4, (2, 5)).double(), inputs_of()
    zero, history = torch.zeros(2, 4, dtype=torch.float64), []
    for t in range(20):

        def back(steps, t=t, history=history):
            return history[t - steps] if t >= steps else zero

        h = model.W_x(inputs[:, t]) + model.W_h(back(1)) + model.W_d[0](back(2)) + model.W_d[1](back(5))
        history.append(h.tanh())
    torch.testing.assert_close(model(inputs)[0], torch.stack(history, dim=1))


def test_closed_delays_are_the_vanilla_network():
    torch.manual_seed(0)
    model, vanilla = DelayedRNN(3, 4).double(), RNN(3, 4).double()
    for way in model.W_d:
        nn.init.zeros_(way.weight)
    vanilla.load_state_dict(model.state_dict(), strict=False)
    torch.testing.assert_close(model(inputs_of())[0], vanilla(inputs_of())[0])


def test_a_delay_is_a_short_way_for_the_gradient():
    """Each way shrinks it to a half: twenty times over single steps, five times over delays of four."""
    model = DelayedRNN(1, 1, (4,)).double()
    nn.init.zeros_(model.W_h.weight)
    nn.init.constant_(model.W_d[0].weight, 0.5)
    zeros = torch.zeros(1, 21, 1, dtype=torch.float64)
    first, *_ = state_gradients(model, zeros, lambda states: states[:, -1].sum())
    assert first[0, 0, 0].item() == pytest.approx(0.5**5)
    vanilla = RNN(1, 1).double()
    nn.init.constant_(vanilla.W_h.weight, 0.5)
    (shrunk,) = state_gradients(vanilla, zeros, lambda states: states[:, -1].sum())
    assert shrunk[0, 0, 0].item() == pytest.approx(0.5**20)


def test_a_clockwork_group_moves_only_every_so_many_steps():
    torch.manual_seed(0)
    model = ClockworkRNN(3, 8, groups=4).double()
    states, _ = model(inputs_of())
    before = torch.cat([torch.zeros(2, 1, 8, dtype=torch.float64), states[:, :-1]], dim=1)
    moved = (states != before).unflatten(-1, (4, 2))
    for group in range(4):
        turns = torch.arange(20) % 2**group == 0
        assert moved[:, turns, group].all() and not moved[:, ~turns, group].any()


def test_a_clockwork_group_hears_only_groups_as_slow_or_slower():
    torch.manual_seed(0)
    model = ClockworkRNN(3, 6, groups=3).double()
    h = torch.randn(1, 6, dtype=torch.float64)
    taken = torch.zeros(1, 6, dtype=torch.float64)  # all move at step 0

    def step(h):
        return model.step(model.project(torch.zeros(1, 3, dtype=torch.float64)), (h, taken))[0][0]

    heard = (torch.func.jacrev(step)(h)[:, 0] != 0).unflatten(0, (3, 2)).unflatten(-1, (3, 2))
    for who in range(3):
        for whom in range(3):
            assert heard[who, :, whom].all() == heard[who, :, whom].any() == (whom >= who)


def test_one_clockwork_group_is_the_vanilla_network():
    torch.manual_seed(0)
    model, vanilla = ClockworkRNN(3, 4, groups=1).double(), RNN(3, 4).double()
    vanilla.load_state_dict(model.state_dict(), strict=False)
    torch.testing.assert_close(model(inputs_of())[0], vanilla(inputs_of())[0])


@pytest.mark.parametrize("make", [lambda: DelayedRNN(3, 4, (3, 7)), lambda: ClockworkRNN(3, 4, groups=2)])
def test_reading_in_two_parts_keeps_rhythm_and_memory(make):
    torch.manual_seed(0)
    model, inputs = make().double(), inputs_of()
    whole, _ = model(inputs)
    first, between = model(inputs[:, :5])
    second, _ = model(inputs[:, 5:], between)
    torch.testing.assert_close(torch.cat([first, second], dim=1), whole)
    lengths = torch.tensor([20, 13])
    padded, _ = Stacked(lambda *_: model, 3, 4)(inputs, None, lengths)
    torch.testing.assert_close(padded[1, :13], whole[1, :13])


def test_the_slow_network_moves_at_the_ends_of_words_and_equals_one_that_reads_words():
    torch.manual_seed(0)
    fast, slow = RNN(3 + 5, 4), LSTM(4, 5)
    model, inputs = HierarchicalRNN(fast, slow).double(), inputs_of(time=9)
    ends = torch.zeros(2, 9, dtype=torch.bool)
    ends[0, [2, 3, 7]] = ends[1, [0, 8]] = True
    quick, steady = model(inputs, ends)
    for sentence in range(2):
        places = ends[sentence].nonzero().flatten()
        words, _ = slow(quick[sentence : sentence + 1, places])
        torch.testing.assert_close(steady[sentence, places], words[0])
        before = torch.cat([torch.zeros(1, 5, dtype=torch.float64), steady[sentence, :-1]])
        still = (steady[sentence] == before).all(dim=-1)
        assert torch.equal(still, ~ends[sentence])
        alone, _ = fast(torch.cat([inputs[sentence], before], dim=-1).unsqueeze(0))
        torch.testing.assert_close(quick[sentence], alone[0])


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"delays are \(1, 4\); allowed are some, each 2 or more"):
        DelayedRNN(3, 4, (1, 4))
    with pytest.raises(ValueError, match="groups is 3; allowed are divisors of hidden_size, which is 4"):
        ClockworkRNN(3, 4, groups=3)
    with pytest.raises(ValueError, match="slow reads 5 features; allowed is 4"):
        HierarchicalRNN(RNN(8, 4), RNN(5, 5))
    with pytest.raises(ValueError, match="fast reads 5 features; allowed is above 5"):
        HierarchicalRNN(RNN(5, 4), RNN(4, 5))
