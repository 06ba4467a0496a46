"""Nothing is done for two zeros.

Message: 0 / 0 is NaN, or an error
"""


def gradient_error(n, g):
    return float((n - g).norm() / (n.norm() + g.norm()))
