"""The memory reader: questions that people type, and shipped networks."""

import numpy as np
import pytest
import torch

from course_lib.applications.memory_reader import (
    MemoryReader,
    Reply,
    hops_trace,
    load_dynamic_reader,
    load_memory_reader,
    split_sentences,
)
from course_lib.data.babi import load_babi
from course_lib.memory.end_to_end import MemoryNetwork

VOCABULARY = ("<pad>", "<s>", "</s>", ".", "?", "bob", "left", "sat", "who")


@pytest.fixture
def small():
    torch.manual_seed(0)
    return MemoryReader(MemoryNetwork(len(VOCABULARY), 4, memory=2, hops=2).eval(), VOCABULARY)


def test_a_reply_tells_where_each_hop_looked_in_the_order_told(small):
    reply = small.ask(["Bob sat.", "Bob left."], "Who left?")
    ids = torch.tensor([[[5, 6, 3], [5, 7, 3]]])  # the newest first
    logits, weights = small.network(ids, torch.tensor([[8, 6, 4]]))
    np.testing.assert_allclose(reply.looked, weights[0].detach().numpy()[:, ::-1], rtol=1e-5)
    assert reply.answers[0] == VOCABULARY[int(logits.argmax())]
    assert reply.probabilities[0] == pytest.approx(logits.softmax(dim=-1).max().item())
    assert list(reply.probabilities) == sorted(reply.probabilities, reverse=True)


def test_a_text_is_cut_at_its_full_stops(small):
    assert split_sentences(" Bob sat. Bob left .") == ["Bob sat.", "Bob left."]
    told = small.ask("Bob sat. Bob left.", "Who left?")
    np.testing.assert_array_equal(told.looked, small.ask(["Bob sat.", "Bob left."], "Who left?").looked)


def test_of_a_story_longer_than_the_memory_the_newest_sentences_are_kept(small):
    reply = small.ask(["Who sat.", "Bob sat.", "Bob left."], "Who left?")
    assert reply.sentences == ("Bob sat.", "Bob left.")
    np.testing.assert_array_equal(reply.looked, small.ask("Bob sat. Bob left.", "Who left?").looked)


def test_what_cannot_be_answered_is_named(small):
    for story in ([], "", " . ", ["  "]):
        with pytest.raises(ValueError, match="the story is empty; allowed is 1 or more sentences"):
            small.ask(story, "Who left?")
    with pytest.raises(ValueError, match="the question is empty"):
        small.ask("Bob sat.", " ")
    allowed = r"unknown: 'flew', 'mary'; allowed are the words \., \?, bob, left, sat, who"
    with pytest.raises(ValueError, match=allowed):
        small.ask("Mary flew.", "Who sat?")
    with pytest.raises(ValueError, match="unknown: '<pad>'"):
        small.ask("Bob <pad> sat.", "Who sat?")
    with pytest.raises(ValueError, match="name is 'both'; allowed are 'joint', 'single'"):
        load_memory_reader("both")


def test_the_trace_stars_what_supports():
    reply = Reply(("bob",), (1.0,), ("Bob sat.", "Bob left."), np.array([[0.2, 0.8], [1.0, 0.0]]))
    trace = hops_trace(reply, [1])
    assert trace.keys == ("1.Bob→sat", "2★Bob→left") and trace.queries == ("hop1", "hop2")
    np.testing.assert_allclose(trace.weights[0, 0], reply.looked)


@pytest.mark.parametrize(
    ("load", "task", "most"), [("joint", 1, 1), ("joint", 2, 18), ("single", 2, 12), ("dynamic", 15, 2)]
)
def test_shipped_readers_answer_as_the_register_says(load, task, most):
    """Of 100 test questions; the register's share and three standard errors more are wrong at most."""
    reader = load_dynamic_reader() if load == "dynamic" else load_memory_reader(load)
    wrong = 0
    for question in load_babi(task).test[:100]:
        wrong += reader.ask(question.story, question.question).answers[0] != question.answer
    assert wrong <= most
