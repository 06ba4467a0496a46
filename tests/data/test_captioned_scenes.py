from itertools import pairwise

import numpy as np
import pytest

from course_lib.data import load_sketches
from course_lib.data.captioned_scenes import (
    COLOURS,
    KINDS,
    Thing,
    caption_words,
    captions_of,
    drawings,
    is_held_out,
    make_captioned_scenes,
)


def scenes(count=60, things=3, held_out=False, seed=0):
    pictures = drawings(load_sketches(), "train")
    return make_captioned_scenes(pictures, count, things, np.random.default_rng(seed), held_out)


def test_a_scene_has_several_captions_written_out_here():
    things = (Thing("fish", "red", (0, 0)), Thing("star", "blue", (0, 32)))
    assert set(captions_of(things)) == {
        opening + said
        for opening in ("", "there is ", "here is ")
        for said in (
            "a red fish and a blue star",
            "a red fish next to a blue star",
            "a fish in red and a star in blue",
            "a fish in red next to a star in blue",
        )
    }
    three = (*things, Thing("bus", "white", (32, 0)))
    assert "there is a red fish , a blue star and a white bus" in captions_of(three)
    assert len(captions_of(three)) == 6 and captions_of(things[:1])[0] == "a red fish"


def test_every_word_of_every_caption_is_known_and_every_known_word_is_used():
    made = scenes(200, 2).things + scenes(100).things
    words = {word for things in made for caption in captions_of(things) for word in caption.split()}
    assert words == set(caption_words()) and len(caption_words()) == len(words)


def test_each_thing_lies_in_its_box_in_its_colour_and_nothing_lies_elsewhere():
    made = scenes()
    assert made.images.shape == (60, 64, 64, 3) and made.size == 28
    for image, things in zip(made.images, made.things, strict=True):
        left = image.astype(int)
        for thing in things:
            y, x = thing.corner
            box = left[y : y + 28, x : x + 28]
            brightest = box.reshape(-1, 3)[box.sum(axis=-1).argmax()]
            assert np.abs(brightest - COLOURS[thing.colour]).max() <= 1
            box[:] = 0
        assert not left.any()


def test_the_drawing_is_one_of_its_kind():
    pictures = drawings(load_sketches(), "train")
    made = scenes(10, 1)
    for image, (thing,) in zip(made.images, made.things, strict=True):
        y, x = thing.corner
        ink = image[y : y + 28, x : x + 28].max(axis=-1) > 0
        same = (pictures.images > 0) == ink
        assert same.all(axis=(1, 2))[pictures.labels == KINDS.index(thing.kind)].any()


def test_things_are_named_as_one_reads():
    for things in scenes().things:
        cells = [(y // 32, x // 32) for _, _, (y, x) in things]
        assert all(first < second for first, second in pairwise(cells))


def test_held_out_pairs_are_never_trained_on_and_colours_and_kinds_differ():
    for held_out in (False, True):
        for things in scenes(held_out=held_out).things:
            assert all(is_held_out(kind, colour) == held_out for kind, colour, _ in things)
            assert len({kind for kind, _, _ in things}) == len({colour for _, colour, _ in things}) == 3
    pairs = [(kind, colour) for kind in KINDS for colour in COLOURS if is_held_out(kind, colour)]
    assert len(pairs) == 12 and len({kind for kind, _ in pairs}) == 12 and len({c for _, c in pairs}) == 6


def test_the_seed_decides_and_scenes_can_be_joined():
    one, same, other = scenes(5), scenes(5), scenes(5, seed=1)
    assert np.array_equal(one.images, same.images) and one.things == same.things != other.things
    both = one + other
    assert np.array_equal(both.images[5:], other.images) and both.things[5:] == other.things


@pytest.mark.parametrize("things", [0, 4])
def test_other_numbers_of_things_are_refused(things):
    with pytest.raises(ValueError, match=f"things must be 1 to 3, got {things}"):
        scenes(1, things)
    with pytest.raises(ValueError, match=f"1 to 3 things, got {things}"):
        captions_of(tuple(Thing("fish", "red", (0, 0)) for _ in range(things)))
