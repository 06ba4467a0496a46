"""The roots are forgotten.

Message: A norm is the square root
"""


def gradient_error(n, g):
    size = float(n.square().sum() + g.square().sum())
    return float((n - g).square().sum()) / size if size > 0 else 0.0
