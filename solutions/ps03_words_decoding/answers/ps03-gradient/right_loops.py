"""Written pair by pair and word by word."""


def negative_gradients(v, U, targets, negatives):
    dv, dU = np.zeros_like(v), np.zeros_like(U)
    for b, target in enumerate(targets):
        for word, wanted in [(target, 1.0), *((n, 0.0) for n in negatives[b] if n != target)]:
            slope = (0.5 + 0.5 * np.tanh(U[word] @ v[b] / 2) - wanted) / len(v)
            dv[b] += slope * U[word]
            dU[word] += slope * v[b]
    return dv, dU
