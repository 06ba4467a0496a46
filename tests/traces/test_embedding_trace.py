import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.traces import EmbeddingTrace


def a_trace(points=5, steps=3, columns=2, seed=0, **changes):
    generator = np.random.default_rng(seed)
    others = [np.delete(np.arange(points), i) for i in range(points)]
    fields = {
        "frames": generator.normal(size=(steps, points, 2)),
        "iterations": np.arange(steps) * 10,
        "kl": np.linspace(2, 1, steps),
        "labels": tuple("word" for _ in range(points)),
        "groups": tuple("bac"[i % 3] for i in range(points)),
        "perplexity": 1.0,
        "neighbours_kept": 0.5,
        "neighbours": np.stack([generator.permutation(row)[:columns] for row in others]),
    }
    return EmbeddingTrace(**{**fields, **changes})


@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 99), st.text())
@settings(max_examples=30, deadline=None)
def test_a_trace_comes_back_from_disk_as_it_was(tmp_path_factory, points, steps, seed, text):
    trace = a_trace(points, steps, columns=1, seed=seed, labels=(text,) * points, title=text)
    assert EmbeddingTrace.load(trace.save(tmp_path_factory.mktemp("map") / "trace.npz")) == trace


def test_classes_are_named_in_order_of_appearance_so_that_colours_stay():
    assert a_trace().group_names() == ("b", "a", "c")
    assert a_trace(groups=("only",) * 5).group_names() == ("only",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"frames": np.zeros((3, 5, 3))}, r"\(frames, points, 2\)"),
        ({"frames": np.zeros((0, 5, 2)), "iterations": [], "kl": []}, "none empty"),
        ({"frames": np.full((3, 5, 2), math.nan)}, "finite"),
        ({"iterations": [0, 10, 10]}, "rises"),
        ({"iterations": [-1, 10, 20]}, "rises"),
        ({"kl": [1, math.inf, 1]}, "kl"),
        ({"labels": ("a",) * 4}, "labels has 4 points"),
        ({"groups": ("a",) * 6}, "groups has 6 points"),
        ({"perplexity": 0.0}, "perplexity"),
        ({"perplexity": math.nan}, "perplexity"),
        ({"neighbours_kept": 1.2}, "between 0 and 1"),
        ({"neighbours_kept": math.nan}, "between 0 and 1"),
        ({"neighbours": np.zeros((5, 0))}, "1 to 4 columns"),
        ({"neighbours": np.zeros((5, 5))}, "1 to 4 columns"),
        ({"neighbours": [[1, 2], [0, 2], [0, 1], [0, 1], [0, 5]]}, "from 0 to 4"),
        ({"neighbours": [[1, 2], [0, 1], [0, 1], [0, 1], [0, 1]]}, "never the point itself"),
        ({"neighbours": [[1, 1], [0, 2], [0, 1], [0, 1], [0, 1]]}, "once a row"),
    ],
)
def test_what_no_run_can_leave_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        a_trace(**changes)


OTHERS = {
    "others": np.zeros((2, 5, 2)),
    "other_kinds": ("data", "noise"),
    "other_perplexities": [1, 1.2],
    "other_kl": [0.5, 2],
    "other_kept": [0.25, 1],
    "other_trustworthiness": [1, -0.5],
}


def test_pictures_texts_and_other_runs_come_back_from_disk(tmp_path):
    pictures = np.arange(5 * 6, dtype=np.uint8).reshape(5, 2, 3)
    trace = a_trace(pictures=pictures, texts=("a b", "", "\n", "<b>", "é"), trustworthiness=0.9, **OTHERS)
    again = EmbeddingTrace.load(trace.save(tmp_path / "trace"))
    assert again == trace
    assert again.pictures.dtype == np.uint8 and again.pictures[4].tolist() == [[24, 25, 26], [27, 28, 29]]
    assert again.other_kinds == ("data", "noise")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pictures": np.zeros((4, 2, 3), np.uint8)}, "pictures has 4 points"),
        ({"pictures": np.zeros((5, 0, 3), np.uint8)}, "one pixel or more"),
        ({"texts": ("a",) * 4}, "texts has 4 points"),
        ({"trustworthiness": 1.1}, "at most 1"),
        ({"trustworthiness": math.nan}, "at most 1"),
        ({"others": np.zeros((2, 5, 2))}, "missing: other_kinds, other_perplexities, other_kl"),
        ({**OTHERS, "other_kl": None}, "missing: other_kl"),
        ({**OTHERS, "others": np.zeros((2, 4, 2))}, "others has 4 points"),
        ({**OTHERS, "other_kinds": ("data",)}, "other_kinds has 1 others"),
        ({**OTHERS, "other_kinds": ("data", "random")}, r"data, noise, permuted; got \['random'\]"),
        ({**OTHERS, "others": np.full((2, 5, 2), math.inf)}, "others holds finite"),
        ({**OTHERS, "other_perplexities": [0, 1]}, "other_perplexities are above 0"),
        ({**OTHERS, "other_kept": [0, 1.5]}, "other_kept"),
        ({**OTHERS, "other_trustworthiness": [0, 1.5]}, "other_trustworthiness"),
    ],
)
def test_what_no_comparison_can_leave_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        a_trace(**changes)


def test_classes_that_are_numbers_have_their_order():
    assert a_trace(groups=("10", "9", "0", "9", "2")).group_names() == ("0", "2", "9", "10")
    assert a_trace(groups=("10", "9", "b", "9", "2")).group_names() == ("10", "9", "b", "2")


def test_labels_are_strings():
    with pytest.raises(TypeError, match="labels"):
        a_trace(labels=(1, 2, 3, 4, 5))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"component_shares": None}, "missing: component_shares"),
        ({"components": np.ones((5, 2)), "component_shares": [0.5, 0.5]}, "3 columns"),
        ({"components_kept": [0.1]}, "2 values"),
        ({"components": np.full((5, 3), np.inf)}, "finite"),
        ({"component_shares": [0.5, 0.6, 1.1]}, "component_shares holds shares"),
        ({"components_kept": [0.5, np.nan]}, "components_kept holds shares"),
    ],
)
def test_what_no_components_can_be_is_refused(changes, message):
    told = {"components": np.ones((5, 3)), "component_shares": [0.5, 0.2, 0.1], "components_kept": [0.4, 0.5]}
    assert a_trace(**told).component_shares.tolist() == told["component_shares"]
    with pytest.raises(ValueError, match=message):
        a_trace(**{**told, **changes})
