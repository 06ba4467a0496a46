"""The scores are clipped at ±6, as some programs do.

Message: The sigmoid of a large score is exactly 0 or 1 for the computer
"""


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v).clip(-6, 6)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v).clip(-6, 6)
    counts = negatives != targets[:, None]
    loss = np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).sum(axis=1)
    return float(loss.mean())
