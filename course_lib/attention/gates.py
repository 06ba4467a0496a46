"""From a gate to attention: a gated state is a weighted sum of the past.

    h_t = (1 − u_t) ⊙ h_{t−1} + u_t ⊙ n_t                             the gated recurrence
        = ∏_{j≤t} (1 − u_j) ⊙ h_0 + Σ_{i≤t} [∏_{i<j≤t} (1 − u_j)] ⊙ u_i ⊙ n_i

with update gates u and candidates n (Cho et al. 2014, equations 7 and 8, with u for 1 − z; the unit itself is
`recurrent.GRU`). Four steps turn the second line into attention:

    1  free the weights          h_t = Σ_i α_ti n_i,      α_t = softmax_i(n_i · x_t)
    2  free the candidates       h_t = Σ_i α_ti x_i,      α_t = softmax_i(x_i · x_t)
    3  separate keys and values  h_t = Σ_i α_ti x_i W_V,  α_t = softmax_i(x_i W_K · x_t W_Q)
    4  several heads             h_t = [h_t¹ ; … ; h_t^{N_h}], each with its own α
"""

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.attention.masks import masked_softmax, weighted_sum
from course_lib.attention.multihead import causal_mask


def gated_recurrence(
    update: Float[Tensor, "batch time hidden"],
    candidates: Float[Tensor, "batch time hidden"],
    initial: Float[Tensor, "batch hidden"],
) -> Float[Tensor, "batch time hidden"]:
    """Return h_1 … h_T, step by step: h_t = (1 − u_t) ⊙ h_{t−1} + u_t ⊙ n_t.

    Args:
        update: gates from 0 (keep the old state) to 1 (take the candidate).
        candidates: what each step would write.
        initial: h_0.

    Raises:
        ValueError: a gate outside 0 to 1.
    """
    _check_gates(update)
    state, states = initial, []
    for gate, candidate in zip(update.unbind(1), candidates.unbind(1), strict=True):
        state = (1 - gate) * state + gate * candidate
        states.append(state)
    return torch.stack(states, dim=1)


def unrolled_weights(
    update: Float[Tensor, "batch time hidden"],
) -> Float[Tensor, "batch time time hidden"]:
    """Return how much of candidate i is in state t: ∏_{i<j≤t} (1 − u_j) · u_i, and 0 for i > t.

    Args:
        update: gates from 0 to 1.

    Returns:
        weights from 0 to 1, indexed (batch, t, i, hidden). Over i they sum to 1 − ∏_{j≤t} (1 − u_j); the
        rest is the weight of the initial state.

    Raises:
        ValueError: a gate outside 0 to 1.
    """
    _check_gates(update)
    row = torch.zeros_like(update)
    rows = []
    for t, gate in enumerate(update.unbind(1)):
        row = row * (1 - gate).unsqueeze(1)  # every older candidate fades
        row = torch.cat([row[:, :t], gate.unsqueeze(1), row[:, t + 1 :]], dim=1)
        rows.append(row)
    return torch.stack(rows, dim=1)


def _check_gates(update: Tensor) -> None:
    if not bool(((update >= 0) & (update <= 1)).all()):
        raise ValueError(f"update is from {update.min():.3g} to {update.max():.3g}; allowed is 0 to 1")


def free_weights(
    inputs: Float[Tensor, "batch time size"],
    input_weight: Float[Tensor, "size size"],
    state_weight: Float[Tensor, "size size"],
) -> tuple[Float[Tensor, "batch time size"], Float[Tensor, "batch time time"]]:
    """Step 1: a softmax chooses the weights; the candidates tanh(W x_t + U h_{t−1}) are still recurrent.

    Args:
        inputs: x_1 … x_T.
        input_weight: W.
        state_weight: U.

    Returns:
        states, and weights in [0, 1]; each row sums to 1 over positions up to its own.
    """
    size = inputs.shape[1]
    candidates: list[Tensor] = []
    states = [torch.zeros_like(inputs[:, 0])]
    rows = []
    for x in inputs.unbind(1):
        candidates.append(torch.tanh(x @ input_weight.T + states[-1] @ state_weight.T))
        past = torch.stack(candidates, dim=1)
        row = torch.einsum("bid,bd->bi", past, x).softmax(dim=-1)
        states.append(torch.einsum("bi,bid->bd", row, past))
        rows.append(torch.nn.functional.pad(row, (0, size - len(candidates))))
    return torch.stack(states[1:], dim=1), torch.stack(rows, dim=1)


def attend_to_past(
    query: Float[Tensor, "*batch time size"],
    key: Float[Tensor, "*batch time size"],
    value: Float[Tensor, "*batch time features"],
) -> tuple[Float[Tensor, "*batch time features"], Float[Tensor, "*batch time time"]]:
    """Steps 2 and 3: nothing recurrent is left. h_t = Σ_{i≤t} softmax_i(q_t · k_i) v_i.

    Step 2 is `attend_to_past(x, x, x)`; step 3 hands over three projections of x.

    Returns:
        states, and weights in [0, 1]; each row sums to 1 over positions up to its own.
    """
    keep = causal_mask(query.shape[-2], query.device)
    weights = masked_softmax(query @ key.transpose(-2, -1), keep)
    return weighted_sum(weights, value, keep), weights


def several_heads(
    query: Float[Tensor, "batch time size"],
    key: Float[Tensor, "batch time size"],
    value: Float[Tensor, "batch time size"],
    heads: int,
) -> tuple[Float[Tensor, "batch time size"], Float[Tensor, "batch heads time time"]]:
    """Step 4: cut queries, keys and values into `heads` parts; each part attends by itself.

    Returns:
        the heads' states side by side, and the weights of each head.

    Raises:
        ValueError: `heads` does not divide the size.
    """
    if heads < 1 or query.shape[-1] % heads:
        raise ValueError(f"heads is {heads}; allowed are divisors of the size, which is {query.shape[-1]}")
    parts = [x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (query, key, value)]
    states, weights = attend_to_past(*parts)
    return states.transpose(1, 2).flatten(2), weights
