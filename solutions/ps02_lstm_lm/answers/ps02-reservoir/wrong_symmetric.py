"""The eigenvalues are computed as if the matrix were symmetric.

Message: eigvalsh is for symmetric matrices
"""


def scale_reservoir(W, radius):
    now = torch.linalg.eigvalsh(W).abs().max()
    if now == 0:
        raise ValueError("cannot be scaled")
    return W * (radius / now)
