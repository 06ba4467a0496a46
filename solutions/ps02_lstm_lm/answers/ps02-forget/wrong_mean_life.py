"""The mean time that a cell keeps something is taken for the half-life.

Message: what is asked for is f^n = 1/2
"""


def forget_bias(half_life):
    f = 1 - 1 / half_life
    return math.log(f / (1 - f))
