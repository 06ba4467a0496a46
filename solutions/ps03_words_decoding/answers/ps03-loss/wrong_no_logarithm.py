"""The sigmoids themselves are added.

Message: The loss adds −ln σ, not 1 − σ
"""


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = (1 - 1 / (1 + np.exp(-right))) + (counts * (1 / (1 + np.exp(-wrong)))).sum(axis=1)
    return float(loss.mean())
