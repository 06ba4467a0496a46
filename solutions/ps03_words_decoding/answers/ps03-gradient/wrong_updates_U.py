"""The caller's U is trained while the gradients are computed.

Message: your function changed the caller's U
"""


def negative_gradients(v, U, targets, negatives):
    dv, before = np.zeros_like(v), U.copy()
    for b, target in enumerate(targets):
        for word, wanted in [(target, 1.0), *((n, 0.0) for n in negatives[b] if n != target)]:
            slope = (1 / (1 + np.exp(-before[word] @ v[b])) - wanted) / len(v)
            dv[b] += slope * before[word]
            U[word] -= slope * v[b]
    return dv, before - U
