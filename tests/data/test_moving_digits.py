"""Films against a ball that is thrown step by step, and against the pictures they were made from."""

import numpy as np
import pytest
import torch
from torch import Generator

from course_lib.data import load_mnist
from course_lib.data.moving_digits import AHEAD, GIVEN, Films, bounce, futures, half_size, moving_digits


@pytest.fixture(scope="module")
def images() -> torch.Tensor:
    return half_size(load_mnist().test.images[:40])


def make(images: torch.Tensor, digits: int = 1, seed: int = 0) -> Films:
    return moving_digits(images, 12, 25, Generator().manual_seed(seed), digits)


def thrown(place: int, speed: int, room: int, steps: int) -> list[int]:
    """A ball that moves pixel by pixel and turns around at a wall."""
    path, direction = [place], 1 if speed > 0 else -1
    for _ in range(steps - 1):
        for _ in range(abs(speed)):
            if not 0 <= place + direction <= room:
                direction = -direction
            place += direction
        path.append(place)
    return path


@pytest.mark.parametrize("room", [1, 4, 18])
@pytest.mark.parametrize("speed", [-5, -3, -1, 0, 1, 2, 3, 7])
def test_a_bounce_is_a_walk_that_turns_around_at_the_walls(room: int, speed: int) -> None:
    starts = torch.arange(room + 1)
    found = bounce(starts, torch.full_like(starts, speed), room, 30)
    assert found.tolist() == [thrown(start, speed, room, 30) for start in starts.tolist()]


def test_half_a_picture_is_the_mean_of_two_by_two_pixels() -> None:
    picture = load_mnist().test.images[:1]
    small = half_size(picture)
    assert small.shape == (1, 14, 14)
    for row, column in np.ndindex(14, 14):
        four = [int(picture[0, 2 * row + i, 2 * column + j]) for i in (0, 1) for j in (0, 1)]
        assert small[0, row, column].item() == pytest.approx(sum(four) / 4 / 255, abs=1e-6)


def test_a_frame_is_a_real_digit_pixel_by_pixel_and_nothing_else(images: torch.Tensor) -> None:
    made = make(images)
    for film, time in np.ndindex(12, 25):
        row, column = made.corners[film, 0, time].tolist()
        assert 0 <= row <= 18 and 0 <= column <= 18  # it never leaves the frame
        expected = torch.zeros(32, 32)
        expected[row : row + 14, column : column + 14] = images[made.chosen[film, 0]]
        assert torch.equal(made.frames[film, time, 0], expected)


def test_where_digits_overlap_the_darker_ink_shows(images: torch.Tensor) -> None:
    made = make(images, digits=2)
    overlaps = 0
    for film, time in np.ndindex(12, 25):
        alone = torch.zeros(2, 32, 32)
        for digit in range(2):
            row, column = made.corners[film, digit, time].tolist()
            alone[digit, row : row + 14, column : column + 14] = images[made.chosen[film, digit]]
        overlaps += bool(((alone[0] > 0) & (alone[1] > 0)).any())
        assert torch.equal(made.frames[film, time, 0], torch.where(alone[0] > alone[1], *alone))
    assert overlaps > 10


def test_speed_stays_the_same_between_walls_and_nobody_stands_still(images: torch.Tensor) -> None:
    corners = moving_digits(images, 300, 30, Generator().manual_seed(1)).corners
    steps = corners.diff(dim=2)
    assert steps.abs().max() == 3
    assert (steps.abs().sum(dim=(2, 3)) > 0).all()
    inside = ((corners >= 3) & (corners <= 15)).all(dim=-1)  # no wall within reach, before and after
    free = inside[:, :, :-2] & inside[:, :, 1:-1] & inside[:, :, 2:]
    assert free.sum() > 1000
    assert torch.equal(steps[:, :, :-1][free], steps[:, :, 1:][free])


def test_futures_are_the_film_with_every_other_speed(images: torch.Tensor) -> None:
    made = make(images, digits=2)
    steps = made.corners.diff(dim=2)
    free = (steps[:, :, GIVEN - 3] == steps[:, :, GIVEN - 2]).all(dim=(1, 2)).nonzero().flatten().tolist()
    assert len(free) > 3
    for one in free:
        true = made.frames[one, GIVEN : GIVEN + AHEAD]
        assert torch.equal(futures(made, images, one, unsure=0)[0], true)
        possible = futures(made, images, one)
        assert len(possible) == 81 and sum(torch.equal(film, true) for film in possible) >= 1
        expected = []  # one frame ahead, thrown by hand
        for errors in np.ndindex(3, 3, 3, 3):
            frame = torch.zeros(32, 32)
            for digit in range(2):
                row, column = (
                    thrown(place, speed + errors[2 * digit + axis] - 1, 18, 2)[1]
                    for axis, (place, speed) in enumerate(
                        zip(
                            made.corners[one, digit, GIVEN - 1].tolist(),
                            steps[one, digit, GIVEN - 2].tolist(),
                            strict=True,
                        )
                    )
                )
                place = frame[row : row + 14, column : column + 14]
                torch.maximum(place, images[made.chosen[one, digit]], out=place)
            expected.append(frame)
        assert torch.equal(possible[:, 0, 0], torch.stack(expected))


def test_the_same_seed_makes_the_same_film(images: torch.Tensor) -> None:
    assert torch.equal(make(images, seed=3).frames, make(images, seed=3).frames)
    assert not torch.equal(make(images, seed=3).frames, make(images, seed=4).frames)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"digits": 0}, "digits is 0; allowed is 1 or more"),
        ({"fastest": 0}, "fastest is 0; allowed is 1 or more"),
        ({"size": 14}, "size is 14; allowed is more than 14"),
    ],
)
def test_what_cannot_be_filmed_is_refused(images: torch.Tensor, arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        moving_digits(images, 1, 2, Generator(), **arguments)
    with pytest.raises(ValueError, match="steps is 0"):
        moving_digits(images, 1, 0, Generator())
