import pytest
import torch
from torch import nn

from course_lib.applications.describer import FilmDescriber, Films
from course_lib.data.described_films import SIDE, WORDS, describe_films
from course_lib.data.mnist import load_mnist


def films(count: int = 3):
    return describe_films(load_mnist().train, count, torch.Generator().manual_seed(0))


def test_one_frame_leaves_no_choice() -> None:
    torch.manual_seed(0)
    model, shown = FilmDescriber(attention=True, motion=True), films()
    _, weights = model(shown.frames[:, :1], shown.sentences)
    assert torch.equal(weights, torch.ones_like(weights))


def test_over_equal_frames_attention_sees_what_their_mean_shows() -> None:
    torch.manual_seed(0)
    model, shown = FilmDescriber(attention=True, motion=False), films()
    still = shown.frames[:, :1].expand(-1, 4, -1, -1, -1)
    many, weights = model(still, shown.sentences)
    torch.testing.assert_close(weights, torch.full_like(weights, 0.25))
    torch.testing.assert_close(many, model(shown.frames[:, :1], shown.sentences)[0], rtol=1e-4, atol=1e-5)


def test_without_attention_the_order_of_frames_is_lost_on_networks_that_see_one_at_a_time() -> None:
    torch.manual_seed(0)
    shown = films()
    backwards = shown.frames.flip(1)
    for motion, same in ((False, True), (True, False)):
        model = FilmDescriber(attention=False, motion=motion)
        one, other = (model(each, shown.sentences)[0] for each in (shown.frames, backwards))
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-5) == same


def test_a_network_of_single_frames_is_a_convolution_of_each() -> None:
    torch.manual_seed(0)
    seer, shown = Films(5, frames_at_once=1), films().frames
    first, second = seer.convolutions[0], seer.convolutions[2]
    for t in (0, 7):
        maps = shown[:, t]
        for layer in (first, second):
            maps = nn.functional.conv2d(maps, layer.weight[:, :, 0], layer.bias, 2, 1).relu()
        torch.testing.assert_close(seer(shown)[:, t], seer.linear(maps.flatten(1)), rtol=1e-4, atol=1e-5)


def test_weights_are_weights_and_every_parameter_learns() -> None:
    torch.manual_seed(0)
    model, shown = FilmDescriber(attention=True, motion=True), films()
    logits, weights = model(shown.frames, shown.sentences)
    assert logits.shape == (3, shown.sentences.shape[1], len(WORDS))
    torch.testing.assert_close(weights.sum(2), torch.ones(3, shown.sentences.shape[1]))
    logits.square().mean().backward()
    assert all(p.grad is not None and p.grad.any() for p in model.parameters())


@pytest.mark.parametrize("shape", [(2, 0, 1, SIDE, SIDE), (2, 5, 1, SIDE, SIDE + 1), (2, 5, SIDE, SIDE)])
def test_films_of_another_shape_are_refused(shape) -> None:
    with pytest.raises(ValueError, match="films have shape"):
        FilmDescriber(attention=True, motion=False).start(torch.zeros(shape))
