"""Real-time recurrent learning: the same gradient as backpropagation through time, carried forward.

The network is that of `bptt`. Each state depends on the weights directly, and through the state before:

    ∂h_t/∂θ = diag(1 − h_t²) (∂a_t/∂θ + W_hh ∂h_{t−1}/∂θ)
    ∂L_t/∂θ = (∂L_t/∂h_t) ∂h_t/∂θ

Nothing of the past is kept but ∂h/∂θ, so a sequence may be endless and the weights may change at every step.
The price: hidden² · (input + hidden + 1) numbers to carry, and about hidden⁴ products a step, where
backpropagation takes hidden² and keeps all states.

Williams and Zipser 1989, equations 3 to 11.
"""

from collections.abc import Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.recurrent.bptt import Weights, forward


@torch.no_grad()
def real_time_gradients(
    weights: Weights, inputs: Float[Tensor, "batch time input"], targets: Int[Tensor, "batch time"]
) -> Iterator[Weights]:
    """Yield the gradient of each step's loss, as soon as the step is done; their sum is that of `backward`.

    Args:
        weights: of the network.
        inputs: x_1 … x_T.
        targets: the right class at each step, from 0.

    Raises:
        ValueError: as `bptt.forward`.
    """
    h = weights.h_0
    batch, hidden = h.shape
    ones = h.new_ones(batch, 1)
    # of each state's feature (axis 1) by row `i`, column `k` of [W_xh, W_hh, b] (axes 2, 3), and by h_0
    by_weights = h.new_zeros(batch, hidden, hidden, weights.W_xh.shape[1] + hidden + 1)
    by_start = torch.eye(hidden).to(h).expand(batch, -1, -1)
    own_row = torch.arange(hidden, device=h.device)
    for t in range(inputs.shape[1]):
        seen = forward(weights._replace(h_0=h), inputs[:, t : t + 1], targets[:, t : t + 1])
        read = torch.cat([inputs[:, t], h, ones], dim=1)  # what a_t is linear in
        h = seen.states[:, 0]
        slope = (1 - h**2).unsqueeze(2)
        by_weights = torch.einsum("ij,bjrk->birk", weights.W_hh, by_weights)
        by_weights[:, own_row, own_row] += read.unsqueeze(1)  # row i of the weights moves feature i alone
        by_weights *= slope.unsqueeze(3)
        by_start = slope * (weights.W_hh @ by_start)
        d_logits = seen.probabilities[:, 0] - torch.nn.functional.one_hot(targets[:, t], len(weights.W_hy))
        d_h = d_logits @ weights.W_hy
        d_W = torch.einsum("bi,birk->rk", d_h, by_weights)
        d_W_xh, d_W_hh, d_b = d_W.split([weights.W_xh.shape[1], hidden, 1], dim=1)
        d_h_0 = torch.einsum("bi,bij->bj", d_h, by_start)
        yield Weights(d_W_xh, d_W_hh, d_logits.T @ h, d_b.squeeze(1), d_h_0)
