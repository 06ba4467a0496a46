"""A word that is drawn twice is pushed once.

Message: A word that comes up several times gets the sum
"""


def negative_gradients(v, U, targets, negatives):
    dv, dU = np.zeros_like(v), np.zeros_like(U)
    for b, target in enumerate(targets):
        for word in {int(target), *negatives[b].tolist()}:
            slope = (1 / (1 + np.exp(-U[word] @ v[b])) - (word == target)) / len(v)
            dv[b] += slope * U[word]
            dU[word] += slope * v[b]
    return dv, dU
