import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull, cKDTree

from course_lib.figures.tsne import embed_tsne, nearest, principal_components, share_kept
from course_lib.figures.tsne_points import (
    Points,
    embed_beside,
    embed_points,
    others_of,
    picture_points,
    random_twin,
    state_points,
    with_others,
    word_points,
)

QUICK = {"iterations": 60, "frames": 3}


def blobs(points=40, features=6, seed=0):
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(points, features)) + 8 * (np.arange(points) % 2)[:, None]
    return Points(vectors, tuple(f"w{i}" for i in range(points)), tuple("ab"[i % 2] for i in range(points)))


# ---- pictures, words, states -------------------------------------------------------------------------


def test_pictures_become_their_principal_components():
    images = np.random.default_rng(0).integers(0, 256, (12, 5, 4), np.uint8)
    points = picture_points(images, [3, 1] * 6)
    assert points.labels[:3] == ("3#0", "1#1", "3#2") and points.groups[:2] == ("3", "1")
    np.testing.assert_array_equal(points.pictures, images)
    pixels = images.reshape(12, -1) / 255
    centred = pixels - pixels.mean(0)
    # 12 components hold everything of 12 pictures: distances stay.
    np.testing.assert_allclose(points.vectors @ points.vectors.T, centred @ centred.T, atol=1e-10)


def test_pictures_as_floats_and_what_a_network_makes_of_them():
    codes = np.arange(6.0).reshape(3, 2)
    points = picture_points(np.linspace(0, 1, 12).reshape(3, 2, 2), "abc", vectors=codes)
    np.testing.assert_array_equal(points.vectors, codes)
    assert points.pictures.ravel()[[0, 1, -1]].tolist() == [0, 23, 255]


@pytest.mark.parametrize(
    ("images", "message"),
    [(np.zeros((3, 4)), r"\(points, rows, columns\)"), (np.full((3, 2, 2), 1.5), "from 0 to 1")],
)
def test_other_pictures_are_refused(images, message):
    with pytest.raises(ValueError, match=message):
        picture_points(images, "abc")


def test_words_are_looked_up_and_get_length_one():
    vectors = np.array([[3, 4], [0, 0], [-2, 0]])
    points = word_points({"x": ["c", "a"], "y": ["b"]}, ["a", "b", "c"], vectors)
    assert (points.labels, points.groups) == (("c", "a", "b"), ("x", "x", "y"))
    np.testing.assert_allclose(points.vectors, [[-1, 0], [0.6, 0.8], [0, 0]])
    with pytest.raises(ValueError, match="without a vector: q, r"):
        word_points({"x": ["a", "q", "r"]}, ["a"], np.array([[1, 0]]))


def test_states_tell_where_in_the_text_they_are():
    text = "to be,\nor not to be: that is it"
    states = np.arange(len(text) - 3)[:, None]
    points = state_points(states, text, ["x"] * len(states), start=3)
    assert points.labels[0] == "b" and points.texts[0] == "to [b]e,⏎or not to be:"
    assert points.labels[3] == "\n" and points.texts[3] == "to be,[⏎]or not to be: th"
    words = state_points(np.zeros((2, 1)), ["the", "cat"], "ab", joint=" ")
    assert words.texts == ("[the] cat", "the [cat]")
    with pytest.raises(ValueError, match="symbols has 2 from step 1 on, but states has 3"):
        state_points(np.zeros((3, 1)), "abc", "xyz", start=1)


# ---- honest maps -------------------------------------------------------------------------------------


def test_other_perplexities_and_a_twin_stand_beside_the_map():
    points = blobs()
    trace = embed_points(points, 6, **QUICK, title="Two kinds")
    assert trace.other_kinds == ("data", "data", "noise", "noise")
    assert trace.other_perplexities.tolist() == [2, 13, 2, 6]  # 13 is the largest of 40 points
    alone = embed_tsne(points.vectors, points.labels, points.groups, 2, iterations=400, frames=2)
    np.testing.assert_array_equal(trace.others[0], alone.frames[-1])
    assert trace.other_kept[0] == alone.neighbours_kept
    assert trace.other_kl[0] == alone.kl[-1]
    assert trace.other_trustworthiness[0] == alone.trustworthiness
    main = embed_tsne(points.vectors, points.labels, points.groups, 6, **QUICK, title="Two kinds")
    assert with_others(trace, []) == main
    assert trace.other_kept[3] < trace.neighbours_kept  # of noise, less can be kept


@pytest.mark.usefixtures("unchecked")
def test_which_runs_stand_beside_it_can_be_said():
    trace = embed_points(blobs(), **QUICK, compare=(3,), twin="permuted", seed=4)
    assert trace.perplexity == 13 and trace.seed == 4
    assert list(zip(trace.other_kinds, trace.other_perplexities, strict=True)) == [
        ("data", 3),
        ("permuted", 3),
        ("permuted", 13),
    ]
    assert embed_points(blobs(), **QUICK, compare=(), twin=None).others is None
    assert embed_points(blobs(4), **QUICK).perplexity == 1  # the largest of 4
    with pytest.raises(ValueError, match="twin is 'noise', 'permuted' or None; got 'random'"):
        embed_points(blobs(), twin="random")


