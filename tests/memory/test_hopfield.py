import itertools

import pytest
import torch
from torch.nn import functional as F

from course_lib.attention.multihead import scaled_dot_product_attention
from course_lib.memory.hopfield import energy, modern_energy, modern_update, recall, share_wrong, store


def random_patterns(count, size):
    generator = torch.Generator().manual_seed(count + size)
    return torch.randint(2, (count, size), generator=generator).double() * 2 - 1


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


def test_weights_and_energy_by_hand():
    W = store(torch.tensor([[1.0, 1, -1], [1, -1, -1]]))
    assert (W * 3).tolist() == [[0, 0, -2], [0, 0, 0], [-2, 0, 0]]
    assert energy(W, torch.tensor([1.0, 1, -1])) == pytest.approx(-2 / 3)
    assert energy(W, torch.tensor([1.0, 1, 1])) == pytest.approx(2 / 3)


def test_wrong_units_are_those_with_another_sign():
    wanted = torch.tensor([1.0, -1, 1, -1])
    assert share_wrong(torch.stack([wanted, 0.1 * wanted, -wanted]), wanted).tolist() == [0, 0, 1]
    assert share_wrong(torch.tensor([1.0, -1, 0, 1]), wanted) == 0.5  # 0 is undecided, so wrong


def test_stored_patterns_are_fixed_points_below_capacity_but_not_far_above():
    """Up to about 0.138 N patterns (Amit, Gutfreund and Sompolinsky 1985)."""
    for count, kept in ((10, True), (200, False)):
        patterns = random_patterns(count, 200)
        W = store(patterns)
        stays = torch.stack([recall(W, p, rng()).states[-1] for p in patterns[:10]]) == patterns[:10]
        assert bool(stays.all()) == kept


def test_a_damaged_pattern_is_restored():
    patterns = random_patterns(8, 200)
    W = store(patterns)
    for pattern in patterns:
        damaged = pattern.clone()
        damaged[:40] *= -1
        way = recall(W, damaged, rng())
        assert way.settled and torch.equal(way.states[-1], pattern)
        assert torch.equal(way.states[0], damaged)


@pytest.mark.parametrize("seed", range(5))
def test_the_energy_never_rises_and_is_kept_right(seed):
    """Above capacity as well, from anywhere."""
    W = store(random_patterns(60, 100))
    way = recall(W, random_patterns(1, 100 + seed)[0, :100], rng(seed))
    steps = torch.tensor(way.energies).diff()
    assert len(steps) > 5 and (steps < 0).all()
    assert way.energies[-1] == pytest.approx(energy(W, way.states[-1]))
    assert way.settled
    final = way.states[-1]
    assert ((W @ final) * final >= 0).all()  # no unit wants to turn


def test_every_state_on_the_way_down_has_the_energy_that_was_written_down():
    W = store(random_patterns(60, 100))
    way = recall(W, random_patterns(1, 101)[0, :100], rng())
    states = [way.after(turns) for turns in range(len(way.energies))]
    assert [energy(W, state) for state in states] == pytest.approx(way.energies)
    assert all(int((a != b).sum()) == 1 for a, b in itertools.pairwise(states))
    assert torch.equal(states[0], way.states[0]) and torch.equal(states[-1], way.states[-1])
    with pytest.raises(ValueError, match=f"turns is {len(states)}; allowed are 0 to {len(states) - 1}"):
        way.after(len(states))


def test_a_field_of_zero_turns_nothing():
    W = store(torch.tensor([[1.0, 1, -1], [1, -1, -1]]))
    way = recall(W, torch.tensor([1.0, -1, -1]), rng())
    assert way.states.tolist() == [[1, -1, -1]] * 2 and way.settled


def test_recall_stops_after_the_sweeps_that_are_allowed():
    W = store(random_patterns(60, 100))
    way = recall(W, random_patterns(1, 105)[0, :100], rng(), sweeps=1)
    assert len(way.states) == 2 and not way.settled


def test_what_is_no_memory_is_refused():
    with pytest.raises(ValueError, match="patterns hold numbers other than -1 and 1"):
        store(torch.tensor([[0.0, 1]]))
    with pytest.raises(ValueError, match=r"patterns have shape \(0, 3\); allowed is \(1 or more, 3\)"):
        store(torch.ones(0, 3))
    with pytest.raises(ValueError, match="state hold numbers"):
        recall(torch.zeros(2, 2), torch.tensor([0.5, 1]), rng())
    for wrong in (torch.tensor([[0.0, 1], [0, 0]]), torch.eye(2)):
        with pytest.raises(ValueError, match="symmetric with a zero diagonal"):
            recall(wrong, torch.ones(2), rng())
    with pytest.raises(ValueError, match="beta is 0; allowed is above 0"):
        modern_update(torch.ones(2), torch.ones(3, 2), 0)


def test_the_modern_update_is_attention_to_the_patterns():
    torch.manual_seed(0)
    states, patterns = torch.randn(4, 16, dtype=torch.float64), torch.randn(7, 16, dtype=torch.float64)
    updated = modern_update(states, patterns, beta=16**-0.5)
    torch.testing.assert_close(updated, scaled_dot_product_attention(states, patterns, patterns)[0])
    batched = [x.unsqueeze(0) for x in (states, patterns, patterns)]
    torch.testing.assert_close(updated, F.scaled_dot_product_attention(*batched)[0])


@pytest.mark.parametrize("beta", [0.1, 1.0, 8.0])
def test_the_modern_energy_never_rises_and_its_minimum_is_where_the_update_stays(beta):
    torch.manual_seed(0)
    patterns, state = torch.randn(20, 10, dtype=torch.float64), torch.randn(6, 10, dtype=torch.float64)
    for _ in range(300):
        updated = modern_update(state, patterns, beta)
        assert (modern_energy(updated, patterns, beta) <= modern_energy(state, patterns, beta) + 1e-12).all()
        state = updated
    state = state.requires_grad_()
    value = modern_energy(state, patterns, beta)
    assert (value >= 0).all()
    (gradient,) = torch.autograd.grad(value.sum(), state)
    torch.testing.assert_close(gradient, torch.zeros_like(gradient), atol=1e-6, rtol=0)


def test_the_modern_form_restores_in_one_step_where_the_classical_one_is_far_beyond_capacity():
    patterns = random_patterns(200, 64)
    half = patterns.clone()
    half[:, 32:] = 0
    restored = modern_update(half, patterns, beta=4.0)
    torch.testing.assert_close(restored, patterns, atol=0.02, rtol=0)


def test_a_rounding_error_turns_no_unit() -> None:
    weights = torch.tensor(
        [[0, 0.1, 0.2, -0.3], [0.1, 0, 10, 10], [0.2, 10, 0, 10], [-0.3, 10, 10, 0]], dtype=torch.float64
    )
    state = torch.tensor([-1.0, 1, 1, 1], dtype=torch.float64)
    assert 0 < weights[0] @ state < 1e-15  # 0 on paper, and each unit is at rest
    way = recall(weights, state, torch.Generator().manual_seed(0))
    assert way.settled and way.turned == []
