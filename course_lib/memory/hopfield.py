"""Hopfield networks: a memory that completes what it is shown a part of.

Classical, with units s of −1 and 1:

    W      = 1/N Σ_p p pᵀ, zero diagonal          Hebb's rule
    s_i    ← sign(Σ_j W_ij s_j)                   one unit after another, in random order
    E(s)   = −½ sᵀ W s                            never rises

(Hopfield 1982.) Modern, with any vectors ξ and patterns X = (x_1 … x_N), one a row:

    ξ      ← softmax(β ξ Xᵀ) X
    E(ξ)   = −1/β log Σ_i exp(β x_i · ξ) + ½ ξ · ξ + 1/β log N + ½ max_i ‖x_i‖²

With β = 1/√d this is the attention of the query ξ to the keys and values X. (Ramsauer et al. 2021, equations
2, 3 and 10.)
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

ROUNDING = 1e-6  # by so much a field may be off; one that is not 0 is at least 1 / units


def store(patterns: Float[Tensor, "count size"]) -> Float[Tensor, "size size"]:
    """Return the weights that remember patterns, by Hebb's rule.

    Args:
        patterns: of −1 and 1.

    Raises:
        ValueError: a number is neither −1 nor 1, or there is no pattern.
    """
    check_patterns(patterns, patterns.shape[-1])
    check_units("patterns", patterns)
    weights = patterns.T @ patterns / patterns.shape[1]
    return weights.fill_diagonal_(0)


def energy(weights: Float[Tensor, "size size"], state: Float[Tensor, "size"]) -> float:
    """Return E(s) = −½ sᵀ W s."""
    return float(-state @ weights @ state / 2)


class Recall(NamedTuple):
    """A way down to a memory."""

    states: Float[Tensor, "sweeps size"]  # at the start and after each sweep over all units
    energies: list[float]  # at the start and after each unit that turned
    turned: list[int]  # which unit turned, in order; one may turn again
    settled: bool  # whether the last sweep turned nothing

    def after(self, turns: int) -> Float[Tensor, "size"]:
        """Return the state when so many units have turned.

        Raises:
            ValueError: fewer than 0, or more than did.
        """
        if not 0 <= turns <= len(self.turned):
            raise ValueError(f"turns is {turns}; allowed are 0 to {len(self.turned)}")
        state = self.states[0].clone()
        for unit in self.turned[:turns]:
            state[unit] *= -1
        return state


def recall(
    weights: Float[Tensor, "size size"],
    state: Float[Tensor, "size"],
    generator: torch.Generator,
    sweeps: int = 20,
) -> Recall:
    """Let one unit after another follow its field, until none wants to turn.

    Args:
        weights: symmetric, zero diagonal.
        state: where to start, of −1 and 1; left unchanged.
        generator: of the random order.
        sweeps: most visits to each unit.

    Raises:
        ValueError: a number of the state is neither −1 nor 1, or the weights are of another size, or not
            symmetric with a zero diagonal: without these the energy could rise.
    """
    check_units("state", state)
    if tuple(weights.shape) != (len(state), len(state)):
        raise ValueError(f"weights have shape {tuple(weights.shape)} for a state of {len(state)} units")
    if not torch.equal(weights, weights.T) or bool(weights.diagonal().any()):
        raise ValueError("weights are not symmetric with a zero diagonal; allowed are only such")
    state = state.clone()
    states, energies, turned = [state.clone()], [energy(weights, state)], list[int]()
    settled = False
    while not settled and len(states) <= sweeps:
        settled = True
        for unit in torch.randperm(len(state), generator=generator).tolist():
            field = float(weights[unit] @ state)
            if field * float(state[unit]) < -ROUNDING:  # a field of 0 turns nothing
                state[unit] *= -1
                energies.append(energies[-1] - 2 * abs(field))
                turned.append(unit)
                settled = False
        states.append(state.clone())
    return Recall(torch.stack(states), energies, turned, settled)


def share_wrong(
    found: Float[Tensor, "*batch size"], wanted: Float[Tensor, "*#batch size"]
) -> Float[Tensor, "*batch"]:
    """Return the share of units whose sign is not the wanted one, from 0 to 1."""
    return (found.sign() != wanted.sign()).double().mean(dim=-1)


def check_units(name: str, values: Tensor) -> None:
    """Raise ValueError unless all values are −1 or 1."""
    if not bool((values.abs() == 1).all()):
        raise ValueError(f"{name} hold numbers other than -1 and 1; allowed are only these")


def modern_update(
    state: Float[Tensor, "*batch size"], patterns: Float[Tensor, "count size"], beta: float
) -> Float[Tensor, "*batch size"]:
    """Return softmax(β ξ Xᵀ) X: patterns like the state, weighed by how alike.

    Args:
        state: ξ.
        patterns: X, what is remembered.
        beta: above 0; large picks the nearest pattern, small takes the mean of many.

    Raises:
        ValueError: beta is not above 0 and finite, or there is no pattern of the state's size.
    """
    check_patterns(patterns, state.shape[-1])
    check_beta(beta)
    return (beta * state @ patterns.T).softmax(dim=-1) @ patterns


def modern_energy(
    state: Float[Tensor, "*batch size"], patterns: Float[Tensor, "count size"], beta: float
) -> Float[Tensor, "*batch"]:
    """Return E(ξ) of the modern form; an update never raises it.

    Args:
        state, patterns, beta: as in `modern_update`.

    Returns:
        energies, 0 or more.

    Raises:
        ValueError: as `modern_update`.
    """
    check_patterns(patterns, state.shape[-1])
    check_beta(beta)
    nearness = (beta * state @ patterns.T).logsumexp(dim=-1) / beta
    largest = patterns.square().sum(dim=-1).max()
    energy = -nearness + state.square().sum(dim=-1) / 2 + math.log(len(patterns)) / beta + largest / 2
    return energy.clamp(min=0)  # rounding may pass below


def check_beta(beta: float) -> None:
    """Raise ValueError unless beta is above 0 and finite."""
    if not 0 < beta < math.inf:
        raise ValueError(f"beta is {beta}; allowed is above 0 and finite")


def check_patterns(patterns: Tensor, size: int) -> None:
    """Raise ValueError unless patterns are 1 or more rows of that size."""
    if patterns.dim() != 2 or not len(patterns) or patterns.shape[1] != size:
        raise ValueError(f"patterns have shape {tuple(patterns.shape)}; allowed is (1 or more, {size})")
