import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.traces import BeamTrace

STRANGE = [
    "<s>",
    "",
    " ",
    "\n",
    "</s>",
    "<script>alert(1)</script>",
    "$x$",
    "▁the",
    "Ġthe",
    "🙂",
    "مرحبا",
    "\0",
]


def by_hand(**changes):
    """A beam of 2 where "a b" leads, and "b </s>" is returned. Nodes 2 and 3 are two tokens spelt alike.

    0 <s> ┬ 1 a 0.6 ┬ 4 a 0.3 pruned
          │         └ 5 b 0.5 ─ 7 a 0.4
          ├ 2 b 0.4 ─ 6 </s> 0.7 finished
          └ 3 b 0.01 pruned
    """
    probability = [1, 0.6, 0.4, 0.01, 0.3, 0.5, 0.7, 0.4]
    parent = [-1, 0, 0, 0, 1, 1, 2, 5]
    log_prob = np.log(probability)
    total = [0.0]
    for node in range(1, 8):
        total.append(total[parent[node]] + log_prob[node])
    step = [0, 1, 1, 1, 2, 2, 2, 3]
    fields = {
        "parent": parent,
        "step": step,
        "token_id": [-1, 1, 2, 3, 1, 2, 0, 1],
        "token": ("<s>", "a", "b", "b", "a", "b", "</s>", "a"),
        "log_prob": log_prob,
        "total": total,
        "score": np.array(total) / np.maximum(step, 1),
        "rank": [0, 0, 1, 2, 2, 0, 1, 0],
        "status": ("kept", "kept", "kept", "pruned", "pruned", "kept", "finished", "kept"),
        "best": 6,
        "beam_size": 2,
        "penalty": "log p / |y|",
    }
    return BeamTrace(**{**fields, **changes})


def search(rows, beam_size, tokens):
    """A beam search over a table, written for this test: candidates are sorted, never top-k'd."""
    nodes = [(-1, 0, -1, "<s>", 0.0, 0.0, 0, "kept")]
    beam = [0]
    for step, row in enumerate(rows, start=1):
        candidates = [(nodes[p][5] + lp, p, i, lp) for p in beam for i, lp in enumerate(row)]
        candidates.sort(key=lambda c: -c[0])
        beam = []
        for rank, (total, parent, token_id, log_prob) in enumerate(candidates):
            status = "kept" if rank < beam_size else "pruned"
            if status == "kept":
                beam.append(len(nodes))
            nodes.append((parent, step, token_id, tokens[token_id], log_prob, total, rank, status))
    parent, step, ids, text, log_prob, total, rank, status = zip(*nodes, strict=True)
    return BeamTrace(
        parent, step, ids, text, log_prob, total, total, rank, status, beam[0], beam_size, "log p"
    )


@st.composite
def traces(draw):
    vocabulary = draw(st.integers(1, 5))
    row = st.lists(st.floats(0.01, 1), min_size=vocabulary, max_size=vocabulary)
    rows = [np.log(np.array(r) / sum(r)) for r in draw(st.lists(row, min_size=1, max_size=4))]
    tokens = draw(st.lists(st.sampled_from(STRANGE), min_size=vocabulary, max_size=vocabulary))
    return search(rows, draw(st.integers(1, 4)), tokens)


def test_paths_of_the_tree_drawn_above():
    trace = by_hand()
    assert trace.path(6) == (0, 2, 6) and trace.path(0) == (0,)
    assert trace.children(1).tolist() == [5, 4] and trace.children(7).tolist() == []
    assert trace.nodes_at(2).tolist() == [5, 6, 4]
    assert trace.greedy_path() == (0, 1, 5, 7)
    assert len(trace) == 8 and trace.last_step == 3


def test_leaders_that_lost_are_found_but_not_what_came_after_the_best_had_ended():
    assert by_hand().overtaken() == (1, 5)
    assert by_hand(best=7).overtaken() == ()


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ((2, 0), (0, 2, 6)),  # found: node 3 is spelt like node 2, but is another token
        ((3, 0), (0, 3)),  # pruned at once
        ((1, 1, 1), (0, 1, 4)),
        ((1, 2, 1, 0), (0, 1, 5, 7)),  # still open at the end
        ((9,), (0,)),  # never scored
        ((), (0,)),
    ],
)
def test_a_reference_is_followed_by_ids(reference, path):
    trace = by_hand(reference=np.array(reference, int), reference_token=("b",) * len(reference))
    assert trace.reference_path() == path
    assert by_hand().reference_path() == (0,)


