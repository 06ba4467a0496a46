"""The rate is the paper's, and the rules are what reaches the training."""

import math

import pytest
import torch

from course_experiments.protocol import PAUSED, Budget
from course_experiments.translation import warm_up as module
from course_experiments.translation.warm_up import RULES, Ordered, Rules, held_out, rate, run, try_rules
from course_experiments.translation.word_ordering import Task
from course_lib.data.special import END, SPECIAL
from course_lib.seq2seq import Transformer

WORDS = [[3, 4, 5], [6, 4, 3], [5, 6, 3], [4, 6, 5]]
TASK = Task((*SPECIAL, "a", "b", "c", "d"), WORDS * 50, WORDS, WORDS)


def test_the_rate_is_that_of_the_paper_at_its_own_sizes():
    """d = 512, 4,000 steps of warm-up: a straight line up to 7.0e-4; half of it at four times the step."""
    at = {step: rate(step, size=512, warmup=4000) for step in (1, 1000, 4000, 16_000)}
    assert at[4000] == pytest.approx(1 / math.sqrt(512 * 4000)) == pytest.approx(6.99e-4, abs=1e-6)
    assert at[1] == pytest.approx(at[4000] / 4000) and at[1000] == pytest.approx(at[4000] / 4)
    assert at[16_000] == pytest.approx(at[4000] / 2)


def test_without_warm_up_it_begins_at_the_top_and_falls_as_the_other():
    assert rate(1, climbs=False, warmup=50) == rate(50, climbs=False, warmup=50) == rate(50, warmup=50)
    assert all(rate(step, climbs=False, warmup=50) == rate(step, warmup=50) for step in (50, 51, 400))


def test_rate_norm_and_smoothing_reach_the_training(monkeypatch):
    rates, losses, built = [], [], []

    def watched_rate(step, climbs):
        rates.append((step, climbs))
        return 1e-3

    def watched_loss(model, batch, smoothing=0.0):
        losses.append(smoothing)
        built.append(model.config["norm"])
        return torch.nn.functional.cross_entropy(model.bias[None], torch.tensor([4])), 1

    monkeypatch.setattr(module, "load_task", lambda: TASK)
    monkeypatch.setattr(module, "rate", watched_rate)
    monkeypatch.setattr(module, "next_token_loss", watched_loss)
    try_rules(Rules("post", False, 0.25), seed=0, steps=2)
    assert rates == [(1, False), (2, False), (3, False)] and losses == [0.25, 0.25] and set(built) == {"post"}


def test_a_sentence_counts_when_every_word_and_the_end_stand_right(monkeypatch):
    torch.manual_seed(0)
    model = Transformer(len(TASK.vocabulary), 16, 2, 1, 32).eval()
    assert held_out(model, TASK).sentences == 0
    true = iter([[*sentence, END] for sentence in WORDS])

    def writes(step, state, first, end, limit):
        return [type("Found", (), {"tokens": tuple(next(true))}) for _ in first]

    monkeypatch.setattr(module, "greedy_search", writes)
    assert held_out(model, TASK).sentences == 100


@pytest.mark.usefixtures("unchecked")
def test_all_rules_are_tried_with_all_seeds_and_none_twice(monkeypatch, tmp_path):
    tried = []

    def pretend(rules, seed):
        tried.append((rules, seed))
        return Ordered(float(seed), float(rules.climbs))

    monkeypatch.setattr(module, "try_rules", pretend)
    assert run(Budget(tmp_path, minutes=0.0)) == PAUSED and not tried
    first, again = run(Budget(tmp_path)), run(Budget(tmp_path))
    assert tried == [(rules, seed) for rules in RULES.values() for seed in range(3)]
    found = {result.id: (result.value, result.spread) for result in first.measurements}
    assert len(found) == 2 * len(RULES) and again == first
    assert found["warm-up-cold-nats"] == (1.0, 1.0) and found["warm-up-paper-sentences"] == (1.0, 0.0)
