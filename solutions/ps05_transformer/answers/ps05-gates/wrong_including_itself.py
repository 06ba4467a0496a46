"""The sum includes the weight of the step itself.

Message: The sum leaves out w_t itself
"""


def gates_from_weights(weights):
    rest = 1 - weights.flip(-1).cumsum(dim=-1).flip(-1)
    return torch.where(rest > 0, weights / rest, 0.0)
