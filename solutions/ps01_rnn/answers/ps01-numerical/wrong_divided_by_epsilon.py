"""The distance between both sides is taken to be ε.

Message: From w − ε to w + ε it is 2 ε
"""


def numerical_gradient(loss, w, epsilon=1e-5):
    gradient = torch.zeros_like(w)
    for place in np.ndindex(*w.shape):
        step = torch.zeros_like(w)
        step[place] = epsilon
        gradient[place] = float(loss(w + step) - loss(w - step)) / epsilon
    return gradient
