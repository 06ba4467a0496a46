"""Only the true word acts on the centre.

Message: The negatives act on the centre, too: dv has a term for each
"""


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    slope /= len(v)
    dv = slope[:, :1] * U[targets]
    dU = np.zeros_like(U)
    np.add.at(dU, asked, slope[:, :, None] * v[:, None, :])
    return dv, dU
