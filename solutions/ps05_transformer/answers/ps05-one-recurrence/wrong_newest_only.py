"""Of each row only the newest of the faded weights is compared.

Message: Every weight of a row must fit, also the oldest
"""


def one_recurrence(weights):
    gates = weights.diagonal(dim1=1, dim2=2)
    faded = gates[:, :-1] * (1 - gates[:, 1:])
    return ((weights.diagonal(offset=-1, dim1=1, dim2=2) - faded).abs() <= 1e-6).all(dim=1)
