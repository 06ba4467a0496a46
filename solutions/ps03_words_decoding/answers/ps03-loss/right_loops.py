"""Written pair by pair and word by word."""


def negative_loss(v, U, targets, negatives):
    total = 0.0
    for centre, target, drawn in zip(v, targets, negatives, strict=True):
        total += np.logaddexp(0.0, -(U[target] @ centre))
        for word in drawn:
            if word != target:
                total += np.logaddexp(0.0, U[word] @ centre)
    return total / len(v)
