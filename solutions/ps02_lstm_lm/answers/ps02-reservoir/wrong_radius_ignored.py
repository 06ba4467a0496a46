"""The result always has the radius 1.

Message: multiply by radius
"""


def scale_reservoir(W, radius):
    now = torch.linalg.eigvals(W).abs().max()
    if now == 0:
        raise ValueError("cannot be scaled")
    return W / now
