import pytest
import torch
from torch.nn import functional

from course_lib.visual_attention.retina import first_pixels, glimpse


def place(row: float, column: float) -> torch.Tensor:
    return torch.tensor([[row, column]], dtype=torch.float32)


def test_a_glimpse_of_one_scale_is_a_plain_crop() -> None:
    pictures = torch.rand(1, 20, 30)
    seen = glimpse(pictures, place(0.1, -0.2), size=6, scales=1)  # middle at row 11, column 12
    torch.testing.assert_close(seen[:, 0], pictures[:, 8:14, 9:15], rtol=0, atol=1e-4)


def test_each_further_scale_is_the_mean_of_a_crop_twice_as_large() -> None:
    pictures = torch.rand(2, 40, 40)
    seen = glimpse(pictures, torch.zeros(2, 2), size=4, scales=3)
    for k, side in enumerate((4, 8, 16)):
        square = pictures[:, 20 - side // 2 : 20 + side // 2, 20 - side // 2 : 20 + side // 2]
        blocks = square.unflatten(1, (4, 2**k)).unflatten(3, (4, 2**k))
        torch.testing.assert_close(seen[:, k], blocks.mean(dim=(2, 4)), rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("at", "first"),
    [((-1, -1), (-2, -2)), ((1, 1), (8, 18)), ((-1, 1), (-2, 18)), ((0, 0), (3, 8))],
    ids=["upper left", "lower right", "upper right", "middle"],
)
def test_places_map_to_the_picture_s_corners_and_middle(at, first) -> None:
    # A square of 4 pixels on a picture of 10 × 20, its middle on the place.
    assert first_pixels(place(*at), 4, 10, 20).tolist() == [list(first)]


def test_a_place_is_a_share_of_the_way_across_whatever_the_size() -> None:
    # On a large picture a pixel is a small share, so no rounding hides an error of a few per cent.
    assert first_pixels(place(0.5, -0.5), 4, 1000, 2000).tolist() == [[748, 498]]
    assert first_pixels(place(-0.8, 0.9), 4, 1000, 2000).tolist() == [[98, 1898]]


def test_at_a_corner_three_quarters_of_the_square_lie_outside_and_are_0() -> None:
    pictures = torch.rand(1, 10, 10) + 1
    seen = glimpse(pictures, place(-1, -1), 4, scales=1)[:, 0]
    torch.testing.assert_close(seen[0, 2:, 2:], pictures[0, :2, :2], rtol=0, atol=1e-4)
    assert seen[0, :2].count_nonzero() == 0
    assert seen[0, :, :2].count_nonzero() == 0


def test_a_place_far_outside_sees_nothing() -> None:
    pictures = torch.ones(1, 10, 10)
    assert glimpse(pictures, place(9, -9), size=4, scales=2).abs().sum() == 0


def test_any_crop_equals_one_of_a_padded_picture() -> None:
    torch.manual_seed(0)
    pictures, places = torch.rand(50, 12, 17), 3 * torch.rand(50, 2) - 1.5
    padded = functional.pad(pictures, (40, 40, 40, 40))
    for found, picture, (row, column) in zip(
        glimpse(pictures, places, 6, scales=1)[:, 0],
        padded,
        first_pixels(places, 6, 12, 17).tolist(),
        strict=True,
    ):
        expected = picture[row + 40 : row + 46, column + 40 : column + 46]
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_place_that_is_no_number_is_refused(bad) -> None:
    with pytest.raises(ValueError, match="places must be finite"):
        glimpse(torch.ones(1, 8, 8), place(bad, 0), size=4, scales=1)


@pytest.mark.parametrize(("size", "scales", "name"), [(0, 1, "size"), (4, 0, "scales")])
def test_a_glimpse_of_nothing_is_refused(size, scales, name) -> None:
    with pytest.raises(ValueError, match=f"{name} is 0; allowed is 1 or more"):
        glimpse(torch.ones(1, 8, 8), place(0, 0), size, scales)