def test_a_new_perplexity_keeps_the_runs_so_far_beside_it():
    points = blobs()
    first = embed_points(points, 6, **QUICK, compare=(3,), seed=2, title="Two kinds")
    second = embed_beside(points, 3, first)
    assert (second.perplexity, second.seed, second.title) == (3, 2, "Two kinds")
    assert len(second.frames) == 3 and second.iterations[-1] == 60
    assert [(one.kind, one.perplexity) for one in others_of(second)] == [
        ("data", 6),
        ("noise", 3),
        ("noise", 6),
    ]
    np.testing.assert_array_equal(second.others[0], first.frames[-1])
    with pytest.raises(ValueError, match=r"from 1 to 13, .* got 14"):
        embed_beside(points, 14, first)


@pytest.mark.parametrize("kind", ["noise", "permuted"])
def test_a_twin_has_the_features_but_nothing_between_them(kind):
    generator = np.random.default_rng(0)
    shared = generator.normal(size=(3000, 1))
    vectors = np.hstack([shared, 5 + 2 * shared + 0.01 * generator.normal(size=shared.shape)])
    twin = random_twin(vectors, kind)
    np.testing.assert_allclose(twin.mean(0), vectors.mean(0), atol=0.15)
    np.testing.assert_allclose(twin.std(0), vectors.std(0), rtol=0.05)
    assert abs(np.corrcoef(twin.T)[0, 1]) < 0.06 < np.corrcoef(vectors.T)[0, 1]
    assert (np.sort(twin, axis=0) == np.sort(vectors, axis=0)).all() == (kind == "permuted")
    np.testing.assert_array_equal(random_twin(vectors, kind), twin)


def clumped(layout):
    """Clark and Evans 1954: mean distance to the nearest point, as a share of that of scattered points."""
    distance = cKDTree(layout).query(layout, 2)[0][:, 1].mean()
    return distance / (0.5 * math.sqrt(ConvexHull(layout).volume / len(layout)))


def test_noise_forms_clumps_where_the_perplexity_is_small():
    vectors = np.random.default_rng(0).normal(size=(200, 10))
    names = ("",) * 200
    small, large = (
        embed_tsne(vectors, names, names, perplexity, iterations=300, frames=2).frames[-1]
        for perplexity in (2, 30)
    )
    assert clumped(small) < 0.75 < 0.95 < clumped(large)


# ---- clear behaviour at the edge ---------------------------------------------------------------------


def test_equal_points_and_one_class_are_laid_out():
    equal = Points(np.ones((20, 3)), ("a",) * 20, ("one",) * 20)
    trace = embed_points(equal, 3, **QUICK)
    assert np.isfinite(trace.frames).all() and np.isfinite(trace.others).all()
    assert trace.group_names() == ("one",)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.zeros((2, 3)), r"4 points or more; got \(2, 3\)"),
        (np.where(np.eye(9, 3) == 1, np.nan, 0.0), r"NaN or infinity: \[0, 1, 2\]"),
    ],
)
def test_two_points_and_nan_are_refused(vectors, message):
    points = Points(vectors, ("a",) * len(vectors), ("b",) * len(vectors))
    with pytest.raises(ValueError, match=message):
        embed_points(points, 1)


def test_the_components_are_those_of_scikit_learn():
    from sklearn.decomposition import PCA

    points = blobs()
    trace = embed_points(points, perplexity=5, compare=(), twin=None, iterations=30, frames=2)
    wanted = PCA(3, svd_solver="full").fit(points.vectors)
    places = wanted.transform(points.vectors)
    signs = np.sign((trace.components * places).sum(axis=0))
    np.testing.assert_allclose(trace.components, signs * places, atol=1e-5)
    np.testing.assert_allclose(trace.component_shares, wanted.explained_variance_ratio_)
    for kept, axes in zip(trace.components_kept, (2, 3), strict=True):
        assert kept == share_kept(trace.neighbours, nearest(places[:, :axes]))


def test_what_has_no_third_direction_has_a_third_component_of_zeros():
    line = np.outer(np.arange(6.0), [3, 4])
    components, shares = principal_components(line)
    np.testing.assert_allclose(np.sort(components[:, 0]), 5 * (np.arange(6) - 2.5))
    np.testing.assert_allclose(components[:, 1:], 0, atol=1e-9)
    np.testing.assert_allclose(shares, [1, 0, 0], atol=1e-12)
    components, shares = principal_components(np.ones((4, 1)))
    assert not components.any() and components.shape == (4, 3) and not shares.any()
