"""Written with one row of signs and an order of rows."""


def to_slides(W, U, b, d):
    size = len(b) // 3
    rows = [*range(size, 2 * size), *range(size), *range(2 * size, 3 * size)]
    signs = torch.ones(3 * size, dtype=b.dtype)
    signs[:size] = -1
    return signs[:, None] * W[rows], signs[:, None] * U[rows], signs * b[rows], signs * d[rows]
