import math

import pytest
import torch
from torch import nn

from course_experiments.recurrent.initial_states import loss_by_letter
from course_lib.recurrent import RNN, LearnedInitialState


def test_each_letter_is_guessed_from_the_state_before_it():
    """The state is the letter just read, the guess is that letter again; before the first letter, any."""
    layer, head = RNN(3, 3), nn.Linear(3, 3)
    with torch.no_grad():
        for weight in (*layer.parameters(), *head.parameters()):
            weight.zero_()
        layer.W_x.weight.copy_(10 * torch.eye(3))
        head.weight.copy_(20 * torch.eye(3))
    check = torch.tensor([[0, 0, 1], [2, 2, 2]])
    found = loss_by_letter(layer, head, check, check, steps=0)
    assert found.tolist() == pytest.approx([math.log(3), 0, 10], abs=1e-4)


def test_training_moves_the_learned_start_and_lowers_the_loss():
    torch.manual_seed(0)
    start, head = LearnedInitialState(RNN(2, 4)), nn.Linear(4, 2)
    texts = torch.tensor([[0, 1, 1, 1]]).repeat(16 * 150, 1)
    before = loss_by_letter(start, head, texts, texts[:4], steps=0)
    after = loss_by_letter(start, head, texts, texts[:4], steps=150, batch=16)
    assert (after < before / 2).all()
    assert start.start[0].abs().min() > 0


def test_too_few_sentences_are_refused():
    with pytest.raises(ValueError, match="learn has 9 sentences; 5 steps need 10"):
        loss_by_letter(RNN(2, 3), nn.Linear(3, 2), torch.zeros(9, 2).long(), torch.zeros(1, 2).long(), 5, 2)
