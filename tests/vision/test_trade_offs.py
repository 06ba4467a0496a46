"""Stacks at equal cost: the formula against hooks, and families that change one thing for another."""

import pytest

from course_lib.vision import FAMILIES, Stack, network_cost

STACKS = sorted({stack for family in FAMILIES.values() for stack in family})


@pytest.mark.parametrize("stack", STACKS, ids=str)
def test_the_formula_counts_what_hooks_count(stack):
    assert network_cost(stack.network, (1, 28, 28)).multiply_adds == stack.multiply_adds


def test_by_hand():
    # stem 9 · 2 · 196, three layers of 2 · 2 · 25 · 196, readout 2 · 10
    assert Stack(3, 2, 5).multiply_adds == 3528 + 3 * 19_600 + 20


@pytest.mark.parametrize(("name", "same"), [*zip(FAMILIES, ("width", "taps", "depth"), strict=True)])
def test_a_family_keeps_one_thing_and_the_cost(name, same):
    stacks = FAMILIES[name]
    costs = [stack.multiply_adds for stack in stacks]
    assert max(costs) / min(costs) < 1.11
    assert len({getattr(stack, same) for stack in stacks}) == 1
    for changing in {"depth", "width", "taps"} - {same}:
        assert len({getattr(stack, changing) for stack in stacks}) == len(stacks)


@pytest.mark.parametrize("stack", [Stack(0, 8, 3), Stack(2, 0, 3), Stack(2, 8, 4)], ids=str)
def test_what_is_no_stack_is_refused(stack):
    with pytest.raises(ValueError, match="allowed are numbers from 1, and an odd number of taps"):
        stack.network()
