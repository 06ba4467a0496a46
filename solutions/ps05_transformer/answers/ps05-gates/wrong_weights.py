"""The weights themselves are taken for the gates.

Message: These are the weights
"""


def gates_from_weights(weights):
    return weights.clone()
