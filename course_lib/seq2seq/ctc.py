"""Connectionist temporal classification: learn a labelling without knowing where each label lies.

The model names one label, or the blank, at every time step: a path π. Collapsing a path joins repeats, then
drops blanks; many paths collapse to the same labelling y, and its probability is the sum of theirs:

    p(y | x) = Σ_{π: collapse(π) = y} Π_t p(π_t | x)

The sum runs over the lattice of time steps and states l' = blank, y_1, blank, y_2, …, blank. A path may stay,
go to the next state, or jump over a blank between two different labels:

    α_t(s) = p(l'_s at t) · (α_{t−1}(s) + α_{t−1}(s−1) [+ α_{t−1}(s−2) if l'_s is a label and ≠ l'_{s−2}])
    β_t(s) = the same from the end, without the label at t itself
    p(y | x) = Σ_s α_t(s) β_t(s)   at any t

All of it in logarithms; the recursion is in `_arrivals`. Graves, Fernández, Gomez and Schmidhuber 2006,
equations 2 to 8 (their β holds the label at t as well).
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from course_lib.attention import has_numbers, keep_lengths

BLANK = 0


def collapse(path: Sequence[int]) -> list[int]:
    """Join repeats, then drop blanks: "A A blank A" becomes "A A", "A A" becomes "A"."""
    return [label for label, _ in groupby(path) if label != BLANK]


def with_blanks(targets: Int[Tensor, "batch labels"]) -> Int[Tensor, "batch states"]:
    """Return l', the states of the lattice: a blank before, between and behind the labels."""
    states = targets.new_full((len(targets), 2 * targets.shape[1] + 1), BLANK)
    states[:, 1::2] = targets
    return states


class Lattice(NamedTuple):
    """All paths that collapse to a labelling, summed from both ends; natural logarithms.

    −∞ where no path comes, and behind the end of a sequence.
    """

    states: Int[Tensor, "batch states"]  # l'
    forward: Float[Tensor, "batch time states"]  # log α
    backward: Float[Tensor, "batch time states"]  # log β
    log_likelihood: Float[Tensor, "batch"]  # log p(y | x)

    def posterior(self) -> Float[Tensor, "batch time states"]:
        """Return the probability that a path of this labelling is in a state at a time; 0 behind its end."""
        return (self.forward + self.backward - self.log_likelihood[:, None, None]).exp()


def lattice(
    log_probs: Float[Tensor, "batch time classes"],
    targets: Int[Tensor, "batch labels"],
    input_lengths: Int[Tensor, "batch"],
    target_lengths: Int[Tensor, "batch"],
) -> Lattice:
    """Sum over all alignments, from the first step on and from the last step back.

    Args:
        log_probs: log p of each label at each step, the blank at 0.
        targets: labels above 0; anything behind the end.
        input_lengths: steps of each sequence, 1 to `time`.
        target_lengths: labels of each target, 0 to `labels`.

    Raises:
        ValueError: a length or a label is out of its range, or a target needs more steps than there are.
    """
    _check(log_probs, targets, input_lengths, target_lengths)
    targets = targets.masked_fill(~keep_lengths(target_lengths, targets.shape[1]), BLANK)
    states, sizes = with_blanks(targets), 2 * target_lengths + 1
    emissions = log_probs.gather(2, states[:, None].expand(-1, log_probs.shape[1], -1))
    outside = ~(
        keep_lengths(input_lengths, log_probs.shape[1])[:, :, None]
        & keep_lengths(sizes, states.shape[1])[:, None]
    )
    emissions = emissions.masked_fill(outside, -torch.inf)
    turned = _turn(_turn(emissions, 1, input_lengths), 2, sizes)
    # The way back through the lattice is the way forth through the turned one: both in one go.
    both = _arrivals(
        torch.cat([emissions, turned]), torch.cat([_may_jump(states), _may_jump(_turn(states, 1, sizes))])
    )
    forth, back = both.chunk(2)
    forward = forth + emissions
    backward = _turn(_turn(back, 1, input_lengths), 2, sizes).masked_fill(outside, -torch.inf)
    return Lattice(states, forward, backward, (forward[:, 0] + backward[:, 0]).logsumexp(dim=1))


