"""The sigmoid is computed first, then its logarithm.

Message: The sigmoid of a large score is exactly 0 or 1 for the computer
"""


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    counts = negatives != targets[:, None]
    loss = -np.log(1 / (1 + np.exp(-right))) + (counts * -np.log(1 - 1 / (1 + np.exp(-wrong)))).sum(axis=1)
    return float(loss.mean())
