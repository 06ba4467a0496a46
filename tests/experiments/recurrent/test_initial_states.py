import math

import pytest
import torch
from torch import nn

from course_experiments.recurrent.initial_states import loss_by_letter
from course_lib.recurrent import RNN, LearnedInitialState


def test_each_letter_is_guessed_from_the_state_before_it():
    """With weights of 0 every guess is the head's bias, whatever was read; the first letter counts, too."""
    layer, head = RNN(3, 4), nn.Linear(4, 3)
    with torch.no_grad():
        for weight in (*layer.parameters(), head.weight):
            weight.zero_()
        head.bias.copy_(torch.tensor([0.5, 0.25, 0.25]).log())
    check = torch.tensor([[0, 1, 2], [0, 0, 0]])
    found = loss_by_letter(layer, head, check, check, steps=0)
    half, quarter = math.log(2), math.log(4)
    assert found.tolist() == pytest.approx([half, (half + quarter) / 2, (half + quarter) / 2])


def test_only_a_learned_start_can_know_the_first_letter_apart_from_the_rest():
    """Every text is 0 1 1 1: without a start of its own the first guess is the guess of any letter."""
    texts = torch.tensor([[0, 1, 1, 1]]).repeat(16 * 60, 1)
    losses = {}
    for learned in (False, True):
        torch.manual_seed(0)
        layer, head = RNN(2, 4), nn.Linear(4, 2)
        start = LearnedInitialState(layer) if learned else layer
        losses[learned] = loss_by_letter(start, head, texts, texts[:4], steps=60, batch=16)
    assert losses[True][0] < losses[False][0]


def test_too_few_sentences_are_refused():
    with pytest.raises(ValueError, match="learn has 9 sentences; 5 steps need 10"):
        loss_by_letter(RNN(2, 3), nn.Linear(3, 2), torch.zeros(9, 2).long(), torch.zeros(1, 2).long(), 5, 2)
