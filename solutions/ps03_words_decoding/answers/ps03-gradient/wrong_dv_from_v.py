"""dv is built from the centres.

Message: dv is built of the vectors of the guessed words, dU of the centres
"""


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    slope /= len(v)
    dv = slope.sum(axis=1, keepdims=True) * v
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU
