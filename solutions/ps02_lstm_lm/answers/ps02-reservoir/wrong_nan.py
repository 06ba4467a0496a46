"""A matrix without a radius is scaled all the same.

Message: Where every eigenvalue is 0 there is nothing to scale
"""


def scale_reservoir(W, radius):
    return W * (radius / torch.linalg.eigvals(W).abs().max())
