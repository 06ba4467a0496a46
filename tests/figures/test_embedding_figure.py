import dataclasses
import math

import numpy as np
import pytest
from matplotlib.colors import to_hex

from course_lib.figures import Picture, describe_embedding, static_embedding
from course_lib.figures.embedding import CAUTION, group_style
from course_lib.figures.theme import DARK, LIGHT, OKABE_ITO
from course_lib.figures.tsne import divergence, embed_tsne, nearest, share_kept, trustworthiness
from course_lib.figures.tsne_points import Other, with_others


def clusters(count=3, size=12, features=8, seed=0):
    generator = np.random.default_rng(seed)
    centres = generator.normal(size=(count, features)) * 6
    return np.repeat(centres, size, axis=0) + generator.normal(size=(count * size, features))


def embed(vectors, **options):
    names = [f"word {i}" for i in range(len(vectors))]
    options = {"perplexity": 5.0, "iterations": 300, "frames": 20, **options}
    return embed_tsne(vectors, names, options.pop("groups", ["one"] * len(vectors)), **options)


@pytest.fixture(scope="module")
def trace():
    return embed(clusters(), groups=[name for name in ("day", "month", "<b>") for _ in range(12)])


def brute_force_neighbours(points, count):
    rows = []
    for i, point in enumerate(points):
        distances = [(math.dist(point, other), j) for j, other in enumerate(points) if j != i]
        rows.append([j for _, j in sorted(distances)[:count]])
    return rows


def entropy_search(vectors, perplexity):
    """P of van der Maaten and Hinton 2008, equations 1 to 3, by bisection over all pairs."""
    points = len(vectors)
    squared = ((vectors[:, None] - vectors[None]) ** 2).sum(-1)
    P = np.zeros((points, points))
    for i in range(points):
        others = np.delete(np.arange(points), i)
        low, high = 1e-12, 1e12
        for _ in range(200):
            precision = math.sqrt(low * high)
            weights = np.exp(-precision * (squared[i, others] - squared[i, others].min()))
            p = weights / weights.sum()
            entropy = -(p * np.log2(np.maximum(p, 1e-300))).sum()
            low, high = (precision, high) if entropy > math.log2(perplexity) else (low, precision)
        P[i, others] = p
    return (P + P.T) / (2 * points)


# ---- the run -----------------------------------------------------------------------------------------


def test_points_of_a_cluster_end_up_together(trace):
    last = trace.frames[-1]
    groups = np.array(trace.groups)
    for name in trace.group_names():
        own, rest = last[groups == name], last[groups != name]
        assert (
            np.linalg.norm(own - own.mean(0), axis=1).max() < np.linalg.norm(rest - own.mean(0), axis=1).min()
        )


def test_frames_run_from_the_first_layout_to_the_last_step_and_the_divergence_falls(trace):
    assert trace.iterations[0] == 0 and trace.iterations[-1] == 300 and len(trace.frames) == 20
    assert np.abs(trace.frames[0]).max() < 1e-2 < np.abs(trace.frames[-1]).max()
    assert trace.kl[-1] < 0.5 * trace.kl[0]
    assert (trace.kl > 0).all()


def test_the_divergence_is_the_one_of_the_paper(trace):
    """Against P by bisection and Q over all pairs; 3·5 neighbours of 35 hold nearly all of P."""
    P = entropy_search(clusters(), 5)
    for frame in (0, -1):
        squared = ((trace.frames[frame][:, None].astype(float) - trace.frames[frame][None]) ** 2).sum(-1)
        Q = 1 / (1 + squared)
        np.fill_diagonal(Q, 0)
        Q /= Q.sum()
        off = ~np.eye(len(P), dtype=bool)
        expected = (P[off] * np.log(np.maximum(P[off], 1e-300) / Q[off])).sum()
        assert trace.kl[frame] == pytest.approx(expected, abs=0.05)


def test_the_divergence_of_equal_distributions_is_zero():
    from scipy.sparse import csr_matrix

    triangle = np.array([[0, 0], [1, 0], [0.5, math.sqrt(3) / 2]], dtype=np.float32)
    P = csr_matrix((np.ones((3, 3)) - np.eye(3)) / 6)
    assert divergence(P, triangle) == pytest.approx(0, abs=1e-6)
    assert divergence(P, triangle * [1, 5]) > 0.01


def test_neighbours_are_those_of_brute_force(trace):
    assert trace.neighbours.tolist() == brute_force_neighbours(clusters(), 10)
    in_map = brute_force_neighbours(trace.frames[-1], 10)
    kept = [len(set(a) & set(b)) for a, b in zip(trace.neighbours.tolist(), in_map, strict=True)]
    assert trace.neighbours_kept == pytest.approx(sum(kept) / (10 * len(kept)))


