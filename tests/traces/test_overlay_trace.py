"""What an overlay trace takes, keeps and refuses."""

import numpy as np
import pytest

from course_lib.traces import OverlayTrace

MAPS = np.arange(24.0).reshape(1, 2, 3, 2, 2)


def make(maps=MAPS, colours=3, steps=(("a", "<b>"),), kinds=("CAM", "Grad-CAM", "saliency")):
    return OverlayTrace(np.zeros((1, 4, 5, colours), np.uint8), ("one",), maps, steps, kinds)


def test_it_comes_back_from_a_file(tmp_path):
    make().save(tmp_path / "overlay.npz")
    back = OverlayTrace.load(tmp_path / "overlay.npz")
    np.testing.assert_array_equal(back.maps, MAPS)
    assert back.pictures.dtype == np.uint8 and back.steps == (("a", "<b>"),)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"maps": MAPS - 1}, "maps must be finite and 0 or more, got -1"),
        ({"maps": MAPS + np.nan}, "maps must be finite and 0 or more, got nan"),
        ({"maps": MAPS[..., :0]}, "maps must have no empty axis"),
        ({"colours": 1}, "pictures must have 3 colours, got 1"),
        ({"kinds": ("CAM",)}, "kinds"),
        ({"steps": (("a",),)}, "steps"),
    ],
)
def test_what_cannot_be_drawn_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        make(**wrong)