def ctc_loss(
    logits: Float[Tensor, "batch time classes"],
    targets: Int[Tensor, "batch labels"],
    input_lengths: Int[Tensor, "batch"],
    target_lengths: Int[Tensor, "batch"],
) -> Float[Tensor, "batch"]:
    """Return −log p(y | x) of each sequence, in nats.

    Its gradient at the logits is p(k at t) minus the share of the labelling's paths that have k at t
    (equation 16 of the paper).

    Args and errors are those of `lattice`; `logits` become log-probabilities here.
    """
    log_probs = functional.log_softmax(logits, dim=2)
    loss: Tensor = _Loss.apply(log_probs, targets, input_lengths, target_lengths)  # type: ignore[no-untyped-call]
    return loss


class _Loss(torch.autograd.Function):
    """The lattice holds the gradient already: −∂ log p(y | x) / ∂ log p(k at t) is k's share at t."""

    @staticmethod
    def forward(ctx: Any, log_probs: Tensor, *target: Tensor) -> Tensor:
        summed = lattice(log_probs, *target)
        ctx.save_for_backward(summed.states, summed.posterior(), log_probs)
        return -summed.log_likelihood

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        states, posterior, log_probs = ctx.saved_tensors
        shares = torch.zeros_like(log_probs).scatter_add(2, states[:, None].expand_as(posterior), posterior)
        return -shares * gradients[0][:, None, None], None, None, None


def _arrivals(
    emissions: Float[Tensor, "batch time states"], may_jump: Bool[Tensor, "batch states"]
) -> Float[Tensor, "batch time states"]:
    """Return the log of the bracket in α's recursion, the sum over all ways to each state."""
    barrier = torch.zeros_like(emissions[:, 0]).masked_fill(~may_jump, -torch.inf)
    reached = emissions.new_full(emissions[:, 0].shape, -torch.inf)
    reached[:, :2] = 0  # a path begins with the first blank or the first label
    arrivals = [reached]
    for emission in emissions.unbind(1)[:-1]:
        alpha = functional.pad(reached + emission, (2, 0), value=-torch.inf)  # no state lies before the first
        stayed, moved, jumped = alpha[:, 2:], alpha[:, 1:-1], alpha[:, :-2] + barrier
        reached = torch.logaddexp(torch.logaddexp(stayed, moved), jumped)
        arrivals.append(reached)
    return torch.stack(arrivals, dim=1)


def _may_jump(states: Int[Tensor, "batch states"]) -> Bool[Tensor, "batch states"]:
    """Say which states may be entered from two states before: labels that differ from the label before."""
    return (states != BLANK) & (states != functional.pad(states, (2, 0), value=BLANK)[:, :-2])


def _turn(x: Tensor, dim: int, lengths: Int[Tensor, "batch"]) -> Tensor:
    """Turn the first `lengths[i]` entries of row i around along an axis; the others stay behind them."""
    places = torch.arange(x.shape[dim], device=x.device)
    source = torch.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
    shape = [len(x), *(x.shape[d] if d == dim else 1 for d in range(1, x.ndim))]
    return x.gather(dim, source.view(shape).expand_as(x))


def steps_needed(targets: Int[Tensor, "batch labels"], lengths: Int[Tensor, "batch"]) -> Int[Tensor, "batch"]:
    """Return the fewest time steps of a path: one a label, and a blank between two equal ones."""
    if not targets.shape[1]:
        return lengths
    repeats = (targets[:, 1:] == targets[:, :-1]) & keep_lengths(lengths - 1, targets.shape[1] - 1)
    return lengths + repeats.sum(dim=1)


def _check(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor) -> None:
    if not has_numbers(log_probs):
        return
    (_, time, classes), labels = log_probs.shape, targets.shape[1]
    if ((input_lengths < 1) | (input_lengths > time)).any():
        raise ValueError(f"input_lengths are {input_lengths.tolist()}; allowed are 1 to {time}")
    if ((target_lengths < 0) | (target_lengths > labels)).any():
        raise ValueError(f"target_lengths are {target_lengths.tolist()}; allowed are 0 to {labels}")
    real = targets[keep_lengths(target_lengths, labels)]
    if ((real <= BLANK) | (real >= classes)).any():
        found = f"{real.min()} to {real.max()}"
        raise ValueError(f"targets hold {found}; allowed are 1 to {classes - 1}, and {BLANK} is the blank")
    needed = steps_needed(targets, target_lengths)
    for i in (needed > input_lengths).nonzero().flatten().tolist():
        raise ValueError(
            f"target {i} cannot be aligned: it needs {needed[i]} steps, and there are {input_lengths[i]}"
        )
