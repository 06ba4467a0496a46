# %% right: backwards
# Written as a loop from the last step back, with what is left in one number a row.


def gates_from_weights(weights):
    gates, rest = [], torch.ones_like(weights[..., 0])
    for weight in weights.unbind(-1)[::-1]:
        gate = torch.where(rest > 0, weight / rest.clamp(min=1e-30), 0.0).clamp(0, 1)
        gates.append(gate)
        rest = rest - weight
    return torch.stack(gates[::-1], dim=-1)


# %% right: matrix
# Written with one triangular matrix product for all sums at once.


def gates_from_weights(weights):
    later = torch.ones(weights.shape[-1], weights.shape[-1], dtype=weights.dtype).tril(-1)
    rest = (1 - weights @ later).clamp(min=0)
    return (weights / rest).nan_to_num(0.0, posinf=1.0).clamp(0, 1)


# %% right: product
# Written with the gates already found: what is left is the product of all later 1 - u.


def gates_from_weights(weights):
    gates = torch.zeros_like(weights)
    rest = torch.ones_like(weights[..., 0])
    for t in range(weights.shape[-1] - 1, -1, -1):
        some = rest > 1e-12
        gates[..., t] = torch.where(some, weights[..., t] / rest.where(some, 1.0), 0.0).clamp(0, 1)
        rest = rest * (1 - gates[..., t])
    return gates


# %% wrong: earlier weights
# The sum runs over the earlier weights.
# Message: You subtracted the weights before t


def gates_from_weights(weights):
    rest = 1 - (weights.cumsum(dim=-1) - weights)
    return torch.where(rest > 0, weights / rest, 0.0).clamp(0, 1)


# %% wrong: first axis
# The sum runs along the first axis.
# Message: The sum runs along the last axis, over time; yours runs along the first


def gates_from_weights(weights):
    rest = 1 - (weights.flip(0).cumsum(dim=0).flip(0) - weights)
    return torch.where(rest > 0, weights / rest.where(rest > 0, 1.0), 0.0).clamp(0, 1)


# %% wrong: in place
# The caller's weights are overwritten.
# Message: changed the caller's weights


def gates_from_weights(weights):
    later = weights.flip(-1).cumsum(dim=-1).flip(-1) - weights
    rest = (1 - later).clamp(min=0)
    weights /= rest.where(rest > 0, 1.0)
    return weights.clamp(0, 1)


# %% wrong: including itself
# The sum includes the weight of the step itself.
# Message: The sum leaves out w_t itself


def gates_from_weights(weights):
    rest = 1 - weights.flip(-1).cumsum(dim=-1).flip(-1)
    return torch.where(rest > 0, weights / rest, 0.0)


# %% wrong: not clamped
# Rounding is allowed to push a gate out of its range.
# Message: A gate left the range from 0 to 1


def gates_from_weights(weights):
    later = weights.flip(-1).cumsum(dim=-1).flip(-1) - weights
    rest = 1 - later
    return torch.where(rest != 0, weights / rest.where(rest != 0, 1.0), 0.0)


# %% wrong: sum up to t
# The rest is taken to be the sum up to t, as if every row summed to 1.
# Message: only where a row sums to 1


def gates_from_weights(weights):
    rest = weights.cumsum(dim=-1)
    return torch.where(rest > 0, weights / rest.clamp(min=1e-30), 0.0)


# %% wrong: up to t
# The sum runs from the first step up to t.
# Message: yours runs over those up to t


def gates_from_weights(weights):
    rest = 1 - weights.cumsum(dim=-1)
    return weights / rest


# %% wrong: weights
# The weights themselves are taken for the gates.
# Message: These are the weights


def gates_from_weights(weights):
    return weights.clone()


# %% wrong: zero over zero
# Nothing is done where nothing is left.
# Message: so you divide 0 by 0


def gates_from_weights(weights):
    later = weights.flip(-1).cumsum(dim=-1).flip(-1) - weights
    return (weights / (1 - later)).clamp(0, 1)
