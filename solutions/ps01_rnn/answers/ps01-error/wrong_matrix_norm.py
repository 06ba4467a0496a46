"""The norm of a matrix is taken row by row.

Message: your code raised
"""


def gradient_error(n, g):
    size = n.norm(dim=-1) + g.norm(dim=-1)
    return 0.0 if bool((size == 0).all()) else float((n - g).norm(dim=-1) / size)
