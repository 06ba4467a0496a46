"""A softmax over the true word and its negatives.

Message: That is a softmax among the words; negative sampling asks a yes-no question of each
"""


def negative_loss(v, U, targets, negatives):
    right = np.einsum("bd,bd->b", U[targets], v)
    wrong = np.einsum("bkd,bd->bk", U[negatives], v)
    wrong = np.where(negatives != targets[:, None], wrong, -np.inf)
    return float((np.logaddexp(right, np.logaddexp.reduce(wrong, axis=1)) - right).mean())
