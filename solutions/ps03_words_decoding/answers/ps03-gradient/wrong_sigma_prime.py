"""The derivative of the sigmoid is a factor.

Message: The derivative of −ln σ(a) is σ(a) − 1: the logarithm takes away the factor σ (1 − σ)
"""


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    slope *= 1 / (1 + np.exp(-scores)) * (1 - 1 / (1 + np.exp(-scores)))
    slope /= len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU
