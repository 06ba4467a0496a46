import numpy as np
import pytest

from course_lib.traces import ConvolutionTrace


def make(size=9, taps=3, **changes):
    given = {
        "pictures": np.arange(2 * size * size).reshape(2, size, size),
        "picture_names": ("one", "two"),
        "kernels": np.ones((1, taps, taps)),
        "kernel_names": ("sum",),
    }
    return ConvolutionTrace(**{**given, **changes})


def test_what_is_saved_comes_back(tmp_path):
    trace = make(title="A title")
    assert ConvolutionTrace.load(trace.save(tmp_path / "trace")) == trace


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"size": 8}, "kernels of 3×3 span 9 at dilation 4; the pictures have only 8 pixels along an axis"),
        ({"kernels": np.full((1, 3, 3), np.nan)}, "kernels must hold finite numbers"),
        ({"pictures": np.full((2, 9, 9), np.inf)}, "pictures must hold finite numbers"),
        ({"kernels": np.ones((1, 0, 3))}, r"kernels must have no empty axis, got shape \(1, 0, 3\)"),
        ({"picture_names": ("one",)}, "picture_names has 1 pictures, but pictures has 2"),
    ],
)
def test_what_cannot_be_shown_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        make(**changes)
