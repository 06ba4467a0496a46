"""A small number guards the denominator.

Message: it hides errors of small gradients
"""


def gradient_error(n, g):
    return float((n - g).norm() / (n.norm() + g.norm() + 1e-8))
