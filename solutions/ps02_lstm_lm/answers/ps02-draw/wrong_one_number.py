"""One number serves all rows.

Message: each has its own
"""


def draw(p, u):
    return (p.cumsum(dim=1) <= u[0]).sum(dim=1)
