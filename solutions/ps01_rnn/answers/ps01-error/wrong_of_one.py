"""The difference is divided by the size of one.

Message: divide by the sum of both
"""


def gradient_error(n, g):
    size = float(n.norm())
    return float((n - g).norm()) / size if size > 0 else 0.0
