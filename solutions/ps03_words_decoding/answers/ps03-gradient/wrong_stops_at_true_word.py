"""Behind a negative that is the true word nothing is pushed any more.

Message: A negative that is the true word is left out; those behind it count: continue, not break
"""


def negative_gradients(v, U, targets, negatives):
    dv, dU = np.zeros_like(v), np.zeros_like(U)
    for b, target in enumerate(targets):
        for k, word in enumerate([target, *negatives[b]]):
            if k > 0 and word == target:
                break
            slope = (1 / (1 + np.exp(-U[word] @ v[b])) - (k == 0)) / len(v)
            dv[b] += slope * U[word]
            dU[word] += slope * v[b]
    return dv, dU
