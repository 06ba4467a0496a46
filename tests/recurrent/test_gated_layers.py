"""The equations of the gates, worked by hand and against each other."""

import math

import pytest
import torch
from torch import nn

from course_lib.recurrent.gru import GRU, PaperGRU
from course_lib.recurrent.lstm import LSTM, step_per_gate
from course_lib.recurrent.lstm_variants import CoupledLSTM, PeepholeLSTM


def sigma(x):
    return 1 / (1 + math.exp(-x))


def inputs_of(*values):
    return torch.tensor(values, dtype=torch.float64).reshape(1, -1, 1)


def with_weights(layer, W_x, W_h, b, **more):
    model = layer(1, 1).double()
    with torch.no_grad():
        model.W_x.weight.copy_(torch.tensor(W_x).unsqueeze(1))
        model.W_h.weight.copy_(torch.tensor(W_h).unsqueeze(1))
        model.W_x.bias.copy_(torch.tensor(b))
        for name, value in more.items():
            getattr(model, name).fill_(value)
    return model


def test_peephole_lstm_by_hand():
    model = with_weights(
        PeepholeLSTM,
        [1.0, 0.5, -1.0, 2.0],
        [0.1, 0.2, 0.3, 0.4],
        [0.0, 1.0, 0.5, -0.5],
        p_i=0.7,
        p_f=-0.6,
        p_o=0.9,
    )
    h = c = 0.0
    expected = []
    for x in (0.5, -1.5, 2.0):
        i = sigma(x + 0.1 * h + 0.7 * c)
        f = sigma(0.5 * x + 0.2 * h + 1 - 0.6 * c)
        g = math.tanh(2 * x + 0.4 * h - 0.5)
        c = f * c + i * g
        o = sigma(-x + 0.3 * h + 0.5 + 0.9 * c)  # sees the new memory
        h = o * math.tanh(c)
        expected.append([i, f, o, g, c, h])
    seen = torch.stack(model.watch(inputs_of(0.5, -1.5, 2.0)), dim=-1)[0, :, 0]
    torch.testing.assert_close(seen, torch.tensor(expected, dtype=torch.float64))
    assert model(inputs_of(0.5, -1.5, 2.0))[0].flatten().tolist() == pytest.approx(
        [row[-1] for row in expected]
    )


@pytest.mark.parametrize(("layer", "n_of"), [(GRU, "after"), (PaperGRU, "before")])
def test_the_two_forms_of_the_gru_by_hand(layer, n_of):
    weights = [1.0, 0.5, -1.0], [0.5, -0.8, 1.5], [0.1, 0.2, 0.3]
    model = with_weights(layer, *weights, **({"b_h": 0.4} if layer is GRU else {}))
    h, expected = 0.0, []
    for x in (0.5, -1.5, 2.0):
        r, z = sigma(x + 0.5 * h + 0.1), sigma(0.5 * x - 0.8 * h + 0.2)
        past = r * (1.5 * h + 0.4) if n_of == "after" else 1.5 * (r * h)
        n = math.tanh(-x + 0.3 + past)
        h = z * h + (1 - z) * n
        expected.append([r, z, n, h])
    seen = torch.stack(model.watch(inputs_of(0.5, -1.5, 2.0)), dim=-1)[0, :, 0]
    torch.testing.assert_close(seen, torch.tensor(expected, dtype=torch.float64))


def test_the_two_forms_of_the_gru_agree_on_diagonal_matrices_only():
    torch.manual_seed(0)
    after, before = GRU(3, 4).double(), PaperGRU(3, 4).double()
    inputs = torch.randn(2, 6, 3, dtype=torch.float64)
    before.load_state_dict(after.state_dict(), strict=False)
    assert not torch.allclose(after(inputs)[0], before(inputs)[0])
    with torch.no_grad():  # r ⊙ (D h) = D (r ⊙ h) for a diagonal D
        for model in (after, before):
            model.W_h.weight[8:].copy_(torch.diag(torch.arange(1.0, 5)))
    torch.testing.assert_close(after(inputs)[0], before(inputs)[0])


def test_one_large_product_and_four_small_ones_are_the_same_lstm():
    torch.manual_seed(0)
    layer = LSTM(3, 4).double()
    nn.init.normal_(layer.W_x.bias)
    inputs = torch.randn(2, 6, 3, dtype=torch.float64)
    outputs, last = layer(inputs)
    state = layer.zero_state(2)
    for t, x in enumerate(inputs.unbind(1)):
        state = step_per_gate(layer, x, state)
        torch.testing.assert_close(state[0], outputs[:, t])
    torch.testing.assert_close(state, last)


def test_with_closed_peepholes_the_layer_is_an_lstm():
    torch.manual_seed(0)
    plain, peephole = LSTM(3, 4), PeepholeLSTM(3, 4)
    peephole.load_state_dict(plain.state_dict(), strict=False)
    inputs = torch.randn(2, 6, 3)
    torch.testing.assert_close(peephole(inputs), plain(inputs))
    nn.init.ones_(peephole.p_o)
    assert not torch.allclose(peephole(inputs)[0], plain(inputs)[0])


def test_coupled_gates_sum_to_one_and_are_an_lstm_whose_input_gate_mirrors_the_forget_gate():
    torch.manual_seed(0)
    coupled, plain = CoupledLSTM(3, 4).double(), LSTM(3, 4).double()
    with torch.no_grad():  # σ(−a) = 1 − σ(a)
        for name, weight in coupled.named_parameters():
            a_f, a_o, a_g = weight.chunk(3)
            plain.get_parameter(name).copy_(torch.cat([-a_f, a_f, a_o, a_g]))
    inputs = torch.randn(2, 50, 3, dtype=torch.float64)
    torch.testing.assert_close(coupled(inputs), plain(inputs))
    seen = coupled.watch(inputs)
    torch.testing.assert_close(seen.input + seen.forget, torch.ones_like(seen.input))
    assert seen.cell.abs().max() < 1


@pytest.mark.parametrize("layer", [LSTM, PeepholeLSTM, CoupledLSTM, GRU, PaperGRU])
def test_what_is_watched_is_what_the_layer_did(layer):
    torch.manual_seed(0)
    model = layer(3, 4)
    inputs, state = torch.randn(2, 6, 3), tuple(torch.randn(2, 4) for _ in range(model.parts))
    outputs, last = model(inputs, state)
    seen = model.watch(inputs, state)
    torch.testing.assert_close(seen.hidden, outputs)
    if model.parts == 2:
        torch.testing.assert_close(seen.cell[:, -1], last[1])
    assert not seen.hidden.requires_grad
    with pytest.raises(ValueError, match="state has shapes"):
        model.watch(inputs, tuple(part[:, :3] for part in state))


def test_an_untrained_lstm_forgets_little():
    model = LSTM(3, 4)
    seen = model.watch(torch.zeros(1, 1, 3))
    torch.testing.assert_close(seen.forget.mean(), torch.tensor(sigma(1)))
    torch.testing.assert_close(seen.input.mean(), torch.tensor(0.5))


def test_layers_with_a_memory_begin_by_keeping_it():
    """The forget gate's bias starts at 1: f is near σ(1) = 0.73 before anything is learned."""
    torch.manual_seed(0)
    for layer, gate in (
        (LSTM(3, 50), "forget"),
        (PeepholeLSTM(3, 50), "forget"),
        (CoupledLSTM(3, 50), "forget"),
    ):
        gates = layer.watch(torch.zeros(1, 1, 3))
        assert getattr(gates, gate).mean().item() == pytest.approx(sigma(1), abs=0.05)
    assert layer.W_x.bias[50:].abs().max() < 0.5
