import numpy as np
import pytest
import torch

from course_lib.data.labelled_pictures import LabelledPictures
from course_lib.data.mnist import load_mnist
from course_lib.data.placed_digits import PIECE, SIDE, place_digits


def test_a_digit_stands_where_its_corner_says_and_nothing_else_does() -> None:
    pictures = load_mnist().train
    chosen = torch.tensor([5, 9, 5])
    placed = place_digits(pictures, chosen, torch.Generator().manual_seed(0))
    assert placed.labels.tolist() == pictures.labels[chosen.numpy()].tolist()
    for canvas, digit, (row, column) in zip(placed.pixels, chosen, placed.corners.tolist(), strict=True):
        cut = canvas[row : row + 28, column : column + 28].clone()
        np.testing.assert_allclose(cut, pictures.images[digit] / 255, atol=1e-6)
        assert canvas.sum() == pytest.approx(float(cut.sum()), rel=1e-5)


def test_places_reach_all_borders() -> None:
    placed = place_digits(load_mnist().train, torch.arange(2000), torch.Generator().manual_seed(0))
    assert placed.corners.min() == 0
    assert placed.corners.max() == SIDE - 28


def test_clutter_adds_ink_outside_the_digit_and_takes_none_away() -> None:
    white = LabelledPictures(np.full((2, 10, 10), 255, np.uint8), np.array([0, 1]))
    placed = place_digits(white, torch.arange(2).repeat(50), torch.Generator().manual_seed(0), pieces=3)
    ink = placed.pixels.flatten(1).sum(1)
    assert ink.min() >= 100
    assert ink.max() <= 100 + 3 * PIECE**2
    assert ink.max() > 100
    for canvas, (row, column) in zip(placed.pixels, placed.corners.tolist(), strict=True):
        assert canvas[row : row + 10, column : column + 10].min() == 1


def test_bad_input_is_refused() -> None:
    large = LabelledPictures(np.zeros((1, 61, 61), np.uint8), np.array([0]))
    with pytest.raises(ValueError, match="side of 61 pixels; allowed are 60 at most"):
        place_digits(large, torch.tensor([0]), torch.Generator())
    with pytest.raises(ValueError, match="pieces is -1"):
        place_digits(load_mnist().train, torch.tensor([0]), torch.Generator(), pieces=-1)
