"""The flowers, the sketches, the photographs and the names of ImageNet's classes."""

import re

import numpy as np
import pytest

from course_lib.data import (
    flower_credits,
    load_all_photographs,
    load_flowers,
    load_imagenet_names,
    load_photographs,
    load_sketches,
)
from course_lib.data.packaged import DATA_FOLDER


def test_flowers_are_split_within_each_kind():
    data = load_flowers()
    assert data.train.images.shape == (700, 96, 96, 3) and data.test.images.shape == (200, 96, 96, 3)
    assert np.bincount(data.train.labels).tolist() == [140] * 5
    assert np.bincount(data.test.labels).tolist() == [40] * 5


def test_flowers_have_the_colours_of_their_kind():
    """In the middle a dandelion or a sunflower is yellow: red and green, and little blue."""
    data = load_flowers()
    middle = data.train.images[:, 32:64, 32:64].astype(float).mean(axis=(1, 2))
    yellow = middle[:, :2].mean(axis=1) - middle[:, 2]
    mean = {name: yellow[data.train.labels == label].mean() for label, name in enumerate(data.names)}
    assert min(mean["dandelion"], mean["sunflowers"]) > 1.2 * max(
        mean["daisy"], mean["roses"], mean["tulips"]
    )


def test_a_tile_is_cut_where_a_photograph_ends():
    """Neighbouring rows of one photograph are alike, neighbouring photographs are not."""
    images = load_flowers().train.images.astype(float)
    inside = np.abs(images[:, :, 47] - images[:, :, 48]).mean()
    across = np.abs(images[:-1, :, -1] - images[1:, :, 0]).mean()
    assert across > 3 * inside


def test_every_flower_has_a_photographer():
    data, credits = load_flowers(), flower_credits()
    for split in ("train", "test"):
        assert len(credits[split]) == len(getattr(data, split).labels)
        assert all("https://www.flickr.com/photos/" in credit for credit in credits[split])
    assert credits["train"][0] == "cdanna2003, https://www.flickr.com/photos/49565454@N00/835750256/"


def test_sketches_are_split_within_each_kind():
    data = load_sketches()
    for part, each in ((data.train, 80), (data.validation, 10), (data.test, 10)):
        assert part.images.shape == (40 * each, 28, 28) and part.images.max() == 255
        assert np.bincount(part.labels).tolist() == [each] * 40
    assert len(data.names) == 40 and data.names[0] == "airplane" and data.names[-1] == "umbrella"


def test_sketches_touch_the_top_and_the_left():
    images = load_sketches().train.images
    touches = (images[:, 0].max(axis=1) > 0) & (images[:, :, 0].max(axis=1) > 0)
    assert touches.mean() > 0.9


def test_names_belong_to_their_sketches():
    """A circle's ink lies far from its middle, a square's corners are inked, and a circle's are not."""
    data = load_sketches()

    def corner(name: str) -> float:
        images = data.train.images[data.train.labels == data.names.index(name)]
        return float(images[:, :4, :4].mean())

    assert corner("square") > 3 * corner("circle")


def test_photographs_come_with_captions_and_a_credit():
    photographs, everything = load_photographs().by_name, load_all_photographs()
    assert (len(photographs), len(everything)) == (7, 99)
    for photograph in everything:
        assert photograph.image.shape[2] == 3 and max(photograph.image.shape) == 256
        assert len(photograph.captions) == 5
        assert re.match(r"CC BY(-SA)? 2.0, https://www.flickr.com/", photograph.credit)
    assert sum("-SA" in photograph.credit for photograph in everything) == 35
    told = {photograph.captions for photograph in everything}
    assert len(told) == 99 and {photograph.captions for photograph in photographs.values()} < told
    assert "grizzly bear" in photographs["bear"].captions[0]
    assert "taxi" in photographs["street"].captions[0]


def test_a_thousand_classes_have_a_thousand_names():
    names = load_imagenet_names().names
    assert len(set(names)) == 1000
    assert (names[0], names[985], names[999]) == ("tench", "daisy", "toilet paper")


@pytest.mark.parametrize("images", [load_flowers().train.images, load_sketches().test.images])
def test_nobody_changes_the_copy_that_all_share(images):
    with pytest.raises(ValueError, match="read-only"):
        images[0, 0, 0] = 1


@pytest.mark.parametrize(
    ("folder", "data"),
    [
        ("flowers96", load_flowers()),
        ("quickdraw_sketches", load_sketches()),
        ("imagenet_names", load_imagenet_names()),
        ("coco_captions_cc", load_photographs()),
    ],
)
def test_the_attribution_is_that_of_the_data_folder(folder, data):
    readme = (DATA_FOLDER / folder / "README.md").read_text(encoding="utf8")
    assert f"**Attribution to show:** {data.attribution}\n" in readme
    assert data.licence.split(",")[0] in readme
