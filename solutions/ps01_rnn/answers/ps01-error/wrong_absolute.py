"""The difference is not divided.

Message: divide by the sizes
"""


def gradient_error(n, g):
    return float((n - g).norm())
