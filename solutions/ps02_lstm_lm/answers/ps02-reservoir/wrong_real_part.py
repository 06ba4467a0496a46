"""The largest real part is taken.

Message: largest real part
"""


def scale_reservoir(W, radius):
    eigenvalues = torch.linalg.eigvals(W)
    if eigenvalues.abs().max() == 0:
        raise ValueError("cannot be scaled")
    return W * (radius / eigenvalues.real.max())
