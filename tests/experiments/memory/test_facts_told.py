"""Networks that are told the supporting sentences: the losses and the measure by hand."""

import pytest
import torch
from torch.nn import functional

from course_experiments.memory import facts
from course_experiments.memory.facts import LESSONS, Told, dynamic_loss, learn, measure
from course_experiments.protocol import Budget
from course_lib.data.babi import StoryQuestion
from course_lib.memory.dynamic import DynamicMemoryNetwork
from course_lib.memory.original import OriginalMemoryNetwork

QUESTIONS = [
    StoryQuestion(("Bob sat.", "Bob left.", "Bob sat."), "Who sat?", "Bob", (0, 2)),
    StoryQuestion(("Bob left.", "Bob sat."), "Who sat?", "Bob", (1, 0)),
]
VOCABULARY = ["<pad>", "<s>", "</s>", ".", "?", "bob", "left", "sat", "who"]


def test_places_are_counted_from_the_newest():
    assert Told.of(QUESTIONS, VOCABULARY).supporting.tolist() == [[2, 0], [0, 1]]


def test_gates_are_asked_to_open_at_the_supporting_sentences_pass_by_pass():
    told = Told.of(QUESTIONS, VOCABULARY)
    torch.manual_seed(0)
    network = DynamicMemoryNetwork(len(VOCABULARY), 5, passes=3)
    logits, gates = network(*told.stories[:2])
    wanted = torch.zeros(2, 3, 3)
    for story, places in enumerate(([2, 0, 0], [0, 1, 1])):  # the third pass looks for the last one again
        for number, place in enumerate(places):
            wanted[story, number, place] = 1
    gates = gates.double().clamp(1e-6, 1 - 1e-6)
    opened = -(wanted * gates.log() + (1 - wanted) * (1 - gates).log()).sum() / 2
    expected = functional.cross_entropy(logits, told.stories.answers) + opened
    assert dynamic_loss(network, *told).item() == pytest.approx(expected.item(), rel=1e-5)


def test_the_measure_counts_answers_and_hops(monkeypatch):
    told = Told.of(QUESTIONS, VOCABULARY)
    network = OriginalMemoryNetwork(len(VOCABULARY), 5, hops=2)
    said = functional.one_hot(torch.tensor([VOCABULARY.index("bob"), VOCABULARY.index("who")]), 9).float()
    monkeypatch.setattr(network, "forward", lambda *_: (said, torch.tensor([[2, 1], [1, 0]])))
    assert measure(network, told) == (50, [100, 50])


@pytest.mark.parametrize("name", ["original_2", "dynamic_15"])
def test_an_experiment_learns_and_is_measured(name, tmp_path, monkeypatch):
    monkeypatch.setitem(LESSONS, name, LESSONS[name]._replace(epochs=1))
    first = facts.tasks([LESSONS[name].task], "train")[:96]
    monkeypatch.setattr(facts, "tasks", lambda *_: first)
    outcome = facts.run(name, Budget(tmp_path))
    values = [found.value for found in outcome.measurements]
    assert len(values) == 4 and all(0 <= value <= 100 for value in values)
    assert outcome.checkpoints[0].exists()


def test_losses_fall():
    told = Told.of(QUESTIONS, VOCABULARY)
    torch.manual_seed(0)
    losses = list(learn(OriginalMemoryNetwork(len(VOCABULARY), 5, hops=2), told, epochs=30))
    assert losses[-1] < losses[0] / 2
