"""The sum runs over the earlier weights.

Message: You subtracted the weights before t
"""


def gates_from_weights(weights):
    rest = 1 - (weights.cumsum(dim=-1) - weights)
    return torch.where(rest > 0, weights / rest, 0.0).clamp(0, 1)