@given(traces())
@settings(max_examples=60, deadline=None)
def test_any_search_is_accepted_and_adds_up(trace):
    for node in range(len(trace)):
        path = trace.path(node)
        assert path[0] == 0 and path[-1] == node and len(path) == trace.step[node] + 1
        assert math.isclose(sum(trace.log_prob[list(path)]), trace.total[node], abs_tol=1e-9)
        assert all(trace.parent[child] == node for child in trace.children(node))
    assert not set(trace.overtaken()) & set(trace.path(trace.best))
    if trace.beam_size == 1:
        assert trace.greedy_path() == trace.path(trace.best)


@given(traces())
@settings(max_examples=20, deadline=None)
def test_a_trace_comes_back_from_disk_as_it_was(tmp_path_factory, trace):
    assert BeamTrace.load(trace.save(tmp_path_factory.mktemp("beam") / "trace.npz")) == trace


def test_equal_texts_stay_different_nodes():
    trace = by_hand()
    assert trace.token[2] == trace.token[3] and trace.path(2) != trace.path(3)


def changed(name, node, value):
    values = list(getattr(by_hand(), name))
    values[node] = value
    return {name: values}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (changed("parent", 0, 0), "root"),
        (changed("parent", 3, -1), "root"),
        (changed("parent", 0, -2), "root"),
        (changed("step", 0, 1), "root"),
        (changed("total", 0, -1.0), "root"),
        (changed("parent", 4, 5), "lower number"),
        (changed("step", 7, 2), "parent's step"),
        (changed("total", 5, by_hand().total[5] + 2e-4), "parent's total"),
        (changed("log_prob", 3, 0.5), "at most 0"),
        (changed("log_prob", 3, -math.inf), "finite"),
        (changed("score", 3, math.nan), "finite"),
        (changed("rank", 3, -1), "0 or more"),
        (changed("rank", 3, 1), "rank is given twice at step 1"),
        ({"rank": [0, 1, 0, 2, 2, 0, 1, 0]}, "rank does not follow total at step 1"),
        (changed("status", 3, "dropped"), "'dropped'"),
        (changed("status", 5, "pruned"), "not expanded"),
        (changed("status", 5, "finished"), "not expanded"),
        (changed("status", 3, "kept"), "step 1 keeps 3 nodes"),
        ({"beam_size": 0}, "beam_size"),
        ({"temperature": 0.0}, "temperature is above 0"),
        ({"reference": [1]}, "belong together"),
        ({"reference_token": ("a",)}, "belong together"),
        ({"reference": [1], "reference_token": ("a", "b")}, "has 2 written"),
        ({"best": 4}, "best"),
        ({"best": 8}, "best"),
        ({"best": -1}, "best"),
        ({"token": ("<s>", "a")}, "token has 2 nodes"),
        ({"status": ("kept",)}, "status has 1 nodes"),
    ],
)
def test_what_no_search_can_leave_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        by_hand(**changes)


def test_rounding_of_float32_sums_is_forgiven():
    by_hand(total=by_hand().total.astype(np.float32))


@pytest.mark.parametrize(
    "changes", [changed("step", 7, 2.5), changed("token", 1, b"a"), {"token": "abcdefgh"}]
)
def test_a_field_of_another_kind_is_refused(changes):
    with pytest.raises(TypeError, match=next(iter(changes))):
        by_hand(**changes)


def test_a_trace_cannot_be_changed():
    trace = by_hand()
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.best = 1
    with pytest.raises(ValueError, match="read-only"):
        trace.parent[1] = 5


def test_a_search_that_never_took_a_step_is_its_root():
    root = BeamTrace([-1], [0], [-1], ("<s>",), [0.0], [0.0], [0.0], [0], ("kept",), 0, 3, "log p")
    assert root.path(root.best) == root.greedy_path() == (0,) and root.last_step == 0
