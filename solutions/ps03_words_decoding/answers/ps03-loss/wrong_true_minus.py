"""The true word has the minus inside.

Message: The sigmoid of the true word has no minus inside: −ln σ(u · v)
"""


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, right) + (counts * np.logaddexp(0, wrong)).sum(axis=1)
    return float(loss.mean())
