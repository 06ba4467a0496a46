"""The rest is taken to be the sum up to t, as if every row summed to 1.

Message: only where a row sums to 1
"""


def gates_from_weights(weights):
    rest = weights.cumsum(dim=-1)
    return torch.where(rest > 0, weights / rest.clamp(min=1e-30), 0.0)
