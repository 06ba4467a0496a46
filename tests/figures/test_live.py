"""The picture that forms while a model trains."""

from unittest.mock import patch

import pytest

from course_lib.figures import watch
from course_lib.figures.picture import Picture


@pytest.mark.parametrize(
    ("steps", "every", "expected"), [(5, 2, [0, 2, 4, 5]), (4, 2, [0, 2, 4]), (1, 9, [0, 1])]
)
def test_it_looks_at_the_start_now_and_then_and_at_the_end(steps, every, expected):
    taken: list[float] = []
    seen: list[int] = []

    def train():
        while True:
            taken.append(1 / (1 + len(taken)))
            yield taken[-1]

    with patch("course_lib.figures.live.display") as display:
        losses = watch(
            train(), steps, lambda axes: seen.append(len(taken)), "Is it learned?", "It is.", every
        )
    assert losses == taken == [1 / (1 + i) for i in range(steps)]  # not one step more than asked for
    assert seen == expected
    assert display.return_value.update.call_count == len(expected) - 1
    (last,) = display.return_value.update.call_args.args
    assert isinstance(last, Picture)
    assert last.alt == "It is."


def test_it_ends_with_the_losses():
    with patch("course_lib.figures.live.display"):
        assert watch(iter([3.0, 2.0]), 10, lambda axes: None, "?", "!") == [3.0, 2.0]


@pytest.mark.parametrize(("steps", "every"), [(0, 1), (1, 0), (-1, 5)])
def test_no_steps_are_refused(steps, every):
    with pytest.raises(ValueError, match=f"steps is {steps} and every is {every}; allowed is 1 or more"):
        watch(iter([1.0]), steps, lambda axes: None, "?", "!", every)
