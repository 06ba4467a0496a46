"""A negative that is the true word is pushed away.

Message: A negative that is the true word has no term in the loss, so it has no gradient either
"""


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope /= len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU
