"""The log-likelihood is returned.

Message: That is the log-likelihood, negative. A loss is its negative, above 0
"""


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).sum(axis=1)
    return -float(loss.mean())
