"""Nothing is done where nothing is left.

Message: so you divide 0 by 0
"""


def gates_from_weights(weights):
    later = weights.flip(-1).cumsum(dim=-1).flip(-1) - weights
    return (weights / (1 - later)).clamp(0, 1)
