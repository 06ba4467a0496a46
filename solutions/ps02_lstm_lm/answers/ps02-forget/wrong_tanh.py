"""The gate is taken for a tanh.

Message: The gate is a sigmoid, not a tanh
"""


def forget_bias(half_life):
    return math.atanh(0.5 ** (1 / half_life))
