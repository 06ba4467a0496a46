import math

import pytest
import torch

from course_lib.visual_attention.draw import Draw, bound, divergence


def tiny(window_size: int | None = 3, steps: int = 3) -> Draw:
    torch.manual_seed(0)
    return Draw(6, 8, steps, hidden_size=7, code_size=4, window_size=window_size)


def pictures(count: int = 5) -> torch.Tensor:
    return torch.bernoulli(torch.full((count, 6, 8), 0.4))


def test_divergence_is_that_of_torch_s_distributions_summed_over_the_code() -> None:
    torch.manual_seed(0)
    mean, log_deviation = torch.randn(6, 4), torch.randn(6, 4)
    here = torch.distributions.Normal(mean, log_deviation.exp())
    prior = torch.distributions.Normal(torch.zeros(6, 4), torch.ones(6, 4))
    expected = torch.distributions.kl_divergence(here, prior).sum(1)
    torch.testing.assert_close(divergence(mean, log_deviation), expected)


@pytest.mark.parametrize("window_size", [3, None])
def test_the_bound_by_hand_from_the_equations(window_size) -> None:
    """The whole run again with the layers' weights, one step after the other, and torch's distributions."""
    model, seen = tiny(window_size), pictures()
    painting = model(seen, torch.Generator().manual_seed(1))
    loss = bound(painting, seen)
    generator = torch.Generator().manual_seed(1)
    encoder, decoder = torch.nn.LSTMCell(model.encoder.input_size, 7), torch.nn.LSTMCell(4, 7)
    for cell, layer in ((encoder, model.encoder), (decoder, model.decoder)):
        # torch's order is i, f, g, o; ours is i, f, o, g.
        def ordered(weight: torch.Tensor) -> torch.Tensor:
            i, f, o, g = weight.chunk(4)
            return torch.cat([i, f, g, o])

        cell.load_state_dict(
            {
                "weight_ih": ordered(layer.W_x.weight),
                "weight_hh": ordered(layer.W_h.weight),
                "bias_ih": ordered(layer.W_x.bias),
                "bias_hh": torch.zeros(28),
            }
        )
    encoded = decoded = (torch.zeros(5, 7), torch.zeros(5, 7))
    canvas, total = torch.zeros(5, 6, 8), torch.zeros(5)
    for _ in range(3):
        looked, _ = model.view.read(seen, seen - torch.sigmoid(canvas), decoded[0])
        encoded = encoder(torch.cat([looked, decoded[0]], 1), encoded)
        code = torch.distributions.Normal(model.W_mean(encoded[0]), torch.exp(model.W_deviation(encoded[0])))
        z = code.mean + code.stddev * torch.randn(5, 4, generator=generator)
        decoded = decoder(z, decoded)
        canvas = canvas + model.view.write(decoded[0])[0]
        prior = torch.distributions.Normal(torch.zeros(5, 4), torch.ones(5, 4))
        total += torch.distributions.kl_divergence(code, prior).sum(1)
    total -= torch.distributions.Bernoulli(logits=canvas).log_prob(seen).sum((1, 2))
    torch.testing.assert_close(loss, total)


def test_before_training_is_begun_a_blank_canvas_costs_log_2_a_pixel() -> None:
    model = tiny(None)
    torch.nn.init.zeros_(model.view.W.weight)
    torch.nn.init.zeros_(model.view.W.bias)
    seen = pictures()
    painting = model(seen)
    expected = 48 * math.log(2) + painting.divergences.sum(1)
    torch.testing.assert_close(bound(painting, seen), expected)


def test_a_window_reads_a_patch_of_the_picture_and_of_what_is_missing() -> None:
    model, seen = tiny(), pictures()
    missing = torch.rand(5, 6, 8)
    numbers, at = model.view.read(seen, missing, torch.randn(5, 7))
    assert numbers.shape == (5, 18)
    torch.testing.assert_close(numbers[:, :9].view(5, 3, 3), at.read(seen))
    torch.testing.assert_close(numbers[:, 9:].view(5, 3, 3), at.read(missing))


def test_noise_is_drawn_anew_at_every_step_and_in_every_run() -> None:
    model, seen = tiny(), pictures(1).expand(2, -1, -1)
    painting = model(seen)
    assert not torch.equal(painting.canvases[0], painting.canvases[1])
    one, two = (model(seen, torch.Generator().manual_seed(5)).canvases for _ in range(2))
    assert torch.equal(one, two)


@pytest.mark.parametrize("window_size", [3, None])
def test_every_weight_learns(window_size) -> None:
    model, seen = tiny(window_size), pictures()
    bound(model(seen), seen).mean().backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None and weight.grad.any(), name


def test_new_pictures_need_no_encoder() -> None:
    model = tiny()
    for weight in (*model.encoder.parameters(), *model.W_mean.parameters()):
        torch.nn.init.constant_(weight, math.nan)
    painting = model.invent(4, torch.Generator().manual_seed(0))
    assert painting.canvases.shape == (4, 3, 6, 8)
    assert painting.canvases.isfinite().all()
    assert not torch.equal(painting.canvases[0], painting.canvases[1])


def test_new_pictures_are_those_of_an_encoder_that_says_nothing() -> None:
    """With μ = 0 and σ = 1 each z comes from its prior, whatever is seen."""
    model = tiny()
    for layer in (model.W_mean, model.W_deviation):
        torch.nn.init.zeros_(layer.weight)
        torch.nn.init.zeros_(layer.bias)
    blind = model(pictures(), torch.Generator().manual_seed(2))
    torch.testing.assert_close(model.invent(5, torch.Generator().manual_seed(2)).canvases, blind.canvases)
    assert blind.divergences.abs().max() < 1e-6


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match=r"pictures are \(8, 6\); allowed is \(6, 8\)"):
        tiny()(torch.zeros(2, 8, 6))
    with pytest.raises(ValueError, match="steps is 0; allowed is 1 or more"):
        tiny(steps=0)
