"""The matrix is divided by the root of its sum of squares.

Message: You divided by the root of the sum of squares
"""


def scale_reservoir(W, radius):
    if torch.linalg.eigvals(W).abs().max() == 0:
        raise ValueError("cannot be scaled")
    return W * (radius / W.norm())
