import math

import pytest
import torch

from course_lib.decoding import beam_search, greedy_search
from course_lib.decoding.blocking import BlockRepeats
from course_lib.decoding.temperature import Tempered, temper


def test_powers_that_sum_to_one():
    p = torch.tensor([[0.5, 0.3, 0.2], [0.9, 0.1, 0.0]], dtype=torch.float64)
    for temperature in (0.25, 0.5, 2.0, 7.0):
        powers = p ** (1 / temperature)
        expected = powers / powers.sum(dim=-1, keepdim=True)
        torch.testing.assert_close(temper(p.log(), temperature).exp(), expected)
    weights = torch.tensor([0.5, 0.5, 0.5]).log()
    assert temper(weights, 1.0) is weights  # also what does not sum to 1
    assert temper(weights, 2.0).exp().sum().item() == pytest.approx(1)
    assert temper(weights, 2.0).dtype == weights.dtype


@pytest.mark.parametrize("temperature", [0, -1.0, math.nan, math.inf])
def test_what_is_no_temperature_is_named(temperature):
    with pytest.raises(ValueError, match=f"temperature is {temperature}; allowed is a number above 0"):
        Tempered(lambda tokens, state: (tokens, state), temperature)
    with pytest.raises(ValueError, match="temperature is"):
        temper(torch.zeros(2), temperature)


def test_a_beam_may_find_another_winner_greedy_search_never_does():
    # "1 end" has p 0.6 · 0.5; "2 end" has 0.4 · 0.7. Flattened, certainty in the second step counts for more.
    table = torch.tensor([[1.0, 0, 0], [0.5, 0.25, 0.25], [0.7, 0.3, 0], [0, 0.6, 0.4]], dtype=torch.float64)

    def step(tokens, state):
        return torch.nn.functional.pad(table, (0, 1))[tokens].log(), state

    first, state = torch.tensor([3]), torch.zeros(1)

    def best(temperature):
        (found,) = beam_search(Tempered(step, temperature), state, first, 0, 2, 3)
        return found.hypotheses[0].tokens

    assert best(1.0) == (1, 0) and best(2.0) == (2, 0)
    taken = {greedy_search(Tempered(step, t), state, first, 0, 2)[0].tokens for t in (0.3, 1.0, 2.0, 9.0)}
    assert taken == {(1, 0)}


def test_it_wraps_what_gives_weights_and_is_wrapped_itself():
    def looking(tokens, state):
        return torch.zeros(len(tokens), 3).log_softmax(-1), state, torch.ones(len(tokens), 4)

    blocked = BlockRepeats(Tempered(looking, 2.0), 1)
    log_probs, _, weights = blocked(torch.tensor([1]), blocked.start(torch.zeros(1)))
    assert weights.shape == (1, 4)
    assert log_probs[0].tolist() == pytest.approx([-math.log(3), -math.inf, -math.log(3)])
