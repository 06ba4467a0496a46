from dataclasses import replace

import numpy as np
import pytest
import torch

from course_lib.decoding.lattice_record import record_lattice
from course_lib.traces import LatticeTrace


def make() -> LatticeTrace:
    log_probs = torch.tensor([[0.6, 0.4], [0.6, 0.4]]).log()
    return record_lattice(log_probs, [[1], []], ("∅", "<b>a</b>"), np.zeros((3, 8), np.uint8), "T")


def test_it_comes_back_from_a_file(tmp_path):
    assert LatticeTrace.load(make().save(tmp_path / "trace")) == make()


def test_the_best_path_is_the_likeliest_label_of_each_step():
    assert make().best_path.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"probabilities": np.full((2, 2), 0.4)},
            "probabilities must be 0 or more and sum to 1, got .* sums from 0.8 ",
        ),
        (
            {"probabilities": [[1.5, -0.5], [0.6, 0.4]]},
            "probabilities must be 0 or more .* got -0.5 and more",
        ),
        ({"log_likelihood": [-np.inf, 0.0]}, "log_likelihood must be finite"),
        ({"states": [[0, 2, 0], [0, -1, -1]]}, "states must be labels from 0 to 1, or -1, got -1 to 2"),
        ({"states": [[0, -2, 0], [0, -1, -1]]}, "states must be labels from 0 to 1, or -1, got -2 to 0"),
        ({"alignment": [[0, 1, 1], [0, 0, 0]]}, "alignment has 3 time"),
    ],
)
def test_what_cannot_be_drawn_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(make(), **change)
