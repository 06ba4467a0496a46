"""The sum runs along the first axis.

Message: The sum runs along the last axis, over time; yours runs along the first
"""


def gates_from_weights(weights):
    rest = 1 - (weights.flip(0).cumsum(dim=0).flip(0) - weights)
    return torch.where(rest > 0, weights / rest.where(rest > 0, 1.0), 0.0).clamp(0, 1)
