"""The negatives of a pair are averaged.

Message: The terms of the negatives are added, not averaged over K
"""


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).mean(axis=1)
    return float(loss.mean())
