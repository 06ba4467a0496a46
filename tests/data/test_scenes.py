import numpy as np
import pytest

from course_lib.data import LabelledPictures, load_fashion_mnist
from course_lib.data.scenes import make_scenes, set_scenes


def numbered(kinds=5, size=3):
    """Two pictures of each kind, of which every pixel says which it is."""
    labels = np.repeat(np.arange(kinds), 2)
    images = np.broadcast_to(
        (labels * 10 + np.arange(2 * kinds) % 2 + 1)[:, None, None], (2 * kinds, size, size)
    )
    return LabelledPictures(images.astype(np.uint8), labels)


def test_each_thing_fills_its_box_and_nothing_else_is_on_the_canvas():
    scenes = make_scenes(numbered(), 50, 3, np.random.default_rng(0))
    assert scenes.images.shape == (50, 21, 21)
    for image, labels, corners in zip(scenes.images, scenes.labels, scenes.corners, strict=True):
        left = image.copy()
        for label, (y, x) in zip(labels, corners, strict=True):
            box = image[y : y + 3, x : x + 3]
            assert (
                len(np.unique(box)) == 1 and box[0, 0] // 10 == label
            )  # one picture, of the kind that is said
            left[y : y + 3, x : x + 3] = 0
        assert not left.any()  # so no two boxes overlap either: each holds nine pixels of one picture


def test_kinds_differ_on_a_scene_and_places_are_everywhere():
    scenes = make_scenes(numbered(), 400, 3, np.random.default_rng(0))
    assert all(len(set(labels)) == 3 for labels in scenes.labels.tolist())
    assert np.bincount(scenes.labels.ravel(), minlength=5).min() > 150
    assert scenes.corners.min() == 0 and scenes.corners.max() == 18


def test_the_same_seed_gives_the_same_scenes():
    one, other = (make_scenes(load_fashion_mnist().test, 3, 3, np.random.default_rng(4)) for _ in range(2))
    assert np.array_equal(one.images, other.images) and one.images.shape == (3, 96, 96)


@pytest.mark.parametrize("things", [0, 6])
def test_more_things_than_kinds_are_refused(things):
    with pytest.raises(ValueError, match=f"things must be 1 to 5, got {things}"):
        make_scenes(numbered(), 1, things, np.random.default_rng(0))


def test_chosen_kinds_stand_on_a_smaller_canvas():
    labels = np.array([[4, 0], [2, 2]])
    scenes = set_scenes(numbered(), labels, np.random.default_rng(0), cells=2)
    assert scenes.images.shape == (2, 14, 14) and np.array_equal(scenes.labels, labels)
    for image, kinds, corners in zip(scenes.images, labels, scenes.corners, strict=True):
        assert [image[y, x] // 10 for y, x in corners] == kinds.tolist()
    with pytest.raises(ValueError, match="5 things a scene; 2×2 cells hold 4"):
        set_scenes(numbered(), np.zeros((1, 5), int), np.random.default_rng(0), cells=2)
