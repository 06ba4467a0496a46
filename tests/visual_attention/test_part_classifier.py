import pytest
import torch

from course_lib.visual_attention import PartClassifier, keep_places


def network(looks=True):
    torch.manual_seed(0)
    return PartClassifier((4, 5, 6), 16, 3, 7, looks).eval()


def test_the_class_comes_from_the_weighted_sum_place_by_place():
    model, pixels = network(), torch.rand(2, 3, 16, 16)
    logits, weights = model(pixels)
    first, _, last = model.score
    for picture in range(2):
        places = model.encoder(pixels)[picture]
        scores = torch.stack([last.weight[0] @ torch.tanh(first.weight @ place) for place in places])
        alpha = scores.exp() / scores.exp().sum()
        seen = sum(weight * place for weight, place in zip(alpha, places, strict=True))
        torch.testing.assert_close(weights[picture], alpha)
        torch.testing.assert_close(logits[picture], model.readout.weight @ seen + model.readout.bias)


def test_without_looking_it_averages_its_maps():
    model, pixels = network(looks=False), torch.rand(2, 3, 16, 16)
    logits, weights = model(pixels)
    assert torch.equal(weights, torch.full((2, 16), 1 / 16))
    torch.testing.assert_close(logits, model.readout(model.encoder(pixels).mean(dim=1)))


def test_only_the_places_of_most_worth_are_left():
    pixels, worth = torch.ones(1, 3, 4, 4), torch.tensor([[0.1, 0.4, 0.2, 0.3]])
    left = keep_places(pixels, worth, 2)[0, 0]
    assert left.tolist() == [[0, 0, 1, 1]] * 2 + [[0, 0, 1, 1]] * 2
    assert torch.equal(keep_places(pixels, worth, 4), pixels)


@pytest.mark.parametrize(
    ("places", "count", "message"),
    [
        (4, 0, "count is 0; allowed is 1 to 4"),
        (4, 5, "count is 5"),
        (3, 2, "3 places are no square grid"),
        (9, 2, "9 places are no square grid on a picture of side 4"),
    ],
)
def test_places_that_are_not_there_are_refused(places, count, message):
    with pytest.raises(ValueError, match=message):
        keep_places(torch.ones(1, 3, 4, 4), torch.rand(1, places), count)
