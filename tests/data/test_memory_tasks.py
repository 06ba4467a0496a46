"""Made sequences against their definitions, step by step."""

import math

import pytest
import torch
from torch import Generator

from course_lib.data.memory_tasks import (
    BITS,
    adding_problem,
    copy_memory,
    delayed_bit,
    vectors_forth_and_back,
    vectors_to_copy,
)


def chance(seed: int = 0) -> Generator:
    return Generator().manual_seed(seed)


@pytest.mark.parametrize("length", [2, 3, 50])
def test_the_target_is_the_sum_of_the_two_marked_numbers(length: int) -> None:
    inputs, targets = adding_problem(200, length, chance())
    assert inputs.shape == (200, length, 2)
    for sequence, target in zip(inputs.tolist(), targets.tolist(), strict=True):
        marked = [number for number, mark in sequence if mark == 1]
        assert len(marked) == 2 and sum(mark for _, mark in sequence) == 2
        assert target == pytest.approx(sum(marked))
        assert all(0 <= number < 1 for number, _ in sequence)


def test_marks_stand_anywhere_alike_and_always_saying_one_costs_a_sixth() -> None:
    inputs, targets = adding_problem(5000, 10, chance())
    torch.testing.assert_close(inputs[..., 1].mean(0), torch.full((10,), 0.2), atol=0.025, rtol=0)
    assert (targets - 1).square().mean().item() == pytest.approx(1 / 6, rel=0.06)


@pytest.mark.parametrize("gap", [1, 2, 30])
def test_copy_memory_is_laid_out_as_in_the_paper(gap: int) -> None:
    inputs, targets = copy_memory(50, gap, chance())
    for read, said in zip(inputs.tolist(), targets.tolist(), strict=True):
        symbols = read[:10]
        assert set(symbols) <= set(range(1, 9))
        assert read == symbols + [0] * (gap - 1) + [9] * 11
        assert said == [0] * (gap + 10) + symbols
        assert len(read) == gap + 20
    assert set(inputs[:, :10].flatten().tolist()) == set(range(1, 9))


def test_guessing_among_eight_costs_what_the_docstring_says() -> None:
    _, targets = copy_memory(400, 100, chance())
    guess = torch.full((400, 120, 10), -1e9)
    guess[:, :110, 0] = 0.0  # surely blank
    guess[:, 110:, 1:9] = 0.0  # any symbol alike
    loss = torch.nn.functional.cross_entropy(guess.flatten(0, 1), targets.flatten())
    assert loss.item() == pytest.approx(10 * math.log(8) / 120, rel=1e-5)


@pytest.mark.parametrize("delay", [0, 1, 40])
def test_the_bit_comes_first_and_the_rest_knows_nothing_of_it(delay: int) -> None:
    inputs, bits = delayed_bit(3000, delay, chance(), noise=0.5)
    assert inputs.shape == (3000, delay + 1, 1)
    assert torch.equal(inputs[:, 0, 0], torch.where(bits == 1, 1.0, -1.0))
    assert bits.mean().item() == pytest.approx(0.5, abs=0.04)
    if delay:
        noise = inputs[:, 1:, 0]
        assert noise.std().item() == pytest.approx(0.5, rel=0.05)
        assert abs((noise * inputs[:, :1, 0]).mean().item()) < 0.04


def test_the_same_seed_makes_the_same_sequences() -> None:
    for make in (adding_problem, copy_memory, delayed_bit):
        for one, other in zip(make(4, 7, chance(3)), make(4, 7, chance(3)), strict=True):
            assert torch.equal(one, other)
        assert not torch.equal(make(4, 7, chance(3))[0], make(4, 7, chance(4))[0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: adding_problem(3, 1, chance()), "length is 1; allowed is 2 or more"),
        (lambda: copy_memory(3, 0, chance()), "gap is 0; allowed is 1 or more"),
        (lambda: delayed_bit(3, -1, chance()), "delay is -1; allowed is 0 or more"),
        (lambda: delayed_bit(3, 1, chance(), noise=-0.1), "noise is -0.1"),
    ],
)
def test_what_has_no_meaning_is_refused(make, message) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_vectors_are_said_as_often_as_the_sign_says() -> None:
    inputs, answers = vectors_to_copy(4, 3, chance(), repeats=2)
    assert inputs.shape == (4, 3 + 1 + 6, BITS + 1) and answers.shape == (4, 6, BITS)
    shown = inputs[:, :3, :BITS]
    assert set(shown.unique().tolist()) == {0, 1}
    assert torch.equal(answers, torch.cat([shown, shown], dim=1))
    assert inputs[:, 3, BITS].tolist() == [2] * 4
    rest = inputs.clone()
    rest[:, :3, :BITS], rest[:, 3, BITS] = 0, 0
    assert not rest.any()  # nothing else is said: while it answers, a network is on its own
    assert not torch.equal(vectors_to_copy(4, 3, chance(1))[1], vectors_to_copy(4, 3, chance(2))[1])


def test_vectors_are_said_forth_and_then_back() -> None:
    inputs, answers = vectors_forth_and_back(4, 3, chance())
    assert inputs.shape == (4, 11, BITS + 2) and answers.shape == (4, 7, BITS)
    shown = inputs[:, :3, :BITS]
    assert torch.equal(answers[:, :3], shown) and torch.equal(answers[:, 4:], shown.flip(1))
    assert not answers[:, 3].any()
    signs = inputs[..., BITS:].nonzero().tolist()
    assert signs == [[i, *place] for i in range(4) for place in ([3, 0], [7, 1])]
    assert not inputs[:, 3:, :BITS].any()


def test_what_cannot_be_copied_is_named() -> None:
    with pytest.raises(ValueError, match="length is 0; allowed is 1 or more"):
        vectors_to_copy(1, 0, chance())
    with pytest.raises(ValueError, match="repeats is 0; allowed is 1 or more"):
        vectors_to_copy(1, 2, chance(), repeats=0)
    with pytest.raises(ValueError, match="length is 0; allowed is 1 or more"):
        vectors_forth_and_back(1, 0, chance())
