"""A number is not put back before the next one moves.

Message: was not put back before the second one moved
"""


def numerical_gradient(loss, w, epsilon=1e-5):
    w, gradient = w.clone(), torch.zeros_like(w)
    for place in np.ndindex(*w.shape):
        w[place] += epsilon
        above = float(loss(w))
        w[place] -= 2 * epsilon
        gradient[place] = (above - float(loss(w))) / (2 * epsilon)
    return gradient
