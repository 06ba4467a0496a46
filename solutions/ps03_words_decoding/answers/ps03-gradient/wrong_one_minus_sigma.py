"""A negative's slope is 1 − σ.

Message: A negative's slope is σ(u · v): the more similar it is, the harder it is pushed. Yours is 1 − σ
"""


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope = 1 - slope
    slope[:, 0] *= -1
    slope[:, 1:] *= negatives != targets[:, None]
    slope /= len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU
