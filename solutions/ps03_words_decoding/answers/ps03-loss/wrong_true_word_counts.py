"""A negative that is the true word counts as wrong.

Message: A negative that is the true word does not count; yours is pushed away and pulled at once
"""


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = 1
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).sum(axis=1)
    return float(loss.mean())
