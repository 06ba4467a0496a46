"""dU[words] += … keeps one of several contributions.

Message: A word that comes up several times gets the sum: with repeated indices `dU[words] += …` keeps
"""


def negative_gradients(v, U, targets, negatives):
    asked = np.column_stack([targets, negatives])
    scores = np.einsum("bkd,bd->bk", U[asked], v)
    slope = 1 / (1 + np.exp(-scores))
    slope[:, 0] -= 1
    slope[:, 1:] *= negatives != targets[:, None]
    slope /= len(v)
    dv = np.einsum("bk,bkd->bd", slope, U[asked])
    dU = np.zeros_like(U)
    dU[asked] += slope[:, :, None] * v[:, None, :]
    return dv, dU
