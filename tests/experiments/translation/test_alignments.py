from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import entropy

from course_experiments.results import result
from course_experiments.translation.alignments import (
    alignment_results,
    attention_links,
    baseline_links,
    by_class,
    chosen_head_links,
    count,
    diagonal_links,
    gold_mass,
    head_counts,
    mean_links,
    row_bits,
    train_ibm_model1,
    word_attention,
)
from course_lib.applications.translator import load_translator
from course_lib.data.alignment_gold import CLASSES, AlignedPair, load_alignment_gold
from course_lib.metrics.alignment import LinkCounts
from course_lib.traces import AttentionTrace

PAIR = AlignedPair(
    number=0,
    source="a b",
    target="A B",
    source_words=("a", "b"),
    target_words=("A", "B"),
    classes=("noun", "verb"),
    sure=frozenset({(0, 0), (1, 1)}),
    possible=frozenset({(1, 0)}),
)


def looking(*places, end=2):
    """Weights whose word number i looks at `places[i]`; `end` is "</s>"."""
    return np.eye(end + 1)[list(places)]


@pytest.mark.usefixtures("unchecked")
def test_a_word_is_predicted_by_its_own_step_and_consumed_by_the_next_one():
    weights = np.random.default_rng(0).dirichlet(np.ones(4), size=(1, 1, 4)).astype(np.float32)
    trace = AttentionTrace(weights, ("▁A", "B", "▁C", "</s>"), ("▁a", "▁b", "b", "</s>"))
    translator = SimpleNamespace(attention_trace=lambda source, target: trace)
    looks = word_attention(translator, PAIR)
    rows = np.stack([weights[0, 0, :, 0], weights[0, 0, :, 1] + weights[0, 0, :, 2], weights[0, 0, :, 3]], 1)
    np.testing.assert_allclose(looks.predicted[0, 0], [(rows[0] + rows[1]) / 2, rows[2]], rtol=1e-6)
    np.testing.assert_allclose(looks.consumed[0, 0], [(rows[1] + rows[2]) / 2, rows[3]], rtol=1e-6)


def test_a_word_that_looks_at_the_end_mark_has_no_link():
    assert attention_links(looking(1, 2, 0)) == {(0, 1), (2, 0)}


def test_the_diagonal():
    assert diagonal_links(3, 3) == {(0, 0), (1, 1), (2, 2)}
    assert diagonal_links(4, 2) == {(0, 0), (1, 0), (2, 1), (3, 1)}
    assert diagonal_links(2, 4) == {(0, 1), (1, 3)}


def test_counts_of_the_classes_add_up_to_those_of_all_words():
    pairs = load_alignment_gold()
    found = [diagonal_links(len(pair.target_words), len(pair.source_words)) for pair in pairs]
    parts = [LinkCounts.total(count(found, pairs, word_class)) for word_class in CLASSES.values()]
    assert LinkCounts.total(parts) == LinkCounts.total(count(found, pairs))
    assert count([{(0, 0), (1, 0)}], [PAIR], "verb") == [LinkCounts(0, 1, 1, 1)]


def test_a_head_is_never_measured_on_the_sentences_that_chose_it():
    right, wrong = looking(0, 1), looking(1, 2)
    # Head 0 is right on the 1st, 3rd, … sentence, head 1 on the others: each is chosen where it is wrong.
    turns = [np.stack([right, wrong] if i % 2 == 0 else [wrong, right])[None] for i in range(6)]
    links, chosen = chosen_head_links(turns, [PAIR] * 6)
    assert chosen == ((0, 1), (0, 0)) and links == [attention_links(wrong)] * 6
    steady = [np.stack([wrong, right])[None]] * 6
    links, chosen = chosen_head_links(steady, [PAIR] * 6)
    assert chosen == ((0, 1), (0, 1)) and links == [attention_links(right)] * 6
    rates = {
        head: LinkCounts.total(c).score.error_rate for head, c in head_counts(steady, [PAIR] * 6).items()
    }
    assert rates == {(0, 0): 1.0, (0, 1): 0.0}


def test_the_mean_is_over_layers_and_heads():
    maps = np.array([[[[0.6, 0.4, 0.0]], [[0.0, 0.5, 0.5]]], [[[0.6, 0.4, 0.0]], [[0.1, 0.5, 0.4]]]])
    assert mean_links([maps]) == [{(0, 1)}]  # no head's favourite in layer 1, head 1


def test_entropy_and_mass():
    rows = np.random.default_rng(0).dirichlet(np.ones(3), size=2)
    np.testing.assert_allclose(row_bits(rows), [entropy(row, base=2) for row in rows])
    np.testing.assert_allclose(row_bits(looking(1, 2)), 0)
    np.testing.assert_allclose(gold_mass(np.array([[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]]), PAIR), [0.2, 0.7])
    values = by_class([np.array([1.0, 2.0]), np.array([3.0, 4.0])], [PAIR, PAIR])
    assert {name: found.tolist() for name, found in values.items()} == {"noun": [1, 3], "verb": [2, 4]}


def test_counting_words_beats_the_diagonal():
    pairs = load_alignment_gold()
    rates = {
        name: LinkCounts.total(count(links, pairs)).score.error_rate
        for name, links in baseline_links(pairs, train_ibm_model1(6000)).items()
    }
    assert rates["IBM model 1"] < rates["diagonal"] - 0.05


def test_results_are_named_and_in_range():
    results = alignment_results(["luong_general", "transformer"], training_pairs=500)
    assert len({entry.id for entry in results}) == len(results)
    for entry in results:
        assert entry.value >= 0 and ("-bits" in entry.id or entry.value <= 1)
    found = {entry.id: entry.value for entry in results}
    assert (
        found["alignment-diagonal-aer-low"]
        < found["alignment-diagonal-aer"]
        < found["alignment-diagonal-aer-high"]
    )
    assert "alignment-transformer-aer-chosen-head" in found and "alignment-bahdanau-aer" not in found
    # The register holds what the shipped translator does today.
    assert found["alignment-luong-general-aer"] == pytest.approx(
        result("alignment-luong-general-aer").value, abs=0.01
    )


def test_attention_knows_more_than_the_diagonal():
    pairs, translator = load_alignment_gold()[:12], load_translator("luong_general")
    maps = [word_attention(translator, pair).predicted for pair in pairs]
    scores = LinkCounts.total(count(mean_links(maps), pairs)).score
    baseline = count([diagonal_links(len(p.target_words), len(p.source_words)) for p in pairs], pairs)
    assert scores.error_rate < LinkCounts.total(baseline).score.error_rate
