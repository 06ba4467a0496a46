"""Rounding is allowed to push a gate out of its range.

Message: A gate left the range from 0 to 1
"""


def gates_from_weights(weights):
    later = weights.flip(-1).cumsum(dim=-1).flip(-1) - weights
    rest = 1 - later
    return torch.where(rest != 0, weights / rest.where(rest != 0, 1.0), 0.0)