def test_neighbours_kept_by_hand():
    line, swapped = np.array([[0.0], [1], [3], [7]]), np.array([[0.0], [3], [1], [7]])
    before, after = nearest(line, 1), nearest(swapped, 1)
    assert before.ravel().tolist() == [1, 0, 1, 2]
    assert after.ravel().tolist() == [2, 2, 0, 1]
    assert share_kept(before, after) == 0
    assert share_kept(before, before) == 1
    assert share_kept(np.array([[0, 1], [2, 3]]), np.array([[1, 5], [3, 2]])) == 0.75
    assert nearest(np.zeros((3, 2)), 10).shape == (3, 2)


@pytest.mark.parametrize("points", [3, 4, 21, 60, 700])
def test_trustworthiness_is_that_of_scikit_learn(points):
    from sklearn import manifold

    generator = np.random.default_rng(points)
    original = generator.normal(size=(points, 5))
    layout = original[:, :2] + generator.normal(size=(points, 2))
    for count in (1, 5, 10):
        k = min(count, (points - 1) // 2)
        expected = manifold.trustworthiness(original, layout, n_neighbors=k)
        assert trustworthiness(original, layout, count) == pytest.approx(expected, abs=1e-12)
    assert trustworthiness(original, original) == 1


def test_a_run_says_how_trustworthy_its_last_frame_is(trace):
    from sklearn import manifold

    expected = manifold.trustworthiness(clusters(), trace.frames[-1], n_neighbors=10)
    assert trace.trustworthiness == pytest.approx(expected, abs=1e-12)


def test_a_seed_gives_the_same_map_again():
    first, again, other = (embed(clusters(), seed=seed, iterations=60) for seed in (1, 1, 2))
    assert first == again
    assert not np.array_equal(first.frames, other.frames)


@pytest.mark.parametrize(
    "vectors",
    [
        np.ones((40, 3)),
        np.repeat(clusters(2, 2), 10, axis=0),
        np.vstack([np.zeros((39, 3)), [[1e6] * 3]]),
        np.random.default_rng(0).normal(size=(60, 50)),
        np.arange(40.0)[:, None],
    ],
    ids=["all equal", "four places", "one far away", "noise", "a line"],
)
def test_no_data_diverges_or_collapses(vectors):
    trace = embed(vectors, iterations=500)
    assert np.isfinite(trace.frames).all() and (trace.kl > -1e-6).all()
    assert 0.01 < np.ptp(trace.frames[-1]) < 1e3


@pytest.mark.parametrize(
    ("points", "perplexity", "allowed"),
    [(31, 10, True), (31, 10.1, False), (31, 31, False), (4, 1, True), (4, 0.9, False)],
)
def test_the_largest_perplexity_is_a_third_of_the_others(points, perplexity, allowed):
    vectors = clusters(1, points)
    if allowed:
        assert embed(vectors, perplexity=perplexity, iterations=20, frames=2).perplexity == perplexity
    else:
        with pytest.raises(ValueError, match=f"from 1 to {(points - 1) // 3}, .*got {perplexity}"):
            embed(vectors, perplexity=perplexity)


@pytest.mark.parametrize(
    ("vectors", "options", "message"),
    [
        (np.where(np.eye(40, 3, k=-7) == 1, np.nan, 0), {}, r"NaN or infinity: \[7, 8, 9\]"),
        (np.full((40, 3), np.inf), {}, "NaN or infinity"),
        (np.zeros((3, 3)), {}, "4 points"),
        (np.zeros(40), {}, r"\(points, features\)"),
        (np.zeros((40, 0)), {}, r"\(points, features\)"),
        (np.zeros((40, 3)), {"groups": ["a"]}, "groups has one entry a point, here 40; got 1"),
        (np.zeros((40, 3)), {"iterations": 2}, "iterations"),
        (np.zeros((40, 3)), {"frames": 1}, "frames"),
    ],
)
def test_bad_input_is_refused_by_name(vectors, options, message):
    with pytest.raises(ValueError, match=message):
        embed(vectors, **options)


# ---- the picture -------------------------------------------------------------------------------------


def test_every_class_has_its_own_colour_and_marker():
    assert len({group_style(place) for place in range(64)}) == 64
    assert [group_style(place)[0] for place in range(8)] == [*OKABE_ITO[:7], LIGHT.ink]
    assert group_style(7, DARK)[0] == DARK.ink  # black can't be seen on black


def lines_of(figure):
    return [line for line in figure.axes[0].lines if len(line.get_xdata())]


def test_each_class_is_drawn_where_the_trace_says(trace):
    lines = lines_of(static_embedding(trace, frame=5))
    for place, (line, name) in enumerate(zip(lines, trace.group_names(), strict=True)):
        points = trace.frames[5][np.array(trace.groups) == name]
        np.testing.assert_array_equal(np.column_stack(line.get_data()), points)
        assert (to_hex(line.get_color()), line.get_marker()) == (
            group_style(place)[0].lower(),
            group_style(place)[1],
        )


def test_the_first_labels_are_written_even_where_there_is_no_room(trace):
    crowded = dataclasses.replace(trace, frames=np.zeros_like(trace.frames))
    written = [
        [text.get_text() for text in static_embedding(crowded, first=first).axes[0].texts]
        for first in ((), (3, 30))
    ]
    assert len(written[0]) == 1 and [text[-2:].strip("␣ ") for text in written[1]] == ["3", "30"]


def test_the_honesty_panel(trace):
    figure = static_embedding(trace)
    curve = figure.axes[1]
    np.testing.assert_array_equal(curve.lines[0].get_ydata(), trace.kl)
    assert curve.get_ylim()[0] == 0
    panel = curve.texts[0].get_text()
    assert "perplexity 5, seed 0" in panel and f"{100 * trace.neighbours_kept:.3g}% of the 10" in panel
    assert figure.legends[0].get_title().get_text() == CAUTION
    one_class = static_embedding(dataclasses.replace(trace, groups=("one",) * len(trace)))
    assert one_class.get_supxlabel() == CAUTION and not one_class.legends


def with_three_more(trace):
    runs = [dataclasses.replace(trace, perplexity=p, neighbours_kept=k) for p, k in ((11, 0.25), (2, 0.5))]
    return with_others(trace, [Other.of("noise", trace), *(Other.of("data", run) for run in runs)])


def test_other_runs_and_the_twin_stand_below(trace):
    figure = static_embedding(with_three_more(trace))
    first, second, twin = figure.axes[2:]
    assert [axes.get_title(loc="left") for axes in (first, second, twin)] == [
        "Same points\nperplexity 2",
        "Same points\nperplexity 11",
        "Random noise\nperplexity 5",
    ]
    assert [axes.get_xlabel() for axes in (first, second)] == ["50% kept", "25% kept"]
    for place, line in enumerate(first.lines):
        assert (to_hex(line.get_color()), line.get_marker()) == (
            group_style(place)[0].lower(),
            group_style(place)[1],
        )
    np.testing.assert_array_equal(np.column_stack(twin.lines[0].get_data()), trace.frames[-1])
    assert len(twin.lines) == 1  # its points have no class
    told = describe_embedding(with_three_more(trace))
    assert "Same points, perplexity 2: 50% kept. Same points, perplexity 11: 25% kept." in told
    assert "chance" not in told  # what a map of nothing keeps is told by the random twin
    assert "Random noise, perplexity 5:" in told


def test_pictures_take_the_place_of_labels(trace):
    from matplotlib.offsetbox import AnnotationBbox

    pictures = np.random.default_rng(0).integers(0, 256, (36, 4, 3), np.uint8)
    axes = static_embedding(dataclasses.replace(trace, pictures=pictures), labelled=8).axes[0]
    boxes = [artist for artist in axes.artists if isinstance(artist, AnnotationBbox)]
    assert not axes.texts and 1 < len(boxes) <= 8
    last = trace.frames[-1].tolist()
    for box in boxes:
        point = last.index([pytest.approx(value) for value in box.xy])
        np.testing.assert_array_equal(box.offsetbox.get_data(), pictures[point])
        colour = group_style(trace.group_names().index(trace.groups[point]))[0]
        assert to_hex(box.patch.get_edgecolor()) == colour.lower()


def test_labels_never_cover_one_another(trace):
    figure = static_embedding(trace)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert len(boxes) > 5
    assert sum(a.overlaps(b) for a in boxes for b in boxes) == len(boxes)


def test_the_words_tell_what_the_picture_shows(trace):
    told = describe_embedding(dataclasses.replace(trace, title="Days stay together."))
    assert told.startswith(
        "Days stay together. t-SNE map of 36 points in 3 classes: day (12), month (12), <b> (12)."
    )
    assert f"from {trace.kl[0]:.2f} to {trace.kl[-1]:.2f} nats" in told and CAUTION in told
    assert "1 class: one (12)" in describe_embedding(embed(clusters(1), perplexity=3.0, iterations=20))


def test_any_label_can_be_drawn(trace):
    strange = ["<s>", "$x$", "", "\n", "🙂", "مرحبا", "<script>alert(1)</script>"]
    odd = dataclasses.replace(trace, labels=(strange * 6)[:36], groups=("<i>", "$y$", "") * 12)
    picture = Picture.of(static_embedding(odd, theme=DARK), describe_embedding(odd))
    assert picture.png.startswith(b"\x89PNG") and "<i>" not in picture.html()


def test_a_frame_that_does_not_exist_is_refused(trace):
    with pytest.raises(ValueError, match="frame must lie in -20 to 19"):
        static_embedding(trace, frame=20)
