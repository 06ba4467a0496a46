"""Backpropagation through time, by hand, for the vanilla network with a softmax at every step.

    a_t = W_xh x_t + W_hh h_{t−1} + b     h_t = tanh(a_t)     ŷ_t = softmax(W_hy h_t)
    L   = −Σ_t log ŷ_t[y_t]

From the last step to the first, with 1_y the one-hot vector of y:

    ∂L/∂h_t  = W_hyᵀ (ŷ_t − 1_{y_t}) + W_hhᵀ ∂L/∂a_{t+1}      now, and all that comes later
    ∂L/∂a_t  = ∂L/∂h_t ⊙ (1 − h_t²)
    ∂L/∂W_hh = Σ_t ∂L/∂a_t h_{t−1}ᵀ     ∂L/∂W_xh = Σ_t ∂L/∂a_t x_tᵀ     ∂L/∂b = Σ_t ∂L/∂a_t
    ∂L/∂W_hy = Σ_t (ŷ_t − 1_{y_t}) h_tᵀ     ∂L/∂h_0 = W_hhᵀ ∂L/∂a_1

Werbos 1990.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.recurrent.layer import check_inputs, check_state
from course_lib.recurrent.problems import check_classes


class Weights(NamedTuple):
    """All that the network learns; also the gradients, each in the place of what it is the gradient of."""

    W_xh: Float[Tensor, "hidden input"]
    W_hh: Float[Tensor, "hidden hidden"]
    W_hy: Float[Tensor, "classes hidden"]
    b: Float[Tensor, "hidden"]
    h_0: Float[Tensor, "batch hidden"]  # one start for each sequence: zeros, learned, or carried from before


class Forward(NamedTuple):
    """What the way back needs of the way there."""

    loss: Float[Tensor, ""]  # L, in nats, summed over steps and sequences
    states: Float[Tensor, "batch time hidden"]  # h_1 … h_T
    probabilities: Float[Tensor, "batch time classes"]  # ŷ_1 … ŷ_T


class Backward(NamedTuple):
    """What the way back finds."""

    gradients: Weights
    flow: Float[Tensor, "batch time hidden"]  # ∂L/∂h_1 … ∂L/∂h_T


def forward(
    weights: Weights, inputs: Float[Tensor, "batch time input"], targets: Int[Tensor, "batch time"]
) -> Forward:
    """Read the inputs, predict a class at each step, and sum the loss.

    Args:
        weights: of the network.
        inputs: x_1 … x_T.
        targets: the right class at each step, from 0.

    Raises:
        ValueError: shapes do not fit each other, there are no steps, or a target is no class.
    """
    check_inputs(inputs, weights.W_xh.shape[1], None)
    if targets.shape != inputs.shape[:2]:
        raise ValueError(f"targets have shape {tuple(targets.shape)}; allowed is {tuple(inputs.shape[:2])}")
    check_state((weights.h_0,), 1, (len(inputs), len(weights.W_hh)))
    check_classes("targets", targets, len(weights.W_hy))
    h, states = weights.h_0, []
    for x in inputs.unbind(1):
        h = torch.tanh(x @ weights.W_xh.T + h @ weights.W_hh.T + weights.b)
        states.append(h)
    history = torch.stack(states, dim=1)
    log_probabilities = (history @ weights.W_hy.T).log_softmax(dim=-1)
    loss = -log_probabilities.take_along_dim(targets.unsqueeze(-1), dim=-1).sum()
    return Forward(loss, history, log_probabilities.exp())


def backward(
    weights: Weights,
    inputs: Float[Tensor, "batch time input"],
    targets: Int[Tensor, "batch time"],
    seen: Forward,
) -> Backward:
    """Go back through time.

    Args:
        weights, inputs, targets: what `forward` had.
        seen: what `forward` returned.

    Returns:
        the gradient of L by each weight, and by each state on the way.
    """
    d_logits = seen.probabilities - torch.nn.functional.one_hot(targets, seen.probabilities.shape[-1])
    before = torch.cat([weights.h_0.unsqueeze(1), seen.states[:, :-1]], dim=1)  # h_0 … h_{T−1}
    d_W_xh, d_W_hh, d_b = (torch.zeros_like(w) for w in (weights.W_xh, weights.W_hh, weights.b))
    from_later = torch.zeros_like(weights.h_0)  # W_hhᵀ ∂L/∂a_{t+1}; nothing comes after the last step
    flow = []
    for t in reversed(range(inputs.shape[1])):
        d_h = d_logits[:, t] @ weights.W_hy + from_later
        d_a = d_h * (1 - seen.states[:, t] ** 2)
        d_W_xh += d_a.T @ inputs[:, t]
        d_W_hh += d_a.T @ before[:, t]
        d_b += d_a.sum(dim=0)
        from_later = d_a @ weights.W_hh
        flow.append(d_h)
    d_W_hy = torch.einsum("btc,bth->ch", d_logits, seen.states)
    return Backward(Weights(d_W_xh, d_W_hh, d_W_hy, d_b, from_later), torch.stack(flow[::-1], dim=1))
