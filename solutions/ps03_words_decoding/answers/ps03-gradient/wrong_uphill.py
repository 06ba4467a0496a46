"""The gradient has the wrong sign.

Message: The sign is turned round: the gradient of the loss points uphill. For the true word it is (σ −
"""


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    slope /= -len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU
