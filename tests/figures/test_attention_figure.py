"""The static picture of attention, read back from the matplotlib figure."""

import warnings

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from scipy.stats import entropy

from course_lib.figures import Picture, describe_attention, draw_attention, static_attention
from course_lib.figures.attention import (
    describe_comparison,
    row_entropy,
    static_comparison,
)
from course_lib.figures.theme import DARK, DIFFERENCE_SCALE, LIGHT
from course_lib.traces import AttentionTrace

STRANGE = (
    "<s>",
    "</s>",
    "<b>x</b>",
    "<script>",
    "%{z}",
    "$x$",
    "&amp;",
    "",
    " ",
    "\n",
    "▁the",
    "Ġthe",
    "😀",
    "سلام",
)


def softmax(shape, seed=0):
    scores = np.random.default_rng(seed).normal(size=shape) * 2
    return np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)


def names(letter, count):
    return tuple(f"{letter}{i}" for i in range(count))


def maps(figure):
    return [axes for axes in figure.axes if axes.images]


def test_cells_hold_the_weights_on_a_fixed_scale():
    weights = softmax((2, 3, 4, 5))
    trace = AttentionTrace(weights, names("q", 4), names("k", 5), head_names=("dot", "general", "concat"))
    axes = maps(static_attention(trace, layer=1, heads=[2, 0]))
    assert [one.get_title(loc="left") for one in axes] == ["concat", "dot"]
    for one, head in zip(axes, (2, 0), strict=True):
        np.testing.assert_allclose(one.images[0].get_array(), weights[1, head], rtol=1e-6)
        assert one.images[0].get_clim() == (0, 1)
        assert one.images[0].get_cmap().name == "cividis"


def test_the_reader_may_ask_for_another_scale():
    weights = np.full((1, 2, 1, 4), 0.25)
    weights[0, 1] = [0.5, 0.25, 0.25, 0]
    trace = AttentionTrace(weights, ("q",), names("k", 4))
    limits = [one.images[0].get_clim() for one in maps(static_attention(trace, scale="largest"))]
    assert limits == [(0, 0.5), (0, 0.5)]


def test_labels_are_positions_with_the_tokens_as_they_are():
    count = len(STRANGE)
    trace = AttentionTrace(np.full((1, 1, count, count), 1 / count), STRANGE, STRANGE)
    figure = static_attention(trace)
    labels = [text.get_text() for text in maps(figure)[0].get_xticklabels()]
    assert labels[:7] == list(STRANGE[:7])
    assert labels[7:10] == ["∅", "␣", "⏎"]
    assert not any(text.get_parse_math() for text in maps(figure)[0].get_xticklabels())
    assert list(maps(figure)[0].get_xticks()) == list(range(count))


def test_equal_tokens_stay_apart():
    trace = AttentionTrace(np.full((1, 1, 2, 3), 1 / 3), ("the", "the"), ("a", "a", "a"))
    axes = maps(static_attention(trace))[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["a", "a", "a"]
    assert axes.images[0].get_array().shape == (2, 3)


def test_masked_zero_and_nan_differ_and_are_named():
    weights = np.array([[0.0, 1, 0], [np.nan, 0.5, 0.5]])[None, None]
    trace = AttentionTrace(weights, ("x", "y"), tuple("abc"), keep=[[True, True, False], [True] * 3])
    figure = static_attention(trace)
    patches = maps(figure)[0].patches
    assert {(patch.get_xy(), patch.get_hatch()) for patch in patches} == {
        ((1.5, -0.5), "////"),
        ((-0.5, 0.5), "xx"),
    }
    rings = [tuple(line.get_xydata()[0]) for line in maps(figure)[0].lines]
    assert rings == [(0, 0)]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["exactly 0", "masked", "NaN"]


def test_sum_and_entropy_stand_beside_each_row():
    weights = softmax((1, 1, 3, 6))
    weights[0, 0, 1] = 0
    figure = static_attention(AttentionTrace(weights, names("q", 3), names("k", 6)))
    shown = [text.get_text() for text in maps(figure)[0].child_axes[0].get_yticklabels()]
    bits = [entropy(weights[0, 0, row], base=2) for row in (0, 2)]
    assert shown == [f"1.00  {bits[0]:.2f}", "0.00  0.00", f"1.00  {bits[1]:.2f}"]


def test_entropy_of_known_rows():
    rows = np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25] * 4, [np.nan, 0.5, 0.25, 0.25]])
    np.testing.assert_allclose(row_entropy(rows), [0, 1, 2, np.nan])


def test_a_long_axis_keeps_its_peaks():
    """512 tokens: pooling by the largest weight; a mean would hide a single strong key."""
    weights = np.zeros((1, 1, 512, 512))
    weights[0, 0, np.arange(512), np.arange(512) // 2] = 1
    axes = maps(static_attention(AttentionTrace(weights, names("q", 512), names("k", 512))))[0]
    cells = axes.images[0].get_array()
    assert max(cells.shape) <= 160
    assert (cells.max(axis=1) == 1).all()
    assert len(axes.get_xticks()) <= 48
    assert axes.images[0].get_extent() == [-0.5, 511.5, 511.5, -0.5]


def test_many_heads_are_drawn_small():
    trace = AttentionTrace(softmax((1, 48, 8, 8)), names("q", 8), names("k", 8))
    figure = static_attention(trace)
    assert len(maps(figure)) == 48
    assert max(figure.get_size_inches()) < 25


def test_every_layer_and_head_in_one_picture():
    trace = AttentionTrace(softmax((3, 2, 4, 4)), names("q", 4), names("k", 4))
    axes = maps(static_attention(trace, layer=None))
    titles = [one.get_title(loc="left") for one in axes]
    assert titles == [f"Layer {layer} · Head {head}" for layer in (1, 2, 3) for head in (1, 2)]
    np.testing.assert_allclose(axes[3].images[0].get_array(), trace.weights[1, 1], rtol=1e-6)
    assert describe_attention(trace, layer=None).count("3 layers") == 1


def test_nan_stays_apart_from_masked_where_cells_are_too_small_for_patterns():
    weights = softmax((1, 1, 200, 200))
    keep = np.tril(np.ones((200, 200), bool))
    weights = np.where(keep, weights, 0)
    weights[0, 0, 100, 3] = np.nan
    axes = maps(static_attention(AttentionTrace(weights, names("q", 200), names("k", 200), keep=keep)))[0]
    shown, broken = (image.get_array() for image in axes.images)
    assert np.isfinite(broken).sum() == 1
    assert shown.mask[0, -1]
    assert to_hex(axes.images[1].cmap(0.0)) == LIGHT.bad
    assert to_hex(axes.images[0].cmap.get_bad()) == LIGHT.masked


def test_two_maps_and_their_difference():
    first, second = softmax((1, 1, 3, 5), 1), softmax((1, 1, 3, 5), 2)
    one, other = (
        AttentionTrace(w, names("q", 3), names("k", 5), head_names=(n,))
        for w, n in ((first, "a"), (second, "b"))
    )
    left, right, gap = maps(static_comparison(one, other, scale="largest"))
    gaps = (first - second)[0, 0]
    np.testing.assert_allclose(gap.images[0].get_array(), gaps, atol=1e-6)
    top = max(first.max(), second.max())
    np.testing.assert_allclose(
        [left.images[0].get_clim(), right.images[0].get_clim()], [(0, top)] * 2, rtol=1e-6
    )
    np.testing.assert_allclose(gap.images[0].get_clim(), (-top, top), rtol=1e-6)
    colours = [to_hex(gap.images[0].cmap(share)) for share in (0.0, 1.0)]
    assert colours == [DIFFERENCE_SCALE[0], DIFFERENCE_SCALE[2]]
    # The second cue beside the colour is the sign.
    signs = {text.get_position(): text.get_text()[0] for text in gap.texts if text.get_text()[1:2] == "."}
    assert signs == {
        (key, query): "+" if gaps[query, key] > 0 else "\N{MINUS SIGN}"
        for query, key in np.ndindex(3, 5)
        if abs(gaps[query, key]) >= 0.005
    }
    moved = [text.get_text() for text in gap.child_axes[0].get_yticklabels()]
    assert moved == [f"{np.maximum(row, 0).sum():.2f}" for row in gaps]  # what is lost here is gained there
    query, key = np.unravel_index(np.abs(gaps).argmax(), gaps.shape)
    assert f"“q{query}” looks at “k{key}”: {gaps[query, key]:+.2f}." in describe_comparison(one, other)


def test_maps_of_other_words_stand_beside_each_other_with_their_own_labels():
    one = AttentionTrace(softmax((1, 1, 3, 5)), names("q", 3), names("k", 5))
    other = AttentionTrace(softmax((1, 1, 4, 5)), names("r", 4), names("k", 5))
    axes = maps(static_comparison(one, other, difference=False))
    assert [[text.get_text() for text in each.get_yticklabels()] for each in axes] == [
        list(names("q", 3)),
        list(names("r", 4)),
    ]
    with pytest.raises(ValueError, match="the same queries and the same keys"):
        static_comparison(one, other)
    many = AttentionTrace(softmax((1, 2, 3, 5)), names("q", 3), names("k", 5))
    with pytest.raises(ValueError, match="second must be one map, got 1 layers of 2 heads"):
        static_comparison(one, many)


def test_drawing_is_quiet():
    count = len(STRANGE)
    trace = AttentionTrace(
        np.full((1, 1, count, count), 1 / count),
        STRANGE,
        STRANGE,
        title="$ 漢 \\frac{ <s>",
        head_names=("$h$",),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Picture.of(static_attention(trace, theme=DARK), "text")


def test_the_theme_colours_the_background():
    trace = AttentionTrace(softmax((1, 1, 2, 2)), ("x", "y"), ("a", "b"))
    assert to_hex(static_attention(trace, theme=DARK).get_facecolor()) == DARK.paper


def test_words_say_where_each_row_looks():
    weights = np.array([[0.1, 0.9], [0, 0], [np.nan, np.nan]])[None, None]
    trace = AttentionTrace(weights, ("x", "</s>", "z"), ("the", "the"), title="A title.")
    words = describe_attention(trace)
    assert words.startswith("A title. Attention weights, 3 rows by 2 columns, Layer 1: Head 1.")
    assert "“x” looks most at “the” (0.90)" in words
    assert "“</s>” looks at nothing" in words
    assert "“z” has no numbers (NaN)" in words


def test_words_stay_short():
    trace = AttentionTrace(softmax((1, 12, 512, 512)), names("q", 512), names("k", 512))
    assert len(describe_attention(trace)) < 2000


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"layer": 2}, "layer must lie in 0 to 1, got 2"),
        ({"heads": [3]}, "heads must be numbers from 0 to 2"),
        ({"heads": []}, "at least one"),
        ({"scale": "log"}, "scale must be 'fixed' or 'largest', got 'log'"),
    ],
)
def test_choices_that_do_not_exist(choice, message):
    trace = AttentionTrace(softmax((2, 3, 2, 2)), ("x", "y"), ("a", "b"))
    with pytest.raises(ValueError, match=message):
        static_attention(trace, **choice)


def test_the_widget_has_the_same_colours():
    from course_lib.widgets import AttentionHeatmap

    module = AttentionHeatmap._esm
    shown = "".join(module.split("const CIVIDIS =")[1].split(";")[0].split('"')[1::2])
    assert shown == "".join(to_hex(colormaps["cividis"](i))[1:] for i in range(256))


def test_a_map_fits_beside_something_else_in_one_figure():
    weights = softmax((1, 2, 4, 5))
    trace = AttentionTrace(weights, names("q", 4), names("k", 5), title="Who looks where")
    figure = Figure()
    other, axes = figure.subplots(1, 2)
    draw_attention(axes, trace.only(0, 1))
    np.testing.assert_allclose(axes.images[0].get_array(), weights[0, 1], rtol=1e-6)
    assert axes.images[0].get_clim() == (0, 1)
    assert [label.get_text() for label in axes.get_xticklabels()] == list(trace.keys)
    assert [label.get_text() for label in axes.get_yticklabels()] == list(trace.queries)
    assert figure.axes == [other, axes] and not other.images
    with pytest.raises(ValueError, match="trace must be one map, got 1 layers of 2 heads"):
        draw_attention(axes, trace)
