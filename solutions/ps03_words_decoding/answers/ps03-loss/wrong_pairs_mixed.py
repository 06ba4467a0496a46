"""All centres meet all negatives.

Message: Each centre meets its own negatives; a product of all centres with all negatives mixes the
"""


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = U[negatives] @ v.T
    counts = (negatives != targets[:, None])[:, :, None]
    return float((np.logaddexp(0, -right) + (counts * np.logaddexp(0, wrong)).sum(axis=(1, 2))).mean())
