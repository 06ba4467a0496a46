"""The negatives are pulled as the true word is.

Message: The sigmoid of a negative has a minus inside: −ln σ(−u · v). Yours pulls negatives closer
"""


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, -wrong)).sum(axis=1)
    return float(loss.mean())
