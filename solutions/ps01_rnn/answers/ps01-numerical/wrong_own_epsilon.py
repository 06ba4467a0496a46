"""The ε of the function is its own.

Message: The ε that you use is the argument
"""


def numerical_gradient(loss, w, epsilon=1e-5):
    epsilon = 1e-5
    gradient = torch.zeros_like(w)
    for place in np.ndindex(*w.shape):
        step = torch.zeros_like(w)
        step[place] = epsilon
        gradient[place] = float(loss(w + step) - loss(w - step)) / (2 * epsilon)
    return gradient
