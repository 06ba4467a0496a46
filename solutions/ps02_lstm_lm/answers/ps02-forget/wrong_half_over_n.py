"""The root is taken for a division.

Message: asks for the n-th root of 1/2
"""


def forget_bias(half_life):
    f = 0.5 / half_life
    return math.log(f / (1 - f))
