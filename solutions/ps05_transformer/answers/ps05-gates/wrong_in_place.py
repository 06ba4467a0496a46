"""The caller's weights are overwritten.

Message: changed the caller's weights
"""


def gates_from_weights(weights):
    later = weights.flip(-1).cumsum(dim=-1).flip(-1) - weights
    rest = (1 - later).clamp(min=0)
    weights /= rest.where(rest > 0, 1.0)
    return weights.clamp(0, 1)
