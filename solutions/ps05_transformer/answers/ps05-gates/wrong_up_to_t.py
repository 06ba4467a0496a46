"""The sum runs from the first step up to t.

Message: yours runs over those up to t
"""


def gates_from_weights(weights):
    rest = 1 - weights.cumsum(dim=-1)
    return weights / rest
