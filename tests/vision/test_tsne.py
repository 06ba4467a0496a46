import numpy as np
import pytest
from scipy.spatial.distance import cdist

from course_lib.data import load_mnist
from course_lib.figures.tsne import embed_tsne, nearest, share_kept
from course_lib.vision import tsne


@pytest.fixture(scope="module")
def digits():
    images = load_mnist().test.images[:200].reshape(200, -1) / 255
    centred = images - images.mean(axis=0)
    left, scales, _ = np.linalg.svd(centred, full_matrices=False)
    return (left * scales)[:, :30]


def test_distances_are_scipys():
    points = np.random.default_rng(0).normal(size=(7, 4))
    np.testing.assert_allclose(tsne.squared_distances(points), cdist(points, points) ** 2, atol=1e-12)


@pytest.mark.parametrize("perplexity", [2.0, 5.0, 30.0])
def test_the_entropy_of_each_neighbourhood_is_log2_of_the_perplexity(digits, perplexity):
    distances = tsne.squared_distances(digits)
    for i in range(0, 200, 20):
        shares = tsne.neighbourhood(np.delete(distances[i], i), perplexity)
        assert -(shares * np.log2(np.maximum(shares, 1e-300))).sum() == pytest.approx(
            np.log2(perplexity), abs=1e-6
        )
        assert shares.sum() == pytest.approx(1)


def test_a_neighbourhood_is_a_gaussian_of_the_distances():
    """log p falls in a straight line with the squared distance."""
    distances = np.array([0.5, 1.0, 2.0, 4.0])
    logs = np.log(tsne.neighbourhood(distances, 2.5))
    slopes = np.diff(logs) / np.diff(distances)
    np.testing.assert_allclose(slopes, slopes[0])
    assert slopes[0] < 0


def test_distances_far_from_one_do_not_underflow():
    for scale in (1e-8, 1e8):
        shares = tsne.neighbourhood(scale * np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 3.0)
        assert np.isfinite(shares).all() and 2 ** tsne.entropy(shares) == pytest.approx(3)


def test_joint_probabilities_are_symmetric_and_sum_to_one(digits):
    joint = tsne.joint_probabilities(digits, 10)
    np.testing.assert_array_equal(joint, joint.T)
    assert joint.sum() == pytest.approx(1) and not np.diag(joint).any()


def test_the_gradient_is_that_of_finite_differences():
    generator = np.random.default_rng(0)
    joint = tsne.joint_probabilities(generator.normal(size=(9, 5)), 3)
    places = generator.normal(size=(9, 2))
    numeric, small = np.zeros_like(places), 1e-6
    for i in np.ndindex(places.shape):
        step = np.zeros_like(places)
        step[i] = small
        numeric[i] = (tsne.kl_divergence(joint, places + step) - tsne.kl_divergence(joint, places - step)) / (
            2 * small
        )
    np.testing.assert_allclose(tsne.kl_gradient(joint, places), numeric, atol=1e-8)


def test_the_divergence_is_that_of_a_loop():
    generator = np.random.default_rng(1)
    joint, places = tsne.joint_probabilities(generator.normal(size=(6, 3)), 2), generator.normal(size=(6, 2))
    pairs = [(i, j) for i in range(6) for j in range(6) if i != j]
    near = {(i, j): 1 / (1 + ((places[i] - places[j]) ** 2).sum()) for i, j in pairs}
    total = sum(near.values())
    expected = sum(joint[pair] * np.log(joint[pair] / (near[pair] / total)) for pair in pairs)
    assert tsne.kl_divergence(joint, places) == pytest.approx(expected)


def test_the_first_step_goes_down_the_gradient_of_four_times_p():
    joint = tsne.joint_probabilities(np.random.default_rng(0).normal(size=(9, 5)), 3)
    first = np.random.default_rng(1).normal(0, 1e-2, (9, 2))  # N(0, 10⁻⁴)
    moved = first - 5.0 * 1.2 * tsne.kl_gradient(4 * joint, first)  # the gain grows by 0.2 from 1
    found = tsne.lay_out(joint, seed=1, steps=1, rate=5.0).places
    np.testing.assert_allclose(found, moved - moved.mean(axis=0))


def test_it_keeps_as_many_neighbours_as_opentsne(digits):
    layout = tsne.lay_out(tsne.joint_probabilities(digits, 20), steps=300)
    assert layout.divergences[-1] < 0.5 * layout.divergences[0]
    late = layout.divergences[tsne.EXAGGERATED_STEPS + 50 :]
    assert (np.diff(late) < 0.01).all()  # it falls
    nameless = ("",) * len(digits)
    theirs = embed_tsne(digits, nameless, nameless, perplexity=20, iterations=300, frames=2)
    ours = share_kept(nearest(digits), nearest(layout.places))
    assert ours == pytest.approx(theirs.neighbours_kept, abs=0.08)
    assert ours > 0.35  # of places at random a twentieth


@pytest.mark.parametrize("perplexity", [1.0, 9.0, np.nan])
def test_a_perplexity_out_of_range_is_refused(perplexity):
    with pytest.raises(ValueError, match="perplexity of 10 points must lie between 1 and 9, got"):
        tsne.joint_probabilities(np.eye(10), perplexity)
