"""Networks trained side by side learn as if alone; the measures against counts by hand."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from course_experiments.memory import babi
from course_experiments.memory.babi import CLIP, Plan, SideBySide, choose, chosen, groups, judge, train
from course_experiments.protocol import PAUSED, Budget
from course_lib.applications.story_reader import babi_stories
from course_lib.data.babi import StoryQuestion
from course_lib.memory.end_to_end import MemoryNetwork

FEW = babi_stories(babi.tasks([1], "train")[:40], babi.words([1]))
WORDS = len(babi.words([1]))


def networks(count=2, **settings):
    made = []
    for seed in range(count):
        torch.manual_seed(seed)
        made.append(MemoryNetwork(WORDS, 6, **settings))
    return made


@pytest.mark.parametrize("tying", ["adjacent", "layer-wise"])
def test_side_by_side_each_says_and_learns_what_it_would_alone(tying):
    alone = networks(tying=tying)
    together = SideBySide(networks(tying=tying))
    for _ in range(3):
        logits, looked = together(FEW, True)
        for i, network in enumerate(alone):
            expected, weights = network(FEW.sentences, FEW.questions)
            torch.testing.assert_close(logits[i], expected)
            torch.testing.assert_close(looked[i], weights)
            network.zero_grad()
            functional.cross_entropy(expected, FEW.answers, reduction="sum").backward()
            for weight in network.parameters():
                nn.utils.clip_grad_norm_([weight], CLIP)  # each matrix by itself
                weight.data -= 0.01 * weight.grad
        targets = FEW.answers.repeat(2)
        functional.cross_entropy(logits.flatten(0, 1), targets, reduction="sum").backward()
        together.descend(0.01)
    for i, network in enumerate(alone):
        for own, other in zip(together.network(i).parameters(), network.parameters(), strict=True):
            torch.testing.assert_close(own, other, rtol=1e-4, atol=1e-5)


def test_a_large_gradient_is_clipped_for_each_matrix_of_each_network():
    together = SideBySide(networks())
    before = [weight.detach().clone() for weight in together.weights]
    for weight in together.weights:
        weight.grad = torch.ones_like(weight)
        weight.grad[1] *= 1000
    together.descend(1.0)
    for old, new in zip(before, together.weights, strict=True):
        new = new.detach()
        assert (old[0] - new[0]).norm() == pytest.approx(min(CLIP, old[0].numel() ** 0.5), rel=1e-4)
        assert (old[1] - new[1]).norm() == pytest.approx(CLIP, rel=1e-4)


def test_batches_hold_every_story_once_and_are_no_wider_than_needed():
    places = list(groups(FEW))
    assert sorted(torch.cat(places).tolist()) == list(range(40))
    for few in places:
        batch = chosen(FEW, few)
        longest = int((FEW.sentences[few] != 0).any(dim=-1).sum(dim=1).max())
        assert batch.sentences.shape[1] == longest
        assert torch.equal(batch.sentences, FEW.sentences[few, :longest])
        assert torch.equal(batch.answers, FEW.answers[few])


def test_the_plan_is_the_papers():
    plan = Plan()
    assert [plan.stage(number) for number in (0, 19)] == [(0.005, False)] * 2
    assert [plan.stage(number) for number in (20, 44, 45, 119)] == [
        (0.01, True),
        (0.01, True),
        (0.005, True),
        (0.00125, True),
    ]
    assert Plan(linear=0, softmax=False).stage(0) == (0.01, False)


def test_a_training_that_paused_ends_like_one_that_did_not(tmp_path):
    plan = Plan(size=6, starts=2, linear=5, passes=15)
    whole = train(FEW, WORDS, plan, tmp_path / "whole.pt", lambda: False)
    assert train(FEW, WORDS, plan, tmp_path / "halves.pt", lambda: True) is None
    halves = train(FEW, WORDS, plan, tmp_path / "halves.pt", lambda: True)
    for one, other in zip(whole.together.weights, halves.together.weights, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_the_choice_is_by_training_error_and_then_by_loss(monkeypatch):
    together = SideBySide(networks(3))
    wrong = torch.tensor([[True, True, False, False], [False, True, False, False], [True] + [False] * 3])
    monkeypatch.setattr(babi, "judge", lambda *_: (wrong, torch.tensor([0.1, 0.3, 0.2])))
    best = choose(together, FEW)
    assert (best.start, best.training_error) == (2, 25)


def test_judging_counts_wrong_answers():
    together = SideBySide(networks())
    wrong, losses = judge(together, FEW)
    for i in range(2):
        logits, _ = together.network(i)(FEW.sentences, FEW.questions)
        assert torch.equal(wrong[i], logits.argmax(dim=1) != FEW.answers)
        torch.testing.assert_close(losses[i], functional.cross_entropy(logits, FEW.answers))


def test_support_is_found_by_the_sentence_looked_at_most(monkeypatch):
    questions = [
        StoryQuestion(("Bob sat.", "Bob left.", "Bob sat."), "Who sat?", "Bob", (0, 1)),
        StoryQuestion(("Bob left.", "Bob sat."), "Who sat?", "Bob", (1,)),
    ]
    network = networks(1, hops=2)[0]
    looked = torch.tensor([[[0, 0, 1.0], [0, 1.0, 0]], [[0, 1.0, 0], [0.6, 0.4, 0]]])  # the newest first
    monkeypatch.setattr(network, "forward", lambda *_: (None, looked))
    vocabulary = ["<pad>", "<s>", "</s>", ".", "?", "bob", "left", "sat", "who"]
    # First: oldest, then the middle one: both support. Second: the oldest does not, the newest does.
    assert babi.support_found(network, questions, vocabulary) == ([50, 100], 100)


def test_rows_say_what_is_published():
    errors = {task: 10.0 if task == 3 else 1.0 for task in babi.TASKS}
    for kind, third, mean in (("single", 64.2, 20.3), ("joint", 21.9, 12.4)):
        found = {row.id: row for row in babi.rows(kind, "tried", errors)}
        assert found[f"babi-{kind}-03"].published == third
        assert found[f"babi-{kind}-mean"].value == pytest.approx((19 + 10) / 20)
        assert found[f"babi-{kind}-failed"].value == 1
        published = [found[f"babi-{kind}-{task:02}"].published for task in babi.TASKS]
        assert sum(published) / 20 == pytest.approx(mean, abs=0.06)  # the papers' own means


def test_experiments_run_pause_and_go_on(tmp_path, monkeypatch):
    monkeypatch.setattr(babi, "TASKS", [1])
    few = babi.tasks([1], "train")[:60]
    monkeypatch.setattr(babi, "tasks", lambda *_: few)
    monkeypatch.setattr(babi, "SINGLE", Plan(size=6, starts=2, linear=5, passes=15))
    monkeypatch.setattr(babi, "SHIPPED", 1)
    assert babi.one_at_a_time(Budget(tmp_path, minutes=0)) == PAUSED
    outcome = babi.one_at_a_time(Budget(tmp_path))
    assert outcome.checkpoints[0].exists()
    values = {found.id: found.value for found in outcome.measurements}
    assert 0 <= values["babi-single-01"] == values["babi-single-mean"] <= 100
    assert {"babi-support-01-hop-1", "babi-support-01-all", "babi-single-failed"} <= set(values)
