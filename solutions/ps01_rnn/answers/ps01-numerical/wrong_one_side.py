"""Differences to one side.

Message: Those are differences to one side
"""


def numerical_gradient(loss, w, epsilon=1e-5):
    gradient = torch.zeros_like(w)
    for place in np.ndindex(*w.shape):
        step = torch.zeros_like(w)
        step[place] = epsilon
        gradient[place] = float(loss(w + step) - loss(w)) / epsilon
    return gradient
