"""What an overlay trace takes, keeps and refuses."""

import numpy as np
import pytest

from course_lib.traces import OverlayTrace

MAPS = np.arange(24.0).reshape(1, 2, 3, 2, 2)


WORDS, CHANCES = ((("x", "y"), ("<b>", "")),), np.array([[[0.5, 0.25], [1, 0]]])


def make(
    maps=MAPS,
    colours=3,
    steps=(("a", "<b>"),),
    kinds=("CAM", "Grad-CAM", "saliency"),
    candidates=WORDS,
    chances=CHANCES,
):
    pictures = np.zeros((1, 4, 5, colours), np.uint8)
    return OverlayTrace(pictures, ("one",), maps, steps, kinds, "", candidates, chances)


def test_it_comes_back_from_a_file(tmp_path):
    make().save(tmp_path / "overlay.npz")
    back = OverlayTrace.load(tmp_path / "overlay.npz")
    np.testing.assert_array_equal(back.maps, MAPS)
    assert back.pictures.dtype == np.uint8 and back.steps == (("a", "<b>"),)
    np.testing.assert_array_equal(back.candidate_probabilities, CHANCES)
    assert back.candidates == WORDS and make(candidates=None, chances=None).candidates is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"maps": MAPS - 1}, "maps must be finite and 0 or more, got -1"),
        ({"maps": MAPS + np.nan}, "maps must be finite and 0 or more, got nan"),
        ({"maps": MAPS[..., :0]}, "maps must have no empty axis"),
        ({"colours": 1}, "pictures must have 3 colours, got 1"),
        ({"kinds": ("CAM",)}, "kinds"),
        ({"steps": (("a",),)}, "steps"),
        ({"candidates": None}, "must come together"),
        ({"chances": None}, "must come together"),
        ({"chances": 2 * CHANCES}, "candidate_probabilities must be from 0 to 1, got 2"),
        ({"chances": CHANCES[:, :1]}, "candidate_probabilities has 1 steps"),
    ],
)
def test_what_cannot_be_drawn_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        make(**wrong)
