"""Prefix search must find what summing all paths of every labelling finds."""

from collections import defaultdict
from itertools import product

import numpy as np
import pytest
import torch

from course_lib.decoding.ctc_search import best_path, prefix_search
from course_lib.seq2seq.ctc import collapse

CLASSES = 3


def all_labellings(log_probs: torch.Tensor) -> dict[tuple[int, ...], float]:
    """The probability of every labelling, by trying all paths."""
    sums: dict[tuple[int, ...], float] = defaultdict(float)
    for path in product(range(log_probs.shape[1]), repeat=len(log_probs)):
        sums[tuple(collapse(path))] += log_probs[range(len(path)), path].sum().exp().item()
    return sums


def drawn(seed: int, time: int = 5) -> torch.Tensor:
    logits = torch.randn(time, CLASSES, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    return logits.log_softmax(1)


def test_the_best_path_is_not_the_best_labelling() -> None:
    log_probs = torch.tensor([[0.6, 0.4], [0.6, 0.4]], dtype=torch.float64).log()
    assert best_path(log_probs) == ()
    best, second = prefix_search(log_probs, beam_size=2)
    assert best.labels == (1,) and np.exp(best.log_prob) == pytest.approx(0.64)
    assert second.labels == () and np.exp(second.log_prob) == pytest.approx(0.36)


@pytest.mark.parametrize("seed", range(4))
def test_with_room_for_all_it_finds_every_labelling_and_its_probability(seed: int) -> None:
    log_probs = drawn(seed)
    found = {one.labels: np.exp(one.log_prob) for one in prefix_search(log_probs, beam_size=1000)}
    assert found == pytest.approx(all_labellings(log_probs))


def next_label(prefix: tuple[int, ...]) -> np.ndarray:
    """A small language model: the other label is likelier than the same."""
    return np.log([0.5, *([0.1, 0.4] if prefix[-1:] == (1,) else [0.3, 0.2])])


def test_a_language_model_weighs_and_a_bonus_counts_each_label() -> None:
    log_probs, weight, bonus = drawn(9), 0.7, 0.2
    scores = {}
    for labels, probability in all_labellings(log_probs).items():
        language = sum(next_label(labels[:i])[label] for i, label in enumerate(labels))
        scores[labels] = np.log(probability) + weight * language + bonus * len(labels)
    found = prefix_search(log_probs, 1000, next_label, weight, bonus)
    assert {one.labels: one.score for one in found} == pytest.approx(scores)
    assert [one.score for one in found] == pytest.approx(sorted(scores.values(), reverse=True))


def test_a_narrow_beam_keeps_no_more_than_its_size() -> None:
    found = prefix_search(drawn(1), beam_size=3)
    assert len(found) == 3
    exact = all_labellings(drawn(1))
    assert all(np.exp(one.log_prob) <= exact[one.labels] + 1e-12 for one in found)


def test_it_ends_where_all_labels_are_alike() -> None:
    flat = torch.full((40, 4), 0.25).log()
    assert len(prefix_search(flat, beam_size=5)) == 5


def test_unlikely_labels_extend_nothing() -> None:
    log_probs = torch.tensor([[0.5, 0.45, 0.05], [0.5, 0.45, 0.05]], dtype=torch.float64).log()
    found = {one.labels for one in prefix_search(log_probs, 100, least=0.1)}
    assert found == {(), (1,)}  # two equal labels would need a blank between them


def test_a_certain_network_is_believed() -> None:
    path = torch.tensor([1, 1, 0, 1, 2])
    log_probs = torch.full((5, 3), -torch.inf).scatter(1, path[:, None], 0.0)
    best = prefix_search(log_probs, beam_size=4)[0]
    assert best.labels == (1, 1, 2) == best_path(log_probs) and best.log_prob == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"beam_size": 0}, "beam_size is 0; allowed is 1 or more"),
        ({"beam_size": 2, "weight": 0.5}, "weight is 0.5; allowed is 0 or more, and 0 without"),
        ({"beam_size": 2, "least": 1.0}, "least is 1.0; allowed is 0 or more, below 1"),
    ],
)
def test_what_is_not_allowed_is_named(arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        prefix_search(drawn(0), **arguments)
