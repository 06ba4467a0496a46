import math

import pytest
import torch

from course_lib.visual_attention.filter_bank import Window, filters, window


def numbers(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32)


def asked(down=0.0, across=0.0, log_variance=0.0, log_stride=0.0, log_strength=0.0) -> torch.Tensor:
    return torch.tensor([[down, across, log_variance, log_stride, log_strength]], dtype=torch.float32)


def test_every_row_of_filters_sums_to_1_wherever_it_lies() -> None:
    torch.manual_seed(0)
    at = window(3 * torch.randn(200, 5), 4, 12, 17)
    for bank in (at.rows, at.columns):
        assert bank.isfinite().all()
        torch.testing.assert_close(bank.sum(2), torch.ones(200, 4))


def test_filters_by_hand() -> None:
    found = filters(numbers(3.5), numbers(2.0), numbers(0.7), count=3, pixels=9)[0]
    for i, mean in enumerate((1.5, 3.5, 5.5)):
        bell = [math.exp(-((a - mean) ** 2) / (2 * 0.7)) for a in range(9)]
        assert found[i].tolist() == pytest.approx([value / sum(bell) for value in bell], abs=1e-6)


def test_with_a_stride_of_1_and_no_blur_to_read_is_to_crop_and_to_write_is_to_paste() -> None:
    picture = torch.rand(1, 10, 13)
    sharp = numbers(1e-4)
    rows = filters(numbers(4.0), numbers(1.0), sharp, 5, 10)  # pixels 2 to 6
    columns = filters(numbers(8.0), numbers(1.0), sharp, 5, 13)  # pixels 6 to 10
    at = Window(rows, columns, numbers(1.0))
    crop = picture[:, 2:7, 6:11]
    torch.testing.assert_close(at.read(picture), crop)
    pasted = torch.zeros(1, 10, 13)
    pasted[:, 2:7, 6:11] = crop
    torch.testing.assert_close(at.write(crop), pasted)
    assert at.seen().sum() == pytest.approx(25, abs=1e-3)


def test_two_pixels_of_stride_read_every_second_pixel() -> None:
    picture = torch.rand(1, 11, 11)
    bank = filters(numbers(5.0), numbers(2.0), numbers(1e-4), 5, 11)
    found = Window(bank, bank, numbers(1.0)).read(picture)
    torch.testing.assert_close(found, picture[:, 1:10:2, 1:10:2])


def test_at_rest_the_grid_spans_the_longer_side_around_the_middle() -> None:
    at = window(asked(log_variance=-9.0), 4, 7, 13)
    assert at.columns[0].argmax(1).tolist() == [0, 4, 8, 12]
    assert at.rows[0].argmax(1).tolist() == [0, 1, 5, 6]  # the outer two lie beyond the edge and lean on it


def test_asked_for_the_edges_the_middle_lies_just_beyond_them() -> None:
    """As in the paper: g = (A + 1)/2 · (g̃ + 1) with pixels 1 … A runs from 0 to A + 1."""
    narrow = {"log_variance": -9.0, "log_stride": -9.0}
    left, right = (window(asked(across=side, **narrow), 2, 8, 8).columns[0, 0] for side in (-1.0, 1.0))
    assert (int(left.argmax()), int(right.argmax())) == (0, 7)
    inside = window(asked(across=7 / 9, **narrow), 2, 8, 8).columns[0, 0]
    assert int(inside.argmax()) == 7


def test_on_a_square_both_axes_lie_where_each_would_alone() -> None:
    torch.manual_seed(0)
    sought = torch.randn(6, 5)
    square, flat, upright = (window(sought, 4, *size) for size in ((9, 9), (9, 8), (8, 9)))
    torch.testing.assert_close(square.rows, flat.rows)
    torch.testing.assert_close(square.columns, upright.columns)
    torch.testing.assert_close(square.strength, sought[:, 4].exp())


def test_strength_multiplies_what_is_read_and_divides_what_is_written() -> None:
    picture, patch = torch.rand(1, 8, 8), torch.rand(1, 3, 3)
    plain, strong = window(asked(), 3, 8, 8), window(asked(log_strength=math.log(2.0)), 3, 8, 8)
    torch.testing.assert_close(strong.read(picture), 2 * plain.read(picture))
    torch.testing.assert_close(strong.write(patch), plain.write(patch) / 2)


def test_one_filter_is_refused() -> None:
    with pytest.raises(ValueError, match="count is 1; allowed is 2 or more"):
        window(asked(), 1, 8, 8)
