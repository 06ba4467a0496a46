"""Types and shapes in signatures are checked while the tests run, in every package."""

import jaxtyping
import numpy as np
import pytest
import torch
from jaxtyping import Float
from signatures import checked
from torch import Tensor

from course_experiments.reservoir.forecasts import lagged
from course_lib.attention import masked_softmax
from course_lib.reservoir import ridge


def test_swapped_axes_are_stopped():
    scores, keep = torch.zeros(2, 3), torch.ones(2, 3, dtype=torch.bool)
    assert masked_softmax(scores, keep).shape == (2, 3)
    with pytest.raises(jaxtyping.TypeCheckError, match="parameter 'keep'"):
        masked_softmax(scores, keep.T)
    with pytest.raises(jaxtyping.TypeCheckError, match="parameter 'series'"):
        lagged(np.zeros((1, 9)), 2)


def test_what_is_returned_must_fit_what_was_given():
    @jaxtyping.jaxtyped(typechecker=checked)
    def every(x: Float[Tensor, "n"], step: int) -> Float[Tensor, "n"]:
        return x[::step]

    assert every(torch.zeros(4), 1).shape == (4,)
    with pytest.raises(jaxtyping.TypeCheckError, match="return value"):
        every(torch.zeros(4), 2)


def test_a_whole_number_passes_for_a_real_one():
    assert ridge(np.ones((3, 1)), np.ones((3, 2)), beta=0).shape == (2, 1)
    with pytest.raises(jaxtyping.TypeCheckError, match="parameter 'beta'"):
        ridge(np.ones((3, 1)), np.ones((3, 2)), beta="0")


@pytest.mark.usefixtures("unchecked")
def test_a_user_is_told_by_the_function_itself():
    with pytest.raises(TypeError, match="targets are of type list; allowed is a numpy array of numbers"):
        ridge(np.ones((3, 1)), [[1.0]] * 3, beta=0)
