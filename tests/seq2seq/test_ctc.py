"""The lattice must sum what trying all paths sums, and its gradient must be that of the sum."""

from itertools import product

import pytest
import torch
from torch.nn import functional

from course_lib.seq2seq.ctc import collapse, ctc_loss, lattice, steps_needed, with_blanks

TIME, CLASSES = 5, 3


@pytest.mark.parametrize(
    ("path", "labelling"),
    [
        ([1, 1, 0, 1, 1], [1, 1]),
        ([1, 0, 1], [1, 1]),
        ([1, 1], [1]),
        ([0, 0], []),
        ([], []),
        ([2, 2, 1, 0, 0, 2], [2, 1, 2]),
    ],
)
def test_repeats_are_joined_and_then_blanks_dropped(path: list[int], labelling: list[int]) -> None:
    assert collapse(path) == labelling


def drawn(batch: int, time: int = TIME, classes: int = CLASSES, seed: int = 0) -> torch.Tensor:
    return torch.randn(
        batch, time, classes, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)
    )


def by_trying_all(log_probs: torch.Tensor, labelling: list[int]) -> tuple[float, torch.Tensor]:
    """The probability of a labelling, and each class's share of it at each step."""
    time, classes = log_probs.shape
    total, shares = 0.0, torch.zeros(time, classes, dtype=torch.float64)
    for path in product(range(classes), repeat=time):
        if collapse(path) == labelling:
            probability = log_probs[range(time), path].sum().exp().item()
            total += probability
            shares[range(time), path] += probability
    return total, shares / total


TARGETS = ([], [1], [2, 2], [1, 2], [1, 2, 1], [2, 2, 1], [1, 1, 1])


def test_the_lattice_sums_all_paths_of_each_labelling() -> None:
    log_probs = drawn(len(TARGETS)).log_softmax(2)
    targets = torch.tensor([[*target, *[9] * (3 - len(target))] for target in TARGETS])  # 9: not looked at
    lengths = torch.tensor([len(target) for target in TARGETS])
    steps = torch.tensor([5, 4, 5, 2, 5, 4, 5])
    summed = lattice(log_probs, targets, steps, lengths)
    posterior = summed.posterior()
    for i, target in enumerate(TARGETS):
        total, shares = by_trying_all(log_probs[i, : steps[i]], list(target))
        assert summed.log_likelihood[i].exp().item() == pytest.approx(total, rel=1e-10)
        for label in range(CLASSES):
            here = summed.states[i, : 2 * len(target) + 1] == label
            at_label = posterior[i, : steps[i], : len(here)][:, here].sum(1)
            torch.testing.assert_close(at_label, shares[:, label], rtol=1e-10, atol=1e-12)
        assert not posterior[i, steps[i] :].any()
        assert not posterior[i, :, 2 * len(target) + 1 :].any()


def test_forward_times_backward_is_the_same_at_any_time() -> None:
    summed = lattice(drawn(1).log_softmax(2), torch.tensor([[1, 2]]), torch.tensor([5]), torch.tensor([2]))
    at_each = (summed.forward + summed.backward).logsumexp(2)
    torch.testing.assert_close(at_each, summed.log_likelihood[:, None].expand_as(at_each))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_value_and_gradient_are_those_of_torch(dtype: torch.dtype) -> None:
    logits = drawn(4, time=30, classes=7, seed=1).to(dtype)
    targets = torch.randint(1, 7, (4, 9), generator=torch.Generator().manual_seed(2))
    targets[1, 3:6] = 4  # repeats
    steps, lengths = torch.tensor([30, 17, 30, 12]), torch.tensor([9, 8, 0, 5])
    found = []
    for ours in (True, False):
        x = logits.clone().requires_grad_()
        if ours:
            loss = ctc_loss(x, targets, steps, lengths)
        else:
            loss = functional.ctc_loss(
                x.log_softmax(2).transpose(0, 1), targets, steps, lengths, reduction="none"
            )
        (loss * torch.arange(1, 5)).sum().backward()  # another weight each
        found.append((loss.detach(), x.grad))
    torch.testing.assert_close(found[0], found[1], rtol=1e-4 if dtype == torch.float32 else 1e-9, atol=1e-5)


def test_the_gradient_is_that_of_finite_differences() -> None:
    targets, steps, lengths = torch.tensor([[1, 1], [2, 1]]), torch.tensor([5, 4]), torch.tensor([2, 1])
    logits = drawn(2, seed=3).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: ctc_loss(x, targets, steps, lengths), logits)


def test_the_gradient_is_what_is_said_minus_the_paths_share() -> None:
    logits = drawn(1, seed=4).requires_grad_()
    ctc_loss(logits, torch.tensor([[2]]), torch.tensor([TIME]), torch.tensor([1])).sum().backward()
    log_probs = logits.detach().log_softmax(2)
    _, shares = by_trying_all(log_probs[0], [2])
    torch.testing.assert_close(logits.grad, log_probs.exp() - shares)


def test_certainty_makes_no_nan() -> None:
    certain = torch.full((1, 3, 3), -torch.inf).scatter(2, torch.tensor([[[1], [0], [1]]]), 0.0)
    logits = certain.requires_grad_()
    loss = ctc_loss(logits, torch.tensor([[1, 1]]), torch.tensor([3]), torch.tensor([2]))
    loss.sum().backward()
    assert loss.item() == 0 and not logits.grad.any()


def test_the_two_steps_of_the_lecture() -> None:
    """Blank .6, a .4 at both steps: "a" has .64, though the best path is blank, blank."""
    log_probs = torch.tensor([[[0.6, 0.4], [0.6, 0.4]]]).log()
    summed = lattice(log_probs, torch.tensor([[1]]), torch.tensor([2]), torch.tensor([1]))
    assert summed.log_likelihood.exp().item() == pytest.approx(0.64)
    assert with_blanks(torch.tensor([[1]])).tolist() == [[0, 1, 0]]


def test_a_blank_must_stand_between_equal_labels() -> None:
    targets = torch.tensor([[1, 1, 2], [1, 2, 2], [1, 1, 1]])
    assert steps_needed(targets, torch.tensor([3, 2, 3])).tolist() == [4, 2, 5]
    assert steps_needed(targets[:, :0], torch.tensor([0, 0, 0])).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("targets", "steps", "lengths", "message"),
    [
        ([[1, 1], [2, 2]], [3, 2], [2, 2], "target 1 cannot be aligned: it needs 3 steps, and there are 2"),
        ([[1, 0]], [5], [2], "targets hold 0 to 1; allowed are 1 to 2, and 0 is the blank"),
        ([[1, 3]], [5], [2], "targets hold 1 to 3; allowed are 1 to 2"),
        ([[1, 1]], [6], [2], "input_lengths are \\[6\\]; allowed are 1 to 5"),
        ([[1, 1]], [0], [0], "input_lengths are \\[0\\]; allowed are 1 to 5"),
        ([[1, 1]], [5], [3], "target_lengths are \\[3\\]; allowed are 0 to 2"),
    ],
)
def test_what_cannot_be_aligned_is_named(targets, steps, lengths, message) -> None:
    with pytest.raises(ValueError, match=message):
        ctc_loss(drawn(len(targets)), *map(torch.tensor, (targets, steps, lengths)))


def test_an_empty_batch_gives_an_empty_loss() -> None:
    none = torch.zeros(0, dtype=torch.long)
    assert ctc_loss(torch.zeros(0, 4, 3), torch.zeros(0, 2, dtype=torch.long), none, none).shape == (0,)
