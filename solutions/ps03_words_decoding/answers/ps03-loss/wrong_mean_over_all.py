"""Everything is divided by the number of all terms.

Message: Divide by the number of pairs, not by the number of all terms
"""


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).sum(axis=1)
    return float(loss.sum() / (len(v) + negatives.size))
