"""What the attention trace accepts, refuses and keeps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.traces import AttentionTrace, BeamTrace

TWO = np.array([[0.25, 0.75], [1.0, 0.0]])[None, None]


def make(weights=TWO, queries=("x", "y"), keys=("a", "b"), **others):
    return AttentionTrace(weights, queries, keys, **others)


@settings(deadline=None)  # the machine may be busy
@given(
    queries=st.lists(st.text(), min_size=1, max_size=4),
    keys=st.lists(st.text(st.characters()), min_size=1, max_size=4),
    title=st.text(),
)
def test_every_string_survives_saving(tmp_path_factory, queries, keys, title):
    weights = np.full((2, 1, len(queries), len(keys)), 1 / len(keys))
    trace = AttentionTrace(weights, queries, keys, title=title, layer_names=("one", "two"))
    loaded = AttentionTrace.load(trace.save(tmp_path_factory.mktemp("trace") / "run"))
    assert loaded == trace
    assert loaded.queries == tuple(queries)
    assert loaded.keys == tuple(keys)


def test_every_field_survives_saving(tmp_path):
    weights = TWO.copy()
    weights[0, 0, 1] = np.nan
    trace = make(
        weights,
        keep=[[True, True], [True, False]],
        head_names=("h",),
        candidates=(("\x00", "\ud83d"), ("", "\n")),
        candidate_probabilities=[[0.5, 0.25], [0.5, 0.125]],
        read_as=(("Anna", "Tom"),),
    )
    loaded = AttentionTrace.load(trace.save(tmp_path / "run.npz"))
    assert loaded == trace
    assert loaded.read_as == (("Anna", "Tom"),)
    assert loaded.candidates == (("\x00", "\ud83d"), ("", "\n"))
    np.testing.assert_array_equal(loaded.weights, weights.astype(np.float32))
    assert loaded.keep.dtype == bool


def test_traces_with_another_number_differ():
    assert make() == make()
    assert make() != make(TWO[..., ::-1])
    assert make() != make(keep=np.ones((2, 2), bool))


def test_another_kind_of_trace_is_not_loaded(tmp_path):
    path = make().save(tmp_path / "run")
    with pytest.raises(ValueError, match=r"must hold BeamTrace, but .* holds AttentionTrace"):
        BeamTrace.load(path)


def test_a_trace_cannot_be_changed():
    mine = TWO.copy()
    trace = make(mine)
    mine[:] = 0
    assert trace.weights[0, 0, 0, 1] == 0.75
    with pytest.raises(ValueError, match="read-only"):
        trace.weights[0] = 0
    with pytest.raises(AttributeError):
        trace.title = "other"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"weights": TWO[0]}, r"weights must have the axes \(layers, heads, queries, keys\)"),
        ({"weights": TWO[..., :0]}, "no empty axis|keys has 2 keys"),
        ({"weights": TWO * 2}, "0 to 1, got 0 to 2"),
        ({"weights": -TWO}, "0 to 1, got -1"),
        ({"weights": [[[[0.7, 0.7], [0, 1]]]]}, "at most 1 over the keys, .*query 0 sums to 1.4"),
        ({"weights": TWO.swapaxes(2, 3)}, "query 0 sums to 1.25|0 to 1"),
        ({"keep": [[True, True], [False, True]]}, "0 where keep is False"),
        ({"queries": ("x",)}, "queries has 1 queries, but weights has 2"),
        ({"keys": ("a", "b", "c")}, "keys has 3 keys, but weights has 2"),
        ({"head_names": ("a", "b")}, "head_names has 2 heads, but weights has 1"),
        ({"candidates": (("a",), ("b",))}, "given together"),
        ({"candidates": (("a",), ("b", "c"))}, "equally long"),
    ],
)
def test_refused_values(wrong, message):
    with pytest.raises(ValueError, match=message):
        make(**wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"queries": ("x", 1)}, "queries must hold strings, got int 1"),
        ({"queries": "xy"}, "queries must be a tuple of str"),
        ({"weights": TWO.astype(str)}, "weights must hold float32 values"),
        ({"keep": [[1, 1], [1, 1]]}, "keep must hold bool values, got int64"),
    ],
)
def test_refused_types(wrong, message):
    with pytest.raises(TypeError, match=message):
        make(**wrong)


def test_a_row_may_sum_to_less_than_one_as_local_attention_leaves_it():
    assert make(TWO / 2).weights.sum() == TWO.sum() / 2


def test_rows_without_weight_and_nan_are_accepted():
    trace = make([[[[0, 0], [np.nan, 0.5]]]], keep=[[False, False], [True, True]])
    assert np.isnan(trace.weights[0, 0, 1, 0])


def test_half_precision_is_accepted():
    scores = np.random.default_rng(0).normal(size=(1, 2, 8, 300)).astype(np.float16)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    assert weights.dtype == np.float16
    assert AttentionTrace(weights, list("abcdefgh"), [str(i) for i in range(300)])


def test_ragged_steps_are_padded_with_masked_keys():
    steps = [np.array([1.0]), np.array([0.25, 0.75]), np.array([0.5, 0.25, 0.25])]
    trace = AttentionTrace.from_steps(steps, tuple("xyz"), tuple("abc"))
    np.testing.assert_array_equal(trace.keep, np.tril(np.ones((3, 3), bool)))
    np.testing.assert_allclose(trace.weights[0, 0], [[1, 0, 0], [0.25, 0.75, 0], [0.5, 0.25, 0.25]])
    heads = [np.broadcast_to(step, (2, 4, step.size)) for step in steps]
    assert AttentionTrace.from_steps(heads, tuple("xyz"), tuple("abc")).weights.shape == (2, 4, 3, 3)


def test_ragged_steps_longer_than_the_keys_are_refused():
    with pytest.raises(ValueError, match="at most 1 keys"):
        AttentionTrace.from_steps([np.array([0.5, 0.5])], ("x",), ("a",))


def test_names_are_counted_from_one():
    trace = make(layer_names=("encoder",))
    assert trace.name_of_layer(0) == "encoder"
    assert trace.name_of_head(0) == "Head 1"


def test_one_map_of_many_keeps_its_words_and_says_where_it_was():
    weights = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 3, 2)).astype(np.float32)
    keep = np.ones((2, 3), bool)
    trace = AttentionTrace(
        weights, tuple("xy"), tuple("abc"), keep=keep, layer_names=("low", "high"), title="T"
    )
    one = trace.only(1, 2)
    np.testing.assert_array_equal(one.weights, weights[1:, 2:])
    assert one.head_names == ("high · Head 3",)
    assert (one.queries, one.keys, one.title) == (trace.queries, trace.keys, "T")
    assert one.only().head_names == ("high · Head 3",)
    with pytest.raises(ValueError, match="head must lie in 0 to 2, got 3"):
        trace.only(0, 3)
    with pytest.raises(ValueError, match="layer must lie in 0 to 1, got -1"):
        trace.only(-1)


def test_layers_and_heads_of_a_model_are_numbered_and_one_attention_bears_its_name():
    one = AttentionTrace.of_model(np.eye(2), ["x", "y"], ["a", "b"], "cho", title="of one")
    assert (one.weights.shape, one.layer_names, one.head_names) == ((1, 1, 2, 2), None, ("cho",))
    assert (one.title, one.queries, one.keys) == ("of one", ("x", "y"), ("a", "b"))
    many = AttentionTrace.of_model(np.full((2, 3, 2, 2), 0.5), ["x", "y"], ["a", "b"], "deep")
    assert many.layer_names == ("layer 1", "layer 2")
    assert many.head_names == ("head 1", "head 2", "head 3")


def test_several_looks_become_the_heads_of_one_layer():
    sharp, even = np.eye(2, 3), np.full((2, 3), 1 / 3)
    trace = AttentionTrace.side_by_side(
        {"sharp": sharp, "even": even}, ["x", "y"], ["a", "b", "c"], title="two"
    )
    np.testing.assert_allclose(trace.weights, np.stack([sharp, even])[None], rtol=1e-6)
    assert (trace.head_names, trace.queries, trace.keys) == (("sharp", "even"), ("x", "y"), ("a", "b", "c"))
    assert trace.title == "two"
    with pytest.raises(ValueError, match=r"one shape, and one or more; got \{'sharp': \(2, 3\), 'tall'"):
        AttentionTrace.side_by_side({"sharp": sharp, "tall": sharp.T}, ["x", "y"], ["a", "b", "c"])
    with pytest.raises(ValueError, match=r"one or more; got \{\}"):
        AttentionTrace.side_by_side({}, ["x"], ["a"])


def test_half_a_character_in_a_title_or_a_name_is_shown_by_its_number():
    """No file can hold a lone surrogate; of a token it is kept, because tokens are shown sign by sign."""
    trace = make(title="cut \ud83d", head_names=("\udc00",), queries=("\ud83d", "y"))
    assert (trace.title, trace.head_names) == ("cut ⟨U+D83D⟩", ("⟨U+DC00⟩",))
    assert trace.queries == ("\ud83d", "y")
