"""The largest difference of a single number.

Message: That is the largest difference of one number
"""


def gradient_error(n, g):
    return float((n - g).abs().max())
