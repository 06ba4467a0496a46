"""All numbers move at once.

Message: Move one number at a time
"""


def numerical_gradient(loss, w, epsilon=1e-5):
    return torch.full_like(w, float(loss(w + epsilon) - loss(w - epsilon)) / (2 * epsilon))
