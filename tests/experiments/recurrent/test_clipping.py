import pytest
import torch

from course_experiments.recurrent.clipping import descend

SERIES = torch.sin(torch.arange(40) / 3.0)


def test_clipping_takes_steps_of_bounded_length_and_learns():
    clipped = descend(SERIES, 1.0, 30, seed=0)
    assert len(clipped.losses) == len(clipped.norms) == 30 and clipped.problem == ""
    assert clipped.losses[-1] < 0.5 * clipped.losses[0]
    assert descend(SERIES, 1.0, 30, seed=0) == clipped
    assert descend(SERIES, 1.0, 1, seed=1).losses != clipped.losses[:1]


def test_a_gradient_that_is_not_finite_ends_it_with_its_reason():
    series = SERIES.clone()
    series[20] = float("inf")
    ended = descend(series, 1.0, 30, seed=0)
    assert len(ended.losses) == 1 and ended.norms == []
    assert ended.problem.startswith("the norm of the gradients is nan")


def test_the_threshold_changes_the_way_and_not_the_first_loss():
    free, tight = descend(SERIES, 1e9, 3, seed=0), descend(SERIES, 1e-9, 3, seed=0)
    assert free.losses[0] == tight.losses[0] and free.norms[0] == tight.norms[0]
    assert tight.losses[2] == pytest.approx(tight.losses[0], rel=1e-4)  # it hardly moves
    assert abs(free.losses[2] / free.losses[0] - 1) > 1e-2
