"""The gate is returned in place of its bias.

Message: That is the gate f itself
"""


def forget_bias(half_life):
    return 0.5 ** (1 / half_life)
