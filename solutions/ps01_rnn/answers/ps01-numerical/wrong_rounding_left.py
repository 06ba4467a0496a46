"""Each number is moved forth and back, which leaves a rounding error.

Message: changed the caller's w
"""


def numerical_gradient(loss, w, epsilon=1e-5):
    gradient = torch.zeros_like(w)
    for place in np.ndindex(*w.shape):
        w[place] += epsilon
        above = float(loss(w))
        w[place] -= 2 * epsilon
        gradient[place] = (above - float(loss(w))) / (2 * epsilon)
        w[place] += epsilon
    return gradient
