"""The caller's matrix is changed.

Message: your function changed the caller's W
"""


def scale_reservoir(W, radius):
    now = torch.linalg.eigvals(W).abs().max()
    if now == 0:
        raise ValueError("cannot be scaled")
    W *= radius / now
    return W
