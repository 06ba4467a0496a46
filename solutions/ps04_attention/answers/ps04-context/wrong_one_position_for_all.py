"""Every sentence loses the position of the first.

Message: each has its own
"""


def contexts(weights, h, drop=None):
    if drop is not None:
        weights = weights.index_fill(2, drop[:1], 0.0)
        total = weights.sum(dim=-1, keepdim=True)
        weights = weights / total.where(total > 0, 1.0)
    return weights @ h
