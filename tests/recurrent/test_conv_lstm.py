import pytest
import torch
from torch import nn
from torch.nn import functional as F

from course_lib.recurrent.conv_lstm import ConvLSTM
from course_lib.recurrent.lstm_variants import PeepholeLSTM


def make(kernel=3, image=(4, 5)):
    torch.manual_seed(0)
    model = ConvLSTM(2, 3, kernel, image).double()
    for peephole in (model.P_i, model.P_f, model.P_o):
        nn.init.normal_(peephole)
    return model, torch.randn(2, 5, 2, *image, dtype=torch.float64)


def test_one_pixel_and_a_kernel_of_one_are_the_lstm_with_peepholes():
    model, frames = make(kernel=1, image=(1, 1))
    plain = PeepholeLSTM(2, 3).double()
    with torch.no_grad():
        plain.W_x.weight.copy_(model.W_x.weight.flatten(1))
        plain.W_x.bias.copy_(model.W_x.bias)
        plain.W_h.weight.copy_(model.W_h.weight.flatten(1))
        for name in ("i", "f", "o"):
            getattr(plain, f"p_{name}").copy_(getattr(model, f"P_{name}").flatten())
    outputs, last = model(frames)
    expected, expected_last = plain(frames.flatten(2))
    torch.testing.assert_close(outputs.flatten(2), expected)
    torch.testing.assert_close(tuple(part.flatten(1) for part in last), expected_last)


def test_frames_are_read_by_the_equations_of_the_paper():
    model, frames = make()
    W_x, W_h, b = model.W_x.weight.split(3), model.W_h.weight.split(3), model.W_x.bias.split(3)
    h = c = torch.zeros(2, 3, 4, 5, dtype=torch.float64)
    outputs, last = model(frames)
    for t in range(5):
        x = frames[:, t]
        a_i, a_f, a_o, a_c = (
            F.conv2d(x, W_x[k], b[k], padding=1) + F.conv2d(h, W_h[k], padding=1) for k in range(4)
        )
        i, f = torch.sigmoid(a_i + model.P_i * c), torch.sigmoid(a_f + model.P_f * c)
        c = f * c + i * torch.tanh(a_c)
        h = torch.sigmoid(a_o + model.P_o * c) * torch.tanh(c)
        torch.testing.assert_close(outputs[:, t], h)
    torch.testing.assert_close(last, (h, c))


def test_a_moved_film_has_moved_states_where_no_border_is_near():
    torch.manual_seed(0)
    model = ConvLSTM(1, 2, 3, (12, 12)).double()  # peepholes at 0: these are tied to places
    frames = torch.zeros(1, 3, 1, 12, 12, dtype=torch.float64)
    frames[..., 4:6, 4:6] = torch.randn(1, 3, 1, 2, 2, dtype=torch.float64)
    moved = model(frames.roll((2, 1), dims=(3, 4)))[0].roll((-2, -1), dims=(3, 4))
    torch.testing.assert_close(moved[..., 4:7, 4:7], model(frames)[0][..., 4:7, 4:7])


def test_watching_in_two_parts_is_watching_at_once():
    model, frames = make()
    whole, end = model(frames)
    first, between = model(frames[:, :2])
    second, last = model(frames[:, 2:], between)
    torch.testing.assert_close(torch.cat([first, second], dim=1), whole)
    torch.testing.assert_close(last, end)


def test_gradients():
    torch.manual_seed(0)
    model = ConvLSTM(1, 1, 3, (2, 3)).double()
    names = [name for name, _ in model.named_parameters()]
    frames = torch.randn(1, 3, 1, 2, 3, dtype=torch.float64)

    def run(*weights):
        return torch.func.functional_call(model, dict(zip(names, weights, strict=True)), (frames,))[0]

    weights = tuple(torch.randn_like(weight, requires_grad=True) for weight in model.parameters())
    assert torch.autograd.gradcheck(run, weights)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="kernel_size is 2; allowed are odd numbers"):
        ConvLSTM(1, 1, 2, (4, 4))
    with pytest.raises(ValueError, match=r"image_size is \(0, 4\)"):
        ConvLSTM(1, 1, 3, (0, 4))
    model, frames = make()
    with pytest.raises(ValueError, match=r"frames have shape \(2, 0, 2, 4, 5\)"):
        model(frames[:, :0])
    with pytest.raises(ValueError, match=r"frames have shape .*allowed is \(batch, 1 or more, 2, 4, 5\)"):
        model(frames[..., :4])
    h, c = model.zero_state(2)
    with pytest.raises(ValueError, match="state has shapes"):
        model(frames, (h, c[:1]))
