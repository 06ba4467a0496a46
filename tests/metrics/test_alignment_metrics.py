import numpy as np
import pytest

from course_lib.metrics.alignment import (
    LinkCounts,
    bootstrap_error_rates,
    interval,
    score_alignment,
    strongest_links,
)


def test_error_rate_worked_by_hand():
    # |A| = 3, |S| = 2; one found link is sure, two are possible: AER = 1 - (1 + 2) / (3 + 2)
    score = score_alignment({(0, 0), (1, 2), (2, 2)}, sure={(0, 0), (1, 1)}, possible={(1, 2)})
    assert score.error_rate == pytest.approx(0.4)
    assert score.precision == pytest.approx(2 / 3)
    assert score.recall == pytest.approx(1 / 2)


def test_sure_links_alone_are_no_error_and_strangers_are_all_error():
    assert score_alignment({(0, 0)}, {(0, 0)}, set()).error_rate == 0
    assert score_alignment({(0, 1)}, {(0, 0)}, set()).error_rate == 1


def test_a_possible_link_beside_the_sure_ones_costs_nothing():
    assert score_alignment({(0, 0), (1, 1)}, {(0, 0)}, {(1, 1)}).error_rate == 0


def test_each_target_word_gets_its_strongest_source_word():
    assert strongest_links(np.array([[0.2, 0.8], [0.5, 0.5], [0.7, 0.3]])) == {(0, 1), (1, 0), (2, 0)}


def test_wrong_input_is_named():
    with pytest.raises(ValueError, match="found is empty"):
        score_alignment(set(), {(0, 0)}, set())
    with pytest.raises(ValueError, match="sure is empty"):
        score_alignment({(0, 0)}, set(), {(0, 0)})
    with pytest.raises(ValueError, match=r"weights has shape \(2, 0\)"):
        strongest_links(np.zeros((2, 0)))


def test_links_of_several_sentences_are_counted_together():
    first = LinkCounts.of({(0, 0), (1, 2), (2, 2)}, {(0, 0), (1, 1)}, {(1, 2)})  # 0.4 alone, see above
    second = LinkCounts.of({(0, 0)}, {(0, 0)}, set())  # 0 alone
    assert first == (1, 2, 3, 2)
    # 1 - (1 + 1 + 2 + 1) / (3 + 1 + 2 + 1): longer sentences weigh more than in a mean of rates.
    assert LinkCounts.total([first, second]).score.error_rate == pytest.approx(2 / 7)
    with pytest.raises(ValueError, match="found is empty"):
        _ = LinkCounts.total([]).score


def test_the_bootstrap_spreads_as_statistics_says():
    # Sentences of one link, right with chance 0.7: AER of n of them has the spread sqrt(0.3 * 0.7 / n).
    right, wrong = LinkCounts(1, 1, 1, 1), LinkCounts(0, 0, 1, 1)
    rates = bootstrap_error_rates([right] * 70 + [wrong] * 30, draws=4000)
    assert rates.mean() == pytest.approx(0.3, abs=0.005)
    assert rates.std() == pytest.approx((0.3 * 0.7 / 100) ** 0.5, rel=0.06)
    low, high = interval(rates)
    assert np.mean((rates >= low) & (rates <= high)) >= 0.95 > np.mean((rates > low) & (rates < high))


def test_two_systems_are_drawn_alike():
    counts = [LinkCounts(i % 2, i % 2, 1, 1) for i in range(9)]
    np.testing.assert_array_equal(bootstrap_error_rates(counts, 5), bootstrap_error_rates(counts, 5))
    assert np.isnan(bootstrap_error_rates([LinkCounts(0, 0, 0, 0)], 3)).all()
    with pytest.raises(ValueError, match="counts is empty"):
        bootstrap_error_rates([])
