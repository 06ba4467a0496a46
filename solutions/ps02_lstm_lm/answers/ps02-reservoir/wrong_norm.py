"""The matrix is divided by its 2-norm.

Message: You divided by a norm of the matrix
"""


def scale_reservoir(W, radius):
    now = torch.linalg.matrix_norm(W, ord=2)
    if torch.linalg.eigvals(W).abs().max() == 0:
        raise ValueError("cannot be scaled")
    return W * (radius / now)
